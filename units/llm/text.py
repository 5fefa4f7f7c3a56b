"""Token bytes become text: no character is cut in half, no part of a stop string gets out."""

import codecs
from collections.abc import Sequence


class TextStream:
    """Turns the bytes of tokens into the text that may be shown."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._stop = stop
        self._held = ""
        self.stop_word = ""
        """The stop string that was found; nothing is shown after it."""

    def feed(self, data: bytes) -> str:
        """Return the text that these bytes complete, up to a stop string or what may become one."""
        return self._show(self._decoder.decode(data))

    def _show(self, text: str) -> str:
        self._held += text
        ends = [(at, each) for each in self._stop if (at := self._held.find(each)) >= 0]
        if ends:
            first, self.stop_word = min(ends)
            text, self._held = self._held[:first], ""
            return text
        keep = suspect_length(self._held, self._stop)
        text, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return text

    def finish(self) -> str:
        """Return what was held back, as nothing follows; half a character becomes a replacement character."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        return "" if self.stop_word else text


def suspect_length(text: str, words: Sequence[str]) -> int:
    """Return how many characters at the end could be the beginning of one of the words."""
    return max(
        (size for each in words for size in range(1, min(len(each), len(text) + 1)) if text.endswith(each[:size])),
        default=0,
    )
