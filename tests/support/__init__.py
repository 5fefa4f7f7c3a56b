"""Shared parts of the tests: a daemon, clients, servers, programs, models and sound. No module here holds a test."""
