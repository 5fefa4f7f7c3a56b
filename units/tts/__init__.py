"""Text to speech: `unit` is its face, one file per engine; `pieces` decides what is spoken in one breath."""
