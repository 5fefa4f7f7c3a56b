"""Sound between clients, units and speakers: formats, and what all hearing units share; knows no engine."""
