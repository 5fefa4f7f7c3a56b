"""The MQTT door: requests of the wire by topics, what tasks say and are, and discovery for Home Assistant.

Imported only when `[mqtt]` is configured; aiomqtt is the only network library here.
"""
