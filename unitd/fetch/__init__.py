"""Layer `fetch`: fetches, checks and installs models; imports core and wire.

It runs as a separate program, `python -m unitd.fetch`: the hub's client would double the daemon's memory, and the check
of a gigabyte takes seconds.
"""
