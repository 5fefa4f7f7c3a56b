"""Tasks: the table of tasks, the kinds of units, links, and the deaths that count against a task."""
