"""Ways in and out. The only place for network libraries; a door knows no engine."""
