"""The C library's heap in processes that run for months beside others on a small board.

glibc makes a heap for every thread that allocates, and each has holes of its own; it also raises its limits whenever a
large block is freed, so that later ones lie between small ones instead of apart, and keeps what is free at the top. In
a daemon that serves many clients and reads files in threads this grows for hours. With one heap, and a limit set by
hand, which stops the raising, its memory stays level (docs/reliability.md). Other C libraries are left as they are.
"""

import ctypes

KEPT_AT_TOP_BYTES = 1024 * 1024
_TRIM_THRESHOLD, _ARENA_MAX = -1, -8  # of malloc.h

HEAP_VARIABLES = {"MALLOC_TRIM_THRESHOLD_": str(KEPT_AT_TOP_BYTES), "MALLOC_ARENA_MAX": "1"}
"""The same for programs that we start."""


def bound_heap() -> None:
    """Bound the heap of this process; to be called before it starts threads."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, KEPT_AT_TOP_BYTES)
        mallopt(_ARENA_MAX, 1)
