"""A home: its devices, its tools, and the file that describes both. Pure."""
