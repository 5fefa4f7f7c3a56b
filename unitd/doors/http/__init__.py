"""The HTTP door: one server, and a folder or a module for each dialect over HTTP or WebSocket.

Every conversation is a task like those of TCP. The package is imported only when the door is open.
"""
