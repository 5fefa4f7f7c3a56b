"""Tests of units.intent."""
