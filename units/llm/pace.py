"""How much of a prompt may be read between two tokens of other answers, learned from measured steps."""

from math import ceil

# A stream must not wait longer than this many of its own steps for another prompt.
STEPS_GIVEN = 2.0
# Before anything is measured: little enough for a slow board.
FIRST_CHUNK = 32
# A question that comes while a prompt is read alone waits no longer than this; but on a slow board fewer tokens at a
# time than these would make reading slower.
ALONE_SECONDS = 1.0
SMALLEST_ALONE = 128
# How much the newest measurement counts.
WEIGHT = 0.2


class Pace:
    """Running means of one decode step and of one prompt token, in seconds."""

    def __init__(self, smallest_chunk: int) -> None:
        self._smallest = smallest_chunk
        self._step_seconds: float | None = None
        self._token_seconds: float | None = None
        """Of prompts that are read beside answers, in small chunks, which take longer for each token."""

        self._alone_seconds: float | None = None

    def note_step(self, seconds: float) -> None:
        """Note the time of a step of all speakers."""
        self._step_seconds = _mixed(self._step_seconds, seconds)

    def note_read(self, seconds: float, tokens: int, *, has_company: bool) -> None:
        """Note the time of a chunk of a prompt."""
        if has_company:
            self._token_seconds = _mixed(self._token_seconds, seconds / tokens)
        else:  # the end of a prompt says little about chunks of usual size
            weight = WEIGHT * min(1.0, tokens / SMALLEST_ALONE)
            self._alone_seconds = _mixed(self._alone_seconds, seconds / tokens, weight)

    def chunk(self, largest: int) -> int:
        """Return how many tokens of a prompt may be read while others speak."""
        token_seconds = self._token_seconds or self._alone_seconds
        if self._step_seconds is None or token_seconds is None:
            return FIRST_CHUNK
        fitting = int(STEPS_GIVEN * self._step_seconds / token_seconds)
        return max(self._smallest, min(fitting, largest))

    def chunk_alone(self, unread: int, largest: int) -> int:
        """Return how many of the unread tokens of a prompt are read next when it is read alone.

        All chunks are about as large, since a small one takes longer for each token; so one may have half more than
        what takes a second.
        """
        fitting = SMALLEST_ALONE
        if self._alone_seconds is not None:
            fitting = max(fitting, int(ALONE_SECONDS / self._alone_seconds))
        chunks = max(round(unread / min(fitting, largest)), ceil(unread / largest), 1)
        return ceil(unread / chunks)


def _mixed(mean: float | None, newest: float, weight: float = WEIGHT) -> float:
    return newest if mean is None else mean + weight * (newest - mean)
