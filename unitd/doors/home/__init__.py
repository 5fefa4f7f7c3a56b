"""Tools of the board: MQTT messages and Home Assistant's services."""
