"""The MQTT door: requests of the wire, output and state of tasks, and discovery for Home Assistant.

The package is imported only when `[mqtt]` is configured; aiomqtt is its only network library.
"""
