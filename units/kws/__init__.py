"""The kws unit: wake words."""
