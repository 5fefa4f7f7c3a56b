"""Phrasings that open or close a device, lock or unlock it."""

from __future__ import annotations

from train.corpus.banks import bank

OPEN_FORMS = bank("home_covers")["open"]
CLOSE_FORMS = bank("home_covers")["close"]
LOCK_FORMS = bank("home_covers")["lock"]
UNLOCK_FORMS = bank("home_covers")["unlock"]
