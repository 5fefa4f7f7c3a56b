"""The commands people type, and what they share; nothing here is loaded by `serve`."""
