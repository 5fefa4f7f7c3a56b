"""The lines that this program logs, in the daemon's log."""

import logging
import traceback

from units.host import Host

_LEVELS = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "error"}


class DaemonLog(logging.Handler):
    """Sends warnings and errors to the daemon, each in one line."""

    def __init__(self, host: Host) -> None:
        super().__init__(logging.WARNING)
        self._host = host

    def emit(self, record: logging.LogRecord) -> None:
        """Send a line; of an exception, what it is and where it was raised."""
        text = record.getMessage()
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            frames = traceback.extract_tb(error.__traceback__)
            where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
            text += f": {type(error).__name__}: {error}{where}"
        self._host.log(_LEVELS.get(record.levelno, "info"), " ".join(text.split()))


def log_to_daemon(host: Host) -> None:
    """Let the daemon log what the modules of this program log."""
    logger = logging.getLogger("units.intent")
    logger.addHandler(DaemonLog(host))
    logger.propagate = False
