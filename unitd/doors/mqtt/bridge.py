"""The daemon's side of the bridge: output and state of tasks become topics, and topics become requests.

    unitd/<node>/request             any request of the wire, answered at the response topic or reply/<request_id>
    unitd/<node>/status              online or offline (birth and last will), retained
    unitd/<node>/stats               the board, every 30 s
    unitd/<node>/<work_id>/output    every frame of the task's output
    unitd/<node>/<work_id>/text      a whole text when it is finished
    unitd/<node>/<work_id>/state     its entry of sys.lstask, retained while the task exists

the topics of `timer_topics`, and for Home Assistant: answer, utterance, wake (out), ask, see, work, interrupt,
wake_now, say (in).
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from unitd.core.tasks.kinds import Output
from unitd.core.tasks.table import Task
from unitd.doors.base import Server
from unitd.doors.local_client import LocalClient
from unitd.doors.mqtt.homeassistant import (
    MAX_ANNOUNCED,
    Board,
    Component,
    Places,
    announced_before,
    discovery,
    known_after,
)
from unitd.doors.mqtt.publish_queue import PublishQueue
from unitd.doors.mqtt.requests import Incoming, RequestTopic
from unitd.doors.mqtt.timer_topics import TimerTopics
from unitd.doors.unfinished import Unfinished
from unitd.runtime.tasks.output import TOOL_CALL
from unitd.wire.errors import TooLong, UnitdError
from unitd.wire.messages import Reply, encode_reply
from unitd.wire.reading import read_json

log = logging.getLogger("unitd.mqtt")

# Tasks start and end in bursts (a chain of four, a boot pipeline): one announcement serves all of them.
DISCOVERY_DELAY_SECONDS = 0.05
# A person waits for the light; a broker that restarts quickly is still in time.
COMMAND_PATIENCE_SECONDS = 3.0
# By then the tasks from before a restart are set up again, by the configuration or by clients.
RETURN_SECONDS = 60.0
# Each announcement comes back from the broker a moment later; starting and ending tasks make several in that time.
REMEMBERED_ANNOUNCEMENTS = 8
WORKING = {"ON": "work", "OFF": "pause", "work": "work", "pause": "pause"}
"""The values of a task's switch, each with its action."""


@dataclass
class _Text:
    """A text that is being received."""

    parts: list[str] = field(default_factory=list)
    began: float = 0.0
    ended: float = 0.0

    def add(self, delta: str) -> None:
        self.ended = time.monotonic()
        self.began = self.began or self.ended
        self.parts.append(delta)

    @property
    def tokens_per_second(self) -> float | None:
        """Return the rate of the deltas after the first; None when there are too few."""
        seconds = self.ended - self.began
        return round((len(self.parts) - 1) / seconds, 1) if seconds > 0 else None


