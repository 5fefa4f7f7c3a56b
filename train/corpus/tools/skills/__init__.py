"""The skills of the board as tools: their sentences, calls and results."""
