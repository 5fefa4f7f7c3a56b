"""Events that repeat: how long to wait after failures, and which of them to log. Pure."""


def backoff_seconds(failures: int, first: float, longest: float) -> float:
    """Return the wait before the next try: `first` after one failure, doubled by each further one; 0 after none."""
    return min(first * 2.0 ** min(failures - 1, 100), longest) if failures > 0 else 0.0


def is_doubling(count: int) -> bool:
    """Return True for 1, 2, 4, 8 and so on: a line at these counts tells of a flood without being one."""
    return count & (count - 1) == 0
