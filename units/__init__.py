"""Unit programs: `python -m units <kind> <fd>`, started by the daemon and never imported by it."""
