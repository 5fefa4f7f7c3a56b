"""The words of the home commands, and their phrasings."""
