"""The turn-based chat: `/ws/chat` and `POST /api/chat`."""
