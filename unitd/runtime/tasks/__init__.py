"""Tasks at run time: set up, run, linked, stored, ended."""
