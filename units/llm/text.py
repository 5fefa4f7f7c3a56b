"""Token bytes become text: no character is cut in half, no part of a stop string gets out."""

import codecs
from collections.abc import Sequence


class TextStream:
    """Feed the bytes of tokens, get the text that may be shown."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._stop = stop
        self._held = ""
        self.is_stopped = False

    def feed(self, data: bytes) -> str:
        """The text these bytes complete, up to a stop string or what may become one."""
        self._held += self._decoder.decode(data)
        ends = [at for each in self._stop if (at := self._held.find(each)) >= 0]
        if ends:
            self.is_stopped = True
            text, self._held = self._held[: min(ends)], ""
            return text
        keep = self._suspect_length()
        text, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return text

    def finish(self) -> str:
        """What was held back, now that nothing follows; half a character becomes a replacement character."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        return "" if self.is_stopped else text

    def _suspect_length(self) -> int:
        """How many characters at the end could be the beginning of a stop string."""
        return max(
            (
                size
                for each in self._stop
                for size in range(1, min(len(each), len(self._held) + 1))
                if self._held.endswith(each[:size])
            ),
            default=0,
        )
