"""Tests of the Wyoming door, with the client classes of the `wyoming` package."""
