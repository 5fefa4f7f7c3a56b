"""Conversations in which the assistant calls tools: houses that change from talk to talk, and what is asked in them."""
