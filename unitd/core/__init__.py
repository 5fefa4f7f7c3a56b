"""Decisions on plain objects. Pure: time and randomness are arguments, nothing is opened."""
