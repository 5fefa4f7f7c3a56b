"""The kws unit: wake words. One file per engine; engines know no tasks, and tasks no engine."""
