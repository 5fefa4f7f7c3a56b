"""The commands people type. They talk to the running daemon by its Unix socket; nothing here is loaded by `serve`."""
