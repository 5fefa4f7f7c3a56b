"""Servers that the daemon talks to: engines, Home Assistant, a broker, a hub of models."""
