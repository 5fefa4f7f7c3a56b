"""Microphone and loudspeaker: `unit` is its face, `capture` and `playback` are its threads, the rest are devices."""
