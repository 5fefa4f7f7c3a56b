"""The Wyoming door: wake words, speech to text, answers and a voice for Home Assistant's voice pipeline.

The package is imported only when `[wyoming]` is configured; the `wyoming` package implements the protocol.
"""
