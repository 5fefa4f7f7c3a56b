"""Grants, tokens and rate limits: decisions about what a client may do."""
