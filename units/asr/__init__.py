"""The asr unit: speech to text."""
