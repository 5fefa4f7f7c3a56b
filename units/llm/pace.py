"""How much of a prompt fits between two tokens of somebody's stream, learned from what steps took."""

# A stream shall not wait longer than this many of its own steps for somebody else's prompt.
STEPS_GIVEN = 2.0
# Before anything is measured: little enough for a slow board.
FIRST_CHUNK = 32
# Somebody who comes while a prompt is read alone waits for no longer than this, but on a slow board, where less than so
# many tokens at a time would make reading slower.
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
        """A step of all speakers took this long."""
        self._step_seconds = _mixed(self._step_seconds, seconds)

    def note_read(self, seconds: float, tokens: int) -> None:
        """A chunk of a prompt took this long."""
        self._token_seconds = _mixed(self._token_seconds, seconds / tokens)

    def chunk(self, largest: int) -> int:
        """Tokens of a prompt that may be read while others speak."""
        if self._step_seconds is None or self._token_seconds is None:
            return FIRST_CHUNK
        fitting = int(STEPS_GIVEN * self._step_seconds / self._token_seconds)
        return max(self._smallest, min(fitting, largest))

    def chunk_alone(self, largest: int) -> int:
        """Tokens of a prompt that may be read at a time while nobody speaks."""
        if self._token_seconds is None:
            return min(SMALLEST_ALONE, largest)
        return min(max(SMALLEST_ALONE, int(ALONE_SECONDS / self._token_seconds)), largest)


def _mixed(mean: float | None, newest: float) -> float:
    return newest if mean is None else mean + WEIGHT * (newest - mean)
