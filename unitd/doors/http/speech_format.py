"""Text becomes speech: what every dialect wants of the tts unit, at the rate that OpenAI's has."""

MODEL = "unitd-tts"
RATE = 24000
"""Samples a second of what clients get."""
