"""Byte streams: TCP, the Unix socket and the serial line."""
