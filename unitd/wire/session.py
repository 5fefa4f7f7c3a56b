"""The protocol of one connection without a socket: bytes in, requests and refusals out; replies in, bytes out.

Later modules see no raw JSON of the wire: a streamed input is joined, base64 is decoded, text is text.
"""

from collections.abc import Iterator
from dataclasses import replace

from unitd.wire.errors import BadBase64, BadField, EmptyInput, NotJson, TooLong, UnitdError, WireError
from unitd.wire.framing import DEFAULT_LIMIT_BYTES, Frame, Framer
from unitd.wire.joining import StreamJoiner, decode_base64
from unitd.wire.messages import Reply, Request, encode_reply, error_reply, escape_line, parse_request
from unitd.wire.reading import MAX_VALUES, holds_too_many, is_too_deep

STREAMED_ACTIONS = {"inference", "push", "play", "play_raw", "queue_play"}
"""Actions whose data is an input: it may come in chunks, in base64, or after a RAW header."""

# A message should be one object. Several are served as on TCP, but no other client is served between them.
MAX_MESSAGE_OBJECTS = 64


class Session:
    """The state of one connection: unfinished frames and unfinished streamed inputs.

    `is_ascii` is for clients that count braces or cut UTF-8 characters: both are then escaped inside strings.
    """

    def __init__(self, *, limit_bytes: int = DEFAULT_LIMIT_BYTES, is_ascii: bool = False) -> None:
        self._framer = Framer(limit_bytes)
        self._joiner = StreamJoiner(limit_bytes)
        self._is_ascii = is_ascii

    def limit(self, limit_bytes: int) -> None:
        """Set how many bytes a frame, and a streamed input, may hold from now on."""
        self._framer.limit_bytes = self._joiner.limit_bytes = limit_bytes

    @property
    def is_incomplete(self) -> bool:
        """True while an object has begun and not ended; the door must then call `drop_incomplete` after a timeout."""
        return self._framer.is_incomplete

    @property
    def unfinished_bytes(self) -> int:
        """The bytes of frames and streamed inputs that have begun and not ended."""
        return self._framer.held_bytes + self._joiner.held_bytes

    def drop_unfinished(self) -> None:
        """Drop all frames and streamed inputs that have begun and not ended."""
        self._framer.drop_incomplete()
        self._joiner.drop_all()

    @property
    def awaits_payload(self) -> bool:
        """True after a RAW header, until its payload is complete."""
        return self._framer.awaits_payload

    def receive_data(self, data: bytes) -> Iterator[Request | Reply]:
        """Yield requests to serve and refusals to send, in order. Exhaust the iterator, or the rest is lost."""
        for result in self._framer.feed(data):
            if isinstance(result, WireError):
                yield error_reply(result, result.request_id, result.work_id)
            elif (meaning := self._meaning_of(result)) is not None:
                yield meaning

    def receive_message(self, message: bytes) -> Iterator[Request | Reply]:
        """Yield requests and refusals of a whole message, for doors that carry messages instead of a stream.

        An unfinished object is refused at once, and so is what follows MAX_MESSAGE_OBJECTS objects. After a RAW header
        the next message is the payload and must hold all of it.
        """
        is_payload = self.awaits_payload
        if b"{" not in message and not is_payload:
            yield error_reply(NotJson("a message must be one JSON object"), "0", "sys")
            return
        if not is_payload and holds_too_many(message):  # before the framer looks for the ends of all of them
            yield error_reply(TooLong(f"it may hold {MAX_VALUES} values"), "0", "sys")
            return
        for count, meaning in enumerate(self.receive_data(message), 1):
            yield meaning
            if count == MAX_MESSAGE_OBJECTS and self._framer.has_more:
                self._framer.drop_incomplete()
                yield error_reply(TooLong(f"a message may hold {MAX_MESSAGE_OBJECTS} objects"), "0", "sys")
                return
        if self.is_incomplete and (is_payload or not self.awaits_payload):
            refusal = self.drop_incomplete()
            if refusal is not None:
                yield refusal

    def drop_incomplete(self) -> Reply | None:
        """Drop an unfinished object after a timeout. Return the refusal to send; None if there is none."""
        error = self._framer.drop_incomplete()
        return None if error is None else error_reply(error, error.request_id, error.work_id)

    def encode(self, reply: Reply, created: int) -> bytes:
        """Return the line of a reply; `created` is in unix seconds."""
        line = encode_reply(reply, created)
        return escape_line(line) if self._is_ascii else line

    def _meaning_of(self, frame: Frame) -> Request | Reply | None:
        try:
            request = parse_request(frame)
            check_depth(request)
        except WireError as error:
            return error_reply(error, error.request_id, error.work_id)
        if request.action not in STREAMED_ACTIONS:
            return request
        try:
            return self._joined(request)
        except UnitdError as error:
            return error_reply(error, request.request_id, request.work_id)

    def _joined(self, request: Request) -> Request | None:
        """Return a request with its whole input in `data`, as text or bytes; None before the last chunk of a stream."""
        # After ".file." comes a path, which may contain any word.
        form = request.object.partition(".file.")[0]
        if request.payload is not None:
            return _with_input(request, form, request.payload)
        if "stream" in form:
            chunks = self._joiner.add(request)
            if chunks is None:
                return None
        elif isinstance(request.data, str):
            chunks = [request.data]
        elif request.data is None and "messages" in request.options:
            return request
        elif request.data is None:
            raise EmptyInput('"data" is missing')
        else:
            raise BadField("data must be a string")
        if "base64" in form:
            return _with_input(request, form, decode_base64(chunks))
        return replace(request, data="".join(chunks))


def check_depth(request: Request) -> None:
    """Check that a request can be passed on to a unit.

    Raises:
        BadField: data or options are nested too deeply.
    """
    has_levels = isinstance(request.data, dict | list) or request.options
    if has_levels and is_too_deep(request.data, request.options):
        raise BadField("data is nested too deeply", request.request_id, request.work_id)


def _with_input(request: Request, form: str, content: bytes) -> Request:
    """Return the request with its input; bytes become text if the object says "utf-8"."""
    if "utf-8" not in form:
        return replace(request, data=content, payload=None)
    try:
        return replace(request, data=content.decode(), payload=None)
    except UnicodeDecodeError as error:
        raise BadBase64(f"the bytes are not utf-8: {error.reason} at byte {error.start}") from error
