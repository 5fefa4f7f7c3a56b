"""Detection of the protocol with which a connection begins: HTTP, TLS, or input for the framer.

A page in a browser can only send HTTP or TLS to this port, but it chooses some of the bytes: in the body, in the
request line, in a session ticket. So no object is served before the first line has shown that it belongs to neither
protocol. Any other bytes may come first: the framer skips what is no JSON.

A serial line is not checked: no browser reaches it, and it begins with the noise of a board that starts.
"""

import re

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
"""The characters of a method (RFC 9110, section 5.6.2). A page may invent a method, also in small letters."""

_KNOWN = rb"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) "
"""Methods that decide without the rest of the line: a request of HTTP 0.9 has none."""

_FOREIGN = re.compile(rb"(?P<TLS>\x16\x03)|(?P<HTTP>" + _KNOWN + rb"|" + _TOKEN + rb" \S+ HTTP/)")
_UNDECIDED = re.compile(rb"\x16|(?P<method>" + _TOKEN + rb")(?: (?:(?P<target>\S+)(?P<rest> (?:H(?:T(?:TP?)?)?)?)?)?)?")
_METHOD_BYTES = 8
"""One more than the longest known method has; further bytes make no difference."""

HELD_BYTES = 64 * 1024
"""The longest first line that is held if an object is in it; web servers refuse a line of a quarter of that."""


class FirstLine:
    """Takes the first bytes of a connection, in any slicing, until its protocol is known."""

    def __init__(self) -> None:
        self.protocol = ""
        """ "HTTP" or "TLS" if the peer speaks that, and nothing more must be read from it; else ""."""

        self.is_over = False
        """True once the peer is known to speak neither; further bytes need not be passed to `take`."""

        self._shape = b""
        self._held = bytearray()
        self._holds_object = False

    @property
    def holds_object(self) -> bool:
        """Whether the held bytes could contain a request."""
        return self._holds_object

    def take(self, data: bytes) -> bytes:
        """Return the bytes that may be served now: all held bytes once the line is harmless, b"" before."""
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
        """Return the held bytes of a peer that sends no more, so that its line is no request of HTTP."""
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
    """Return a short line that can continue in the same ways as this one."""
    if line["method"] is None:
        return line[0]
    shape: bytes = line["method"][:_METHOD_BYTES]
    if line.end("method") < line.end():
        shape += b" " + (line["target"] or b"")[:1] + (line["rest"] or b"")
    return shape
