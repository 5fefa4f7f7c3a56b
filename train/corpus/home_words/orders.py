"""Phrasings that switch a device on or off."""

from __future__ import annotations

from train.corpus.banks import bank

ON_FORMS = bank("home_switch")["turn_on"]
OFF_FORMS = bank("home_switch")["turn_off"]
