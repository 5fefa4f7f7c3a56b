"""The actions of the `sys` unit."""
