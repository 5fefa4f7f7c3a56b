"""The daemon as a service: systemd, journald and the log."""
