"""Models: cards, GGUF files, memory, and the forecast of how fast a model runs."""
