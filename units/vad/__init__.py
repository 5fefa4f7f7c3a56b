"""The vad unit: voice activity, true when speech begins and false when it ends."""
