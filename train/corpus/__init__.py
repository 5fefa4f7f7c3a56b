"""The corpus: everything the bundled model ever reads, generated from a seed."""
