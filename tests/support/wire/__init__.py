"""Packets and inferences as clients send them."""
