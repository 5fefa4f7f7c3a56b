"""What the skills of the intent program need of the daemon: what outlives a sentence, and what sounds."""
