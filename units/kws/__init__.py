"""The kws unit: wake words. One file per engine; engines know nothing of tasks, tasks nothing of engines."""
