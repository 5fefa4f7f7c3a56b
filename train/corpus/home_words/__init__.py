"""The words of the home commands, and the ways to say them."""
