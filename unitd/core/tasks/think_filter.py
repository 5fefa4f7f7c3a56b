"""Filter that removes `<think> … </think>` from a text that comes in pieces, so that it is not spoken. Pure."""

OPEN, CLOSE = "<think>", "</think>"


class ThinkFilter:
    """Takes the pieces of an answer and returns those that may be spoken."""

    def __init__(self) -> None:
        self._held = ""
        self._is_thinking = False

    def feed(self, text: str) -> str:
        """Return the text to speak so far; the possible beginning of a mark is held until the next piece."""
        self._held += text
        said = ""
        while True:
            mark = CLOSE if self._is_thinking else OPEN
            before, found, after = self._held.partition(mark)
            if not found:
                break
            said += "" if self._is_thinking else before
            self._is_thinking, self._held = not self._is_thinking, after
        keep = next((size for size in range(len(mark) - 1, 0, -1) if self._held.endswith(mark[:size])), 0)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return said + ("" if self._is_thinking else ready)

    def finish(self) -> str:
        """Return the held text that became no mark."""
        rest, self._held = self._held, ""
        return "" if self._is_thinking else rest
