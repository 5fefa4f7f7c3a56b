"""What a model thinks is not spoken: `<think> … </think>` is taken out of a text that comes in pieces. Pure."""

OPEN, CLOSE = "<think>", "</think>"


class ThinkFilter:
    """Feed the pieces of an answer, get what may be said aloud."""

    def __init__(self) -> None:
        self._held = ""
        self._is_thinking = False

    def feed(self, text: str) -> str:
        """What these characters add to it; what may become a mark waits for the next piece."""
        self._held += text
        said = ""
        while True:
            mark = CLOSE if self._is_thinking else OPEN
            before, found, behind = self._held.partition(mark)
            if not found:
                break
            said += "" if self._is_thinking else before
            self._is_thinking, self._held = not self._is_thinking, behind
        keep = next((size for size in range(len(mark) - 1, 0, -1) if self._held.endswith(mark[:size])), 0)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return said + ("" if self._is_thinking else ready)

    def finish(self) -> str:
        """What waited and became no mark."""
        rest, self._held = self._held, ""
        return "" if self._is_thinking else rest
