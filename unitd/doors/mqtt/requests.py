"""Requests that come by topic: each is executed once, and answered where its sender wants it.

A broker delivers a message of QoS 1 again when a connection broke before it was acknowledged. What has correlation data
is recognised by it, and by its payload: the pieces of a streamed input may share their correlation data. Else a message
is a duplicate when the broker marks it so (DUP) and the same payload was executed before. request_ids say nothing:
clients use them again.
"""

import hashlib
import itertools
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from unitd.core.tasks.table import Client
from unitd.doors.base import BaseClient
from unitd.doors.mqtt.publish_queue import Publication, PublishQueue
from unitd.doors.unfinished import Unfinished
from unitd.runtime.tasks.output import TOOL_CALL
from unitd.wire.errors import BadField
from unitd.wire.messages import Reply, Request, encode_reply, error_reply
from unitd.wire.session import Session

log = logging.getLogger("unitd.mqtt")

# Redelivery comes right after a reconnect; what is older than this many requests is none.
REMEMBERED_REQUESTS = 4_096
# Streamed inputs are joined for each place that asks for answers.
REMEMBERED_SENDERS = 256


@dataclass(eq=False)
class _Input:
    """The streamed inputs of those who want their answers in one place."""

    topic: str
    session: Session

    @property
    def holder_name(self) -> str:
        """Who holds what is unfinished."""
        return f"mqtt {self.topic}"

    def give_up_unfinished(self) -> None:
        """Too much is held of all clients, and most of it here: chunks that are still to come are refused."""
        self.session.drop_unfinished()


@dataclass(frozen=True)
class Incoming:
    """A message on the request topic."""

    payload: bytes
    is_duplicate: bool = False
    """The broker says that it may have been delivered before."""

    response_topic: str | None = None
    correlation: bytes | None = None


class Executed:
    """What has been executed, as far back as matters."""

    def __init__(self, limit: int = REMEMBERED_REQUESTS) -> None:
        self._limit = limit
        self._seen: OrderedDict[bytes, None] = OrderedDict()

    def is_repetition(self, incoming: Incoming) -> bool:
        """True for what was executed already; everything else is remembered."""
        if incoming.correlation is not None:
            parts = ((incoming.response_topic or "").encode(), incoming.correlation, incoming.payload)
            key = _digest(b"c", b"".join(hashlib.sha256(part).digest() for part in parts))
            is_repeated = key in self._seen
        else:
            key = _digest(b"p", incoming.payload)
            is_repeated = incoming.is_duplicate and key in self._seen
        self._seen[key] = None
        self._seen.move_to_end(key)
        if len(self._seen) > self._limit:
            self._seen.popitem(last=False)
        return is_repeated


def _digest(kind: bytes, data: bytes) -> bytes:
    """As many bytes for every message: correlation data may have 64 KiB."""
    return kind + hashlib.sha256(data).digest()


class Sender(BaseClient):
    """Whoever sent one request: its answers go where it said. Who may publish here is the broker's matter.

    A task that it sets up outlives the request; what such a task says by itself stands on the task's own topics.
    """

    restores_tasks = True

    def __init__(
        self, name: str, party: str, answer: Callable[[Reply], None], wait_for_room: Callable[[], Awaitable[None]]
    ) -> None:
        """Requests whose answers go to the same topic count as those of one client (`party`)."""
        super().__init__(name, "mqtt", party=party)
        self._answer = answer
        self._wait_for_room = wait_for_room
        self._request: Request | None = None

    def expects(self, request: Request) -> None:
        """The request whose answers count."""
        self._request = request

    def send(self, reply: Reply) -> None:
        """The reply to an action, or every frame of an inference."""
        request = self._request
        if request is not None and reply.request_id != request.request_id:
            return
        self._answer(reply)
        if request is not None and (request.action != "inference" or _is_last(reply)):
            self._answer = _to_nobody

    async def wait_for_room(self) -> None:
        """Return when the broker has taken enough of what waits for it."""
        await self._wait_for_room()


class RequestTopic:
    """Turns messages into requests of the wire."""

    def __init__(
        self,
        base: str,
        outgoing: PublishQueue,
        serve: Callable[[Client, Request], None],
        clock: Callable[[], float],
        frame_bytes: int,
        unfinished: Unfinished,
    ) -> None:
        self._base = base
        self._unfinished = unfinished
        self._outgoing = outgoing
        self._serve = serve
        self._clock = clock
        self._frame_bytes = frame_bytes
        self._executed = Executed()
        self._inputs: OrderedDict[str, _Input] = OrderedDict()
        self._numbers = itertools.count(1)

    def receive(self, incoming: Incoming) -> None:
        """Executes what is new."""
        if self._executed.is_repetition(incoming):
            log.info("a request that was executed before is not executed again: %.80r", incoming.payload)
            return
        topic, refusal = self._answer_topic(incoming)
        for meaning in self._meanings(incoming, topic):
            sender = self._sender(incoming, topic)
            if refusal is not None:
                sender.send(error_reply(refusal, meaning.request_id, meaning.work_id))
            elif isinstance(meaning, Reply):
                sender.send(meaning)
            else:
                sender.expects(meaning)
                self._serve(sender, meaning)

    def _meanings(self, incoming: Incoming, topic: str | None) -> Iterator[Request | Reply]:
        """One message is one object; chunks of a streamed input are joined for each sender."""
        key = topic or ""
        if key not in self._inputs:
            self._inputs[key] = _Input(key, Session(limit_bytes=self._frame_bytes))
        self._inputs.move_to_end(key)
        if len(self._inputs) > REMEMBERED_SENDERS:
            self._unfinished.hold(self._inputs.popitem(last=False)[1], 0)
        sender = self._inputs[key]
        yield from sender.session.receive_message(incoming.payload)
        self._unfinished.hold(sender, sender.session.unfinished_bytes)

    def _answer_topic(self, incoming: Incoming) -> tuple[str | None, BadField | None]:
        topic = incoming.response_topic
        if topic is not None and (not topic.isprintable() or not topic or "+" in topic or "#" in topic):
            return None, BadField(f"the response topic {topic!r} is no topic to publish on")
        return topic, None

    def _sender(self, incoming: Incoming, topic: str | None) -> Sender:
        def answer(reply: Reply) -> None:
            target = topic or f"{self._base}/reply/{_level(reply.request_id)}"
            line = encode_reply(reply, int(self._clock())).rstrip(b"\n")
            self._outgoing.answer(Publication(target, line, is_answer=True, correlation=incoming.correlation))

        return Sender(f"mqtt {next(self._numbers)}", f"mqtt {topic or ''}", answer, self._outgoing.wait_for_room)


def _to_nobody(reply: Reply) -> None:
    """What follows the answer stands on the task's own topics."""


def _is_last(reply: Reply) -> bool:
    """True for the last frame of an inference, whatever its shape; a call is never the last."""
    if reply.object == TOOL_CALL:
        return False
    return reply.code != 0 or not isinstance(reply.data, dict) or bool(reply.data.get("finish", True))


def _level(request_id: str) -> str:
    """A request_id as one level of a topic; brokers hang up on control characters."""
    return "".join("_" if each in "+#/" or not each.isprintable() else each for each in request_id)[:64] or "0"
