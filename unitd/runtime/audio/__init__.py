"""The board's microphone and loudspeaker."""
