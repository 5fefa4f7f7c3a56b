"""What a connection begins with: another protocol, or something for the framer.

A page in a browser cannot open a connection of its own kind. What it sends to this port stands behind the first line
of an HTTP request or inside a TLS handshake, and holds whatever bytes the page chose: in the body, in the request line,
in a session ticket. So nothing is served before the first line has shown that it is neither. Everything else may come
first, as always: the framer skips what is no JSON.

A serial line is not looked at: no browser reaches it, and its beginning is the noise of a board that starts.
"""

import re

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
"""What a method may be made of (RFC 9110, section 5.6.2). A page may make up its own, in small letters too."""

_KNOWN = rb"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) "
"""With these nobody waits for the rest of the line: the requests of HTTP 0.9 have none."""

_FOREIGN = re.compile(rb"(?P<TLS>\x16\x03)|(?P<HTTP>" + _KNOWN + rb"|" + _TOKEN + rb" \S+ HTTP/)")
_UNDECIDED = re.compile(rb"\x16|(?P<method>" + _TOKEN + rb")(?: (?:(?P<target>\S+)(?P<rest> (?:H(?:T(?:TP?)?)?)?)?)?)?")
_METHOD_BYTES = 8
"""One more than the longest known method has; what follows decides nothing."""

HELD_BYTES = 64 * 1024
"""An object inside a first line is held for so long; web servers refuse a line of a quarter of that."""


class FirstLine:
    """Takes the first bytes of a connection, in any slicing, until it is known what they are."""

    def __init__(self) -> None:
        self.protocol = ""
        """ "HTTP" or "TLS" where the peer speaks that; then nothing more of it is to be read."""

        self.is_over = False
        """True once it is known that the peer speaks neither; what comes from then on is not for this class."""

        self._shape = b""
        self._held = bytearray()
        self._holds_object = False

    @property
    def holds_object(self) -> bool:
        """Whether something waits for the end of the line that could be a request."""
        return self._holds_object

    def take(self, data: bytes) -> bytes:
        """Return what may be served now: all that was held once the line is harmless, b"" until then."""
        if not self._shape and not (data.strip()):
            return data
        line = self._shape + data if self._shape else data.lstrip()
        self._held += data
        if foreign := _FOREIGN.match(line):
            return self._refuse(str(foreign.lastgroup))
        undecided = _UNDECIDED.fullmatch(line)
        if undecided is None:
            self.is_over = True
            return self.release()
        self._shape = _shape_of(undecided)
        self._holds_object = self._holds_object or b"{" in data
        if len(self._held) > HELD_BYTES:
            if self._holds_object:
                return self._refuse("HTTP")
            self._held.clear()
        return b""

    def release(self) -> bytes:
        """Return what is held; for a peer that sends no more, so that its line is no request."""
        held = bytes(self._held)
        self._held.clear()
        self._holds_object = False
        return held

    def _refuse(self, protocol: str) -> bytes:
        self.protocol = protocol
        self._held.clear()
        self._holds_object = False
        return b""


def _shape_of(line: re.Match[bytes]) -> bytes:
    """Return a short line that goes on as this one may."""
    if line["method"] is None:
        return line[0]
    shape: bytes = line["method"][:_METHOD_BYTES]
    if line.end("method") < line.end():
        shape += b" " + (line["target"] or b"")[:1] + (line["rest"] or b"")
    return shape
