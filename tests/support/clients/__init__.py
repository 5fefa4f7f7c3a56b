"""Clients of the daemon's doors."""
