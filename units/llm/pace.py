"""How much of a prompt may be read between two tokens of other answers, learned from measured steps."""

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

    def note_step(self, seconds: float) -> None:
        """Note the time of a step of all speakers."""
        self._step_seconds = _mixed(self._step_seconds, seconds)

    def note_read(self, seconds: float, tokens: int) -> None:
        """Note the time of a chunk of a prompt."""
        self._token_seconds = _mixed(self._token_seconds, seconds / tokens)

    def chunk(self, largest: int) -> int:
        """Return how many tokens of a prompt may be read while others speak."""
        if self._step_seconds is None or self._token_seconds is None:
            return FIRST_CHUNK
        fitting = int(STEPS_GIVEN * self._step_seconds / self._token_seconds)
        return max(self._smallest, min(fitting, largest))

    def chunk_alone(self, largest: int) -> int:
        """Return how many tokens of a prompt may be read at a time when it is read alone."""
        if self._token_seconds is None:
            return min(SMALLEST_ALONE, largest)
        return min(max(SMALLEST_ALONE, int(ALONE_SECONDS / self._token_seconds)), largest)


def _mixed(mean: float | None, newest: float) -> float:
    return newest if mean is None else mean + WEIGHT * (newest - mean)
