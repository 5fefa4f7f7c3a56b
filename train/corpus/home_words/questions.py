"""Phrasings that ask for the state of a device."""

from __future__ import annotations

from train.corpus.banks import bank

STATE_FORMS = bank("home_questions")["state"]
SHUT_FORMS = bank("home_questions")["shut"]
