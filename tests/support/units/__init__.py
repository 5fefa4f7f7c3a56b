"""Unit programs without a daemon, and sound for them."""
