"""Doors: the ways into and out of the daemon. Only they use network libraries; they know no engine."""
