"""The HTTP door: one listener, and one small module for each dialect that speaks HTTP or WebSocket.

Nothing here knows an engine: every conversation is a task like those of TCP. Imported only when the door is open.
"""
