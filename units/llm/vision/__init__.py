"""Pictures for language models: read in a confined process, encoded in a thread, shown to the engine."""
