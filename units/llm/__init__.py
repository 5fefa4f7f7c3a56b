"""The llm unit: llama.cpp, with an engine for several sequences, or a remote server."""
