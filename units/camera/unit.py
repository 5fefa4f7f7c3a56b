"""The camera unit: the messages of the daemon, and one thread for each source."""

import importlib.util
from collections.abc import Mapping
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import LATER, Handler, LoadError, Unit
from units.camera.camera_setup import CameraSetup, read_setup
from units.host import Host

MISSING = "cameras need PyAV: pip install 'unitd[vision]'"


class CameraUnit(Unit):
    """Any number of cameras."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._setups: dict[str, CameraSetup] = {}
        self._watches: dict[str, Any] = {}
        """The threads, by their sources; a file has one for each of its tasks."""

        self.handlers: Mapping[str, Handler] = {
            "setup": self._set_up,
            "pause": self._pause,
            "work": self._work,
            "exit": self._exit,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Import the libraries; raise LoadError without them."""
        if importlib.util.find_spec("av") is None:
            raise LoadError(MISSING)
        import av  # the first import takes a tenth of a second, which no client shall wait for

        return {"about": f"PyAV {av.__version__}"}

    def close(self) -> None:
        """Close every source."""
        for task in list(self._setups):
            self._leave(task)

    def _set_up(self, envelope: Envelope) -> Mapping[str, Any]:
        """Begin to look; the answer comes with the first frame. A task that was there before waits for its camera."""
        fields = envelope.fields
        setup, task = read_setup(fields["data"]), str(fields["task"])
        self._setups[task] = setup
        is_again = bool(fields.get("is_again"))
        self._look(task, None if is_again else envelope)
        return {} if is_again else LATER

    def _look(self, task: str, envelope: Envelope | None) -> None:
        from units.camera.watch import Viewer, Watch

        setup = self._setups[task]
        key, viewer = _key(task, setup), Viewer(task, setup, envelope)
        watch = self._watches.get(key)
        if watch is None or not watch.join(viewer):
            self._watches[key] = Watch(viewer, self._host)

    def _pause(self, envelope: Envelope) -> None:
        """Look no more; a source that nobody looks at is closed."""
        self._leave(str(envelope.fields["task"]))

    def _work(self, envelope: Envelope) -> None:
        if (task := str(envelope.fields["task"])) in self._setups:
            self._leave(task)
            self._look(task, None)

    def _exit(self, envelope: Envelope) -> None:
        task = str(envelope.fields["task"])
        self._leave(task)
        self._setups.pop(task, None)

    def _leave(self, task: str) -> None:
        if (setup := self._setups.get(task)) is not None:
            key = _key(task, setup)
            if key in self._watches and not self._watches[key].leave(task):
                del self._watches[key]


def _key(task: str, setup: CameraSetup) -> str:
    return f"{setup.source} of {task}" if setup.is_file else setup.source