class Bridge:
    """Observes all tasks (an `observers.Observer`) and handles messages of the broker."""

    def __init__(
        self, server: Server, board: Board, clock: Callable[[], float], frame_bytes: int, unfinished: Unfinished
    ) -> None:
        self._server = server
        self.board = board
        self.outgoing = PublishQueue()
        self._clock = clock
        self._requests = RequestTopic(board.base, self.outgoing, server.serve, clock, frame_bytes, unfinished)
        self.timers = TimerTopics(server, board.base, self.outgoing)
        self._entries: dict[str, dict[str, Any]] = {}
        self._texts: dict[tuple[str, str], _Text] = {}
        self._known: dict[str, str] = {}
        """Components that were announced to Home Assistant, and their platforms."""

        self._places = Places()
        self._expected: dict[str, Component] = {}
        """Components of an earlier run, while their tasks may come back."""

        self._followed: dict[str, bytes | None] = {}
        """The last value of each topic that the tools follow; None before the first."""

        self._announcing: asyncio.TimerHandle | None = None
        self._announced: deque[bytes] = deque(maxlen=REMEMBERED_ANNOUNCEMENTS)
        """The last announcements of this run, which the broker sends back."""

        self._replacing: asyncio.TimerHandle | None = None
        self._next_replacing_at = 0.0
        """The time from which a foreign announcement may be replaced again."""

        self._is_closed = False
        self._local_client = LocalClient(server, "mqtt homeassistant", "mqtt", keeps_tasks=True)
        self._commands: Mapping[str, Callable[[str, str], None]] = {
            "ask": self._ask,
            "say": self._ask,
            "work": self._set_working,
            "interrupt": lambda work_id, _: self._do(work_id, "cancel"),
            "wake_now": lambda work_id, _: self._do(work_id, "trigger"),
        }

    @property
    def subscriptions(self) -> list[str]:
        """Return every topic that the bridge reads, including its own retained ones, where it removes stale values."""
        base = self.board.base
        own = [f"{base}/request", f"{base}/+/state", *([self.board.topic] if self.board.prefix else [])]
        of_tasks = [f"{base}/+/{command}" for command in (*self._commands, "see")]
        return [*own, *of_tasks, *self.timers.commands, *self._followed]

    # For the board's tools

    def follow(self, topics: Iterable[str]) -> None:
        """Remember the last values on these topics; call it before the connection is made."""
        self._followed |= dict.fromkeys(topics)

    def last_on(self, topic: str) -> bytes | None:
        """Return the last value on a topic that is followed; None when there was none."""
        return self._followed.get(topic)

    async def command(self, topic: str, payload: bytes) -> bool:
        """Publish a message now or never. Return True once the broker has it."""
        return await self.outgoing.deliver(topic, payload, COMMAND_PATIENCE_SECONDS)

    def forget_values(self) -> None:
        """Forget the values of followed topics: without a connection they may change; the broker sends them again."""
        self._followed = dict.fromkeys(self._followed)

    # Output and state of tasks

    def on_said(self, task: Task, reply: Reply) -> None:
        """Publish a frame of a task's output."""
        topic = f"{self.board.base}/{task.work_id}"
        self.outgoing.pass_on(f"{topic}/output", encode_reply(reply, int(self._clock())).rstrip(b"\n"))
        if reply.code:
            self._texts.pop((task.work_id, reply.request_id), None)
        if reply.code or reply.object == TOOL_CALL:
            return
        if task.kind.output is Output.WAKE:
            if reply.data:
                self._on_wake(topic, reply.data)
        elif task.kind.output not in (Output.SPEECH, Output.SOUND, Output.PICTURE):
            self._on_text(task, topic, reply)

    def on_changed(self, work_id: str) -> None:
        """Publish the retained state of a task, and announce one that is new or has ended."""
        entry = self._server.entry_of(work_id)
        topic = f"{self.board.base}/{work_id}/state"
        if entry is None:
            self._entries.pop(work_id, None)
            self._texts = {key: text for key, text in self._texts.items() if key[0] != work_id}
            self.outgoing.retain(topic, b"")
        else:
            self._entries[work_id] = entry
            self.outgoing.retain(topic, orjson.dumps(entry))
        self._place(work_id, is_there=entry is not None)

    def _place(self, work_id: str, *, is_there: bool) -> None:
        """Announce a new or ended task, unless it ends with its client."""
        if is_there and work_id not in self._places and self._server.outlives_its_owner(work_id):
            self._places.take(work_id)
        elif not is_there and work_id in self._places:
            self._places.leave(work_id)
        else:
            return
        self._announce_soon()

    def _on_wake(self, topic: str, data: Any) -> None:
        details = data if isinstance(data, dict) else {}
        self.outgoing.pass_on(f"{topic}/wake", orjson.dumps({"event_type": "wake", **details}))

    def _on_text(self, task: Task, topic: str, reply: Reply) -> None:
        """Collect the deltas of a text; those of speech to text hold the whole text so far."""
        if not isinstance(reply.data, dict):
            self._tell_text(task, topic, str(reply.data), None)
            return
        key = task.work_id, reply.request_id
        text = self._texts.setdefault(key, _Text())
        if task.kind.hears:
            text.parts = [reply.data.get("delta", "")]
        elif delta := reply.data.get("delta"):
            text.add(delta)
        if reply.data.get("finish"):
            del self._texts[key]
            self._tell_text(task, topic, "".join(text.parts), text.tokens_per_second)

    def _tell_text(self, task: Task, topic: str, text: str, tokens_per_second: float | None) -> None:
        self.outgoing.pass_on(f"{topic}/text", text.encode())
        if task.kind.hears:
            self.outgoing.pass_on(f"{topic}/utterance", orjson.dumps({"text": text}))
        else:
            answer = {"text": text, "tokens_per_second": tokens_per_second}
            self.outgoing.pass_on(f"{topic}/answer", orjson.dumps(answer))

    def tell_stats(self, stats: Mapping[str, Any]) -> None:
        """Publish the figures of the board."""
        self.outgoing.pass_on(f"{self.board.base}/stats", orjson.dumps(stats))

    def _announce_soon(self) -> None:
        if self._announcing is None:
            loop = asyncio.get_running_loop()
            self._announcing = loop.call_later(DISCOVERY_DELAY_SECONDS, self.announce)

    def announce(self) -> None:
        """Publish the present discovery payload."""
        if self._announcing is not None:
            self._announcing.cancel()
            self._announcing = None
        if self._is_closed or not self.board.prefix:
            return
        tasks = [(self._places[each], entry) for each, entry in self._entries.items() if each in self._places]
        payload = discovery(self.board, tasks, self._known, self._expected)
        self._known = known_after(payload)
        announced = orjson.dumps(payload)
        self._announced.append(announced)
        self.outgoing.retain(self.board.topic, announced)

    def close(self) -> None:
        """Announce nothing more: the tasks end with the daemon, Home Assistant keeps their entities as unavailable."""
        if self._replacing is not None:
            self._replacing.cancel()
        self.timers.close()
        self._is_closed = True

    # Messages of the broker

    def receive(self, topic: str, incoming: Incoming, *, is_retained: bool) -> None:
        """Handle a message of the broker."""
        base, _, rest = topic.partition(self.board.base + "/")
        work_id, _, command = rest.rpartition("/")
        if topic in self._followed:
            self._followed[topic] = incoming.payload
        elif topic == self.board.topic:
            self._on_old_announcement(incoming.payload)
        elif command == "state":
            self._on_old_state(topic, work_id, incoming.payload)
        elif is_retained:
            log.warning("a retained message on %s is ignored: it was sent before anybody listened", topic)
        elif rest == "request":
            self._requests.receive(incoming)
        elif topic in self.timers.commands:
            self.timers.commands[topic](incoming.payload.decode(errors="replace").strip())
        elif not base and command == "see":
            self._infer(work_id, incoming.payload, "cv.jpeg.base64")
        elif not base and command in self._commands:
            self._commands[command](work_id, incoming.payload.decode(errors="replace").strip())

    def _on_old_announcement(self, payload: bytes) -> None:
        """Keep the components of an earlier run for a while: their tasks may come back; the others are then removed.

        A foreign announcement is replaced at most once in RETURN_SECONDS, so that two boards of one name do not replace
        each other's without end. An empty message means that the device was removed in Home Assistant.
        """
        if not payload or payload in self._announced:
            return
        loop = asyncio.get_running_loop()
        if self._announced and self._replacing is None:
            self._replacing = loop.call_at(max(self._next_replacing_at, loop.time()), self._replace_announcement)
        try:
            old = announced_before(self.board, read_json(payload))
        except (orjson.JSONDecodeError, TooLong):
            old = {}
        new = {each: component for each, component in old.items() if each not in self._known}
        if new and len(self._known) + len(new) <= 2 * MAX_ANNOUNCED:
            self._known |= {each: component["platform"] for each, component in new.items()}
            self._expected |= new
            self._announce_soon()
            loop.call_later(RETURN_SECONDS, self._expect_no_more)

    def _replace_announcement(self) -> None:
        self._replacing = None
        self._next_replacing_at = asyncio.get_running_loop().time() + RETURN_SECONDS
        self.outgoing.say_again(self.board.topic)

    def _expect_no_more(self) -> None:
        self._expected.clear()
        self._announce_soon()

    def _on_old_state(self, topic: str, work_id: str, payload: bytes) -> None:
        """Remove the retained state of a task of an earlier run."""
        if payload and work_id not in self._entries:
            self.outgoing.retain(topic, b"")

    # Commands of Home Assistant's entities

    def _ask(self, work_id: str, text: str) -> None:
        """Send a text to a task; ignore an empty one, which Home Assistant sends for an emptied field."""
        if text:
            self._infer(work_id, text, f"{work_id.partition('.')[0]}.utf-8")

    def _infer(self, work_id: str, data: str | bytes, object_: str) -> None:
        """Send an inference to a task: a text, or a picture for its next question."""
        replies = self._local_client.infer(work_id, data, object_=object_)
        try:
            replies.take_arrived()  # a refusal arrives at once, and is shown nowhere else
        except UnitdError as error:
            log.warning("asking %s by mqtt failed: %s", work_id, error)
        replies.close()  # the frames are published on the task's own topics

    def _set_working(self, work_id: str, value: str) -> None:
        if (action := WORKING.get(value)) is None:
            log.warning("%s: a switch is ON or OFF, not %.40r", work_id, value)
        else:
            self._do(work_id, action)

    def _do(self, work_id: str, action: str) -> None:
        asyncio.get_running_loop().create_task(self._try(work_id, action), name=f"{action} {work_id} by mqtt")

    async def _try(self, work_id: str, action: str) -> None:
        try:
            await self._local_client.ask(work_id, action)
        except UnitdError as error:
            log.warning("%s of %s by mqtt failed: %s", action, work_id, error)
