"""Models on the disk: found, described, fetched, removed."""
