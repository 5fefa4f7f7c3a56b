"""The llm unit: llama.cpp behind an engine for several sequences."""
