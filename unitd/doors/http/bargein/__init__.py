"""The barge-in dialect of `/ws`: a new utterance stops the answer before it."""
