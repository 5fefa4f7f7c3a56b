"""Sentences that go on with the one before."""
