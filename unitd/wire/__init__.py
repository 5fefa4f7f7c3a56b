"""Bytes and their meaning. Pure: no asyncio, socket, file, clock or log."""
