"""Tests of unitd.runtime.skills."""
