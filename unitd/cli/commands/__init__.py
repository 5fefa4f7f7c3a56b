"""One module for each command; its `run` takes the parsed arguments and returns the exit code."""
