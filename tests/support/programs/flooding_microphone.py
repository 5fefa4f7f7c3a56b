"""An audio program whose microphone sends ten minutes of silence at once, as soon as it is listened to."""

import socket
import sys
import time

from unitd.wire.envelope import Envelope
from units.base import Unit
from units.host import Host, guard_stdout

PERIODS = 10 * 60 * 50
PERIOD_BYTES = 640


class FloodingMicrophone(Unit):
    """Sends all periods at once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.handlers = {"listen": self._listen}

    def load(self, load: dict[str, object]) -> dict[str, object]:
        """Load nothing."""
        return {}

    def _listen(self, envelope: Envelope) -> None:
        for _ in range(PERIODS if envelope.fields["is_on"] else 0):
            self._host.say("pcm", bytes(PERIOD_BYTES), at=time.monotonic(), is_playing=False)


if __name__ == "__main__":
    guard_stdout()
    host = Host(socket.socket(fileno=int(sys.argv[-1])))
    host.run(FloodingMicrophone(host))
