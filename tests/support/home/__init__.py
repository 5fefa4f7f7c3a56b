"""Tools of a home, and what is asked of them."""
