"""The corpus: everything that the bundled model is trained on, generated from a seed."""
