"""The vad unit: whether somebody speaks; and what every unit that hears audio is made of."""
