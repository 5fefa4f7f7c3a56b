"""What a camera task sends: its frames, and whether it sees anything.

A client that reads slowly gets the newest frame as soon as it has room, and misses those between. Linked tasks and
other clients do not wait for it.
"""

import base64
import logging
from collections.abc import Callable

from unitd.core.tasks.table import Client, Task
from unitd.runtime.metrics import ModelMetrics
from unitd.runtime.tasks.destinations import Shared
from unitd.runtime.tasks.output import TaskOutput
from unitd.wire.envelope import Envelope
from unitd.wire.errors import RunFailed
from unitd.wire.messages import Reply

log = logging.getLogger("unitd.work")

STATE = "camera.state"
"""The object of a frame that says "open" (again) or "ended"."""


class CameraOutput:
    """The sending half of a camera task."""

    def __init__(
        self,
        task: Task,
        shared: Shared,
        output: Callable[[], TaskOutput],
        meter: Callable[[], ModelMetrics],
        may_send: Callable[[], bool],
    ) -> None:
        """`output` and `meter` return those of the task's present child, `may_send` is False until the setup is
        answered."""
        self._task = task
        self._shared = shared
        self._output = output
        self._meter = meter
        self._may_send = may_send
        self._newest: bytes | None = None
        """The frame that waits for the client."""

        self._is_waiting = False

    def on_output(self, envelope: Envelope) -> None:
        """Take a frame, or the news that the source is lost, open again, or at its end."""
        if envelope.type == "frame":
            self._on_frame(str(envelope.fields["form"]), envelope.payload)
        elif envelope.type == "camera":
            self._on_state(str(envelope.fields["state"]), str(envelope.fields.get("reason", "")))

    def _on_frame(self, form: str, frame: bytes) -> None:
        is_jpeg = form == "jpeg"
        if is_jpeg:
            self._shared.links.on_frame(self._task, frame)
        is_wanted = self._task.enoutput and self._may_send()
        if not is_wanted or is_jpeg is not ("jpeg" in self._task.response_format):
            return
        if self._is_waiting:
            self._meter().pictures["dropped"] += self._newest is not None
            self._newest = frame
        else:
            self._send(frame)

    def _send(self, frame: bytes) -> None:
        """Send a frame as the original does, and nothing more before the client has room again."""
        client, task = self._task.listener, self._task
        if client is None:
            return
        self._meter().pictures["sent"] += 1
        data = base64.b64encode(frame).decode()
        client.send(Reply(task.request_id, task.work_id, task.response_format, data, is_droppable=True))
        self._is_waiting = True
        self._shared.start(self._go_on(client), f"frames of {task.work_id}")

    async def _go_on(self, client: Client) -> None:
        await client.wait_for_room()
        self._is_waiting = False
        newest, self._newest = self._newest, None
        if newest is not None:
            self._send(newest)

    def _on_state(self, state: str, reason: str) -> None:
        if state == "lost":
            log.warning("%s sees nothing: %s", self._task.work_id, reason)
            self._output().refuse(RunFailed(reason))
        else:
            log.info("%s: its source is %s", self._task.work_id, state)
            self._output().event(state, object_=STATE)
        if state != "open":
            self._shared.links.on_frame(self._task, b"")
