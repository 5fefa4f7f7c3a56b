"""Layer `fetch`: brings models onto this machine and never lets a bad one in; imports core and wire.

It runs as a program of its own, `python -m unitd.fetch`: the hub's client would double the daemon's memory, and a
gigabyte takes seconds to check.
"""
