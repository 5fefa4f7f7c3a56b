"""Tests of the HTTP door and its dialects."""
