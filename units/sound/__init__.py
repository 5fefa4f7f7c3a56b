"""Sound between clients, units and loudspeakers: formats, and what all hearing units share. Knows no engine."""
