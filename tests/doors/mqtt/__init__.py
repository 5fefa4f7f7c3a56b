"""Tests of the MQTT door, against a real Mosquitto."""
