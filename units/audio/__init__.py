"""Microphone and loudspeaker: `unit` speaks with the daemon, `capture` and `playback` are threads, the rest devices."""
