"""Grants, tokens, and how often something may happen: decisions about who may do what."""
