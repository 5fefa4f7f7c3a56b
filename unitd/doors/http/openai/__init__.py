"""The OpenAI API: `api` has the paths, the others read a request, answer it, and say what is wrong with it."""
