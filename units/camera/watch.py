"""The thread that reads one source, for all tasks that look at it.

A device can be opened once, so tasks with the same device or address share its thread; each task gets its own size and
rate. A source that is lost is opened again, after pauses that grow; only a file that is not looped has an end.
"""

import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field

from av.video.frame import VideoFrame

from unitd.wire.envelope import Envelope
from units.backoff import Backoff
from units.base import SETUP_REFUSED
from units.camera.camera_setup import CameraSetup
from units.camera.frame_forms import fitted, jpeg_of, yuyv_of
from units.camera.video import VideoFault, frames_of, in_real_time
from units.host import Host

# A thread ends with its next frame; one whose device hangs is left alone after that.
JOIN_SECONDS = 2.0

# A source that is still silent after this time is not refused any more: the daemon tells the client soon that the
# setup goes on. It is lost, and tried again.
REFUSAL_SECONDS = 3.0


@dataclass
class Viewer:
    """A task that looks at the source."""

    task: str
    setup: CameraSetup
    envelope: Envelope | None
    """The message that waits for the first frame; None after its answer."""

    due_at: float = 0.0
    """When the next frame may go out."""

    since: float = field(default_factory=time.monotonic)
    """When the task began to look."""


class Watch:
    """The thread of one source."""

    def __init__(self, viewer: Viewer, host: Host) -> None:
        """Begin to read for a first task."""
        self._setup = viewer.setup
        self._host = host
        self._viewers = [viewer]
        self._changing = threading.Lock()
        self._is_closing = threading.Event()
        self._backoff = Backoff()
        self._is_lost = False
        self.is_over = False
        """True once the thread reads no more: its file has ended, or nobody looks."""

        self._thread = threading.Thread(target=self._run, name=f"camera {viewer.setup.name}", daemon=True)
        self._thread.start()

    def join(self, viewer: Viewer) -> bool:
        """Let a task look. Return False when the thread has ended meanwhile."""
        with self._changing:
            if not self.is_over:
                self._viewers.append(viewer)
            return not self.is_over

    def leave(self, task: str) -> bool:
        """Send this task nothing more. Return False when nobody looks any more: the source is closed."""
        with self._changing:
            self._viewers = [each for each in self._viewers if each.task != task]
            if self._viewers:
                return True
            self.is_over = True
        self._is_closing.set()
        self._thread.join(JOIN_SECONDS)
        return False

    def _run(self) -> None:
        while not self._is_closing.is_set():
            try:
                self._read()
            except VideoFault as fault:
                self._lose(str(fault))
            except Exception as bug:
                traceback.print_exc()
                self._lose(f"internal error: {bug!r}")
            if self.is_over:
                return
            if self._is_lost:
                self._is_closing.wait(self._backoff.next_seconds())

    def _read(self) -> None:
        """Show every frame until the source ends."""
        has_any = False
        for frame in self._frames():
            if self._is_closing.is_set():
                return
            has_any = True
            self._show(frame)
        if self._is_closing.is_set():
            return
        if not has_any:
            raise VideoFault(f"{self._setup.name} holds no frame")
        if not self._setup.is_file:
            raise VideoFault(f"{self._setup.name} has ended")
        if not self._setup.is_looped:
            self._tell("ended", ends=True)

    def _frames(self) -> Iterator[VideoFrame]:
        frames = frames_of(self._setup)
        return in_real_time(frames, self._wait) if self._setup.is_file else frames

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._is_closing.wait(seconds)

    def _show(self, frame: VideoFrame) -> None:
        """Send a frame to every task that may have one now."""
        if self._is_lost:
            self._is_lost = False
            self._tell("open")
        self._backoff.reset()
        with self._changing:
            for viewer in self._viewers:
                self._answer(viewer)
                now = time.monotonic()
                if now >= viewer.due_at:
                    viewer.due_at = now + viewer.setup.interval_seconds
                    self._send(viewer, frame)

    def _send(self, viewer: Viewer, frame: VideoFrame) -> None:
        picture = fitted(frame, viewer.setup.width, viewer.setup.height)
        self._host.say("frame", jpeg_of(picture), task=viewer.task, form="jpeg")
        if viewer.setup.wants_raw:
            self._host.say("frame", yuyv_of(picture), task=viewer.task, form="yuyv")

    def _lose(self, reason: str) -> None:
        """Refuse the setups that wait for the first frame, and tell the other tasks once."""
        with self._changing:
            for viewer in [each for each in self._viewers if each.envelope is not None]:
                is_late = time.monotonic() - viewer.since > REFUSAL_SECONDS
                self._answer(viewer, "" if is_late else reason)
                if not is_late:
                    self._viewers.remove(viewer)
            if not self._viewers:
                self.is_over = True
        if not self._is_lost:
            self._is_lost = True
            self._tell("lost", reason)

    def _answer(self, viewer: Viewer, reason: str = "") -> None:
        """Answer the setup of a task that still waits for it."""
        envelope, viewer.envelope = viewer.envelope, None
        if envelope is not None:
            failure = {"code": SETUP_REFUSED, "message": reason} if reason else {}
            self._host.answer(envelope, **failure)

    def _tell(self, state: str, reason: str = "", *, ends: bool = False) -> None:
        with self._changing:
            for viewer in self._viewers:
                self._host.say("camera", task=viewer.task, state=state, reason=reason)
            if ends:
                self._viewers, self.is_over = [], True
