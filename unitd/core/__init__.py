"""Decisions on plain objects. Pure: time and randomness are arguments, no file or socket is opened."""
