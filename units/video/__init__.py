"""The program that reads one video in a process of its own: `python -m units.video`, started by the daemon for each."""
