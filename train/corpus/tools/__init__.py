"""Conversations in which the assistant calls tools: houses that change with each conversation, and requests in them."""
