"""Text to speech: `unit` speaks with the daemon, one file per engine; `pieces` divides the text."""
