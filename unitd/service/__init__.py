"""The process as a service: systemd, journald and the log."""
