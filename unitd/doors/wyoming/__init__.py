"""The Wyoming door: Home Assistant's voice pipeline picks wake word, speech to text, answers and a voice from here.

Imported only when `[wyoming]` is configured; the protocol itself is the `wyoming` package's.
"""
