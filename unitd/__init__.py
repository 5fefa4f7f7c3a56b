"""unitd: the daemon. Layers import leftwards only: wire, core, runtime, doors, app, then cli and __main__."""

__version__ = "0.1.0"
