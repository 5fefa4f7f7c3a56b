"""Every error a peer can cause, in one tree. Each class knows its wire code and the words clients may compare.

    UnitdError
    ├── WireError            the bytes, before there is a request
    │   ├── NotJson             -2   not an object, damaged, or abandoned half-way
    │   ├── TooLong             -2   over the frame limit
    │   └── BadField            -2   a field is missing or has the wrong type
    ├── RequestError         a request that cannot be served as it stands
    │   ├── UnknownSysAction    -3
    │   ├── NotAnInput          -4   inference on something that takes none
    │   ├── UnknownTask         -6
    │   ├── NotAllowed          -8   no token, or not with this one
    │   ├── UnknownUnit         -9
    │   ├── Unavailable        -10   queue full, wrong state, refused by the configuration
    │   ├── BadFile            -17
    │   ├── UnknownAction      -18
    │   ├── BadLink            -20
    │   ├── TaskFull           -21
    │   ├── BadBase64          -23
    │   ├── EmptyInput         -24
    │   └── BadIndex           -25
    ├── UnitError            what a unit could not do
    │   ├── LoadFailed          -5
    │   └── RunFailed          -11
    ├── InternalError           -1   a bug of the daemon
    └── ConfigError             (never on the wire: ends the program with a sentence)

Codes and words: docs/original-firmware.md, section 3.
"""

# Reasons quote what clients sent, and a serial line has 11 KB a second.
MAX_REASON = 400


def reason_of(error: BaseException) -> str:
    """Return an error in words: its own text, or the system's words if that text quotes a number ("[Errno 111] …")."""
    reason = str(error)
    cause = error if "[Errno" in reason else None
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return reason


class UnitdError(Exception):
    """An error with a wire code; `words` are those of the original firmware, `reason` says what to do about it."""

    code: int = -1
    words: str = "internal error"

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        if not self.reason:
            return self.words
        separator = " " if self.words.endswith(".") else ": "
        reason = self.reason if len(self.reason) <= MAX_REASON else self.reason[:MAX_REASON] + "…"
        return f"{self.words}{separator}{reason}"


class InternalError(UnitdError):
    """A bug of the daemon: the traceback is in the log, the client gets only the code."""


class WireError(UnitdError):
    """The bytes were no request; the reply echoes request_id and work_id as far as they could be read."""

    code = -2
    words = "json format error"

    def __init__(self, reason: str = "", request_id: str = "0", work_id: str = "sys") -> None:
        super().__init__(reason)
        self.request_id = request_id
        self.work_id = work_id


class NotJson(WireError):
    """A complete object does not parse, or an incomplete one was dropped after a timeout."""


class TooLong(WireError):
    """A frame is over the limit; its bytes are skipped, the next frame is read."""


class BadField(WireError):
    """A field is missing or of the wrong type."""


class RequestError(UnitdError):
    """A well-formed request cannot be served."""


class UnknownSysAction(RequestError):
    """The `sys` unit has no such action."""

    code = -3
    words = "action match false"


class NotAnInput(RequestError):
    """An inference names a unit, an unknown task, or a task that takes no input from clients."""

    code = -4
    words = "inference data push false"


class UnknownTask(RequestError):
    """No task has this work_id."""

    code = -6
    words = "Unit Does Not Exist"


class NotAllowed(RequestError):
    """No token was shown, a wrong one, or one whose role does not allow the request."""

    code = -8
    words = "Not allowed."


class UnknownUnit(RequestError):
    """No unit of this kind exists here."""

    code = -9
    words = "unit call false"


class Unavailable(RequestError):
    """The request cannot be served now, or not with this configuration."""

    code = -10
    words = "Not available at the moment."


class BadFile(RequestError):
    """A path leads outside the state directory, a file is missing, or the disk is full."""

    code = -17
    words = "file path error"


class UnknownAction(RequestError):
    """The unit exists and does not have this action."""

    code = -18
    words = "not have unit action!"


class BadLink(RequestError):
    """The link has no effect, would loop, or its source does not exist."""

    code = -20
    words = "link false"


class TaskFull(RequestError):
    """The configured number of tasks is reached and all of them have an owner."""

    code = -21
    words = "task full"


class BadBase64(RequestError):
    """Data announced as base64 cannot be decoded, or does not hold the announced UTF-8."""

    code = -23
    words = "Base64 decoding error."


class EmptyInput(RequestError):
    """An inference holds no input."""

    code = -24
    words = "The inference data is empty."


class BadIndex(RequestError):
    """An index of a streamed input is missing or repeated, or leaves a gap."""

    code = -25
    words = "Stream data index error."


class UnitError(UnitdError):
    """A unit could not do what it was asked."""


class LoadFailed(UnitError):
    """Setup failed: a bad value, an unknown model, a file that does not load."""

    code = -5
    words = "Model loading failed."


class RunFailed(UnitError):
    """An inference failed: a prompt too long, a bad value, a child that died."""

    code = -11
    words = "Model run failed."


class ConfigError(UnitdError):
    """The configuration cannot be used; the reason names the key, or has a line for each thing that is wrong."""

    words = "configuration error"

    def __str__(self) -> str:
        lines = self.reason.splitlines()
        if len(lines) > 1:
            return "\n  ".join([f"{self.words}, {len(lines)} mistakes:", *lines])
        return f"{self.words}: {self.reason}" if self.reason else self.words


def error_of_code(code: int, reason: str) -> UnitdError:
    """Return the error that a unit program names by its code; an InternalError for an unknown code."""
    classes = [UnitdError]
    for each in classes:
        if each.code == code:
            return each(reason)
        classes += each.__subclasses__()
    return InternalError(reason)
