"""The OpenAI API: `api` has the paths, the other modules read and answer requests."""
