"""Model files and the cards that name them."""
