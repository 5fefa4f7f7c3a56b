"""Requests by topic: each is executed once, and answered on the topic that its sender names.

A broker delivers a message of QoS 1 again when a connection broke before it was acknowledged. A message with
correlation data is recognised by that and by its payload, because the pieces of a streamed input may share their
correlation data. Any other message is a duplicate when the broker marks it (DUP) and the same payload was executed
before. request_ids do not help: clients use them again.
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

# A broker delivers again right after a reconnect, and only what was on its way (20 messages with Mosquitto).
REMEMBERED_REQUESTS = 1_024
# Streamed inputs are joined separately for each answer topic.
REMEMBERED_SENDERS = 256


@dataclass(eq=False)
class _Input:
    """The streamed inputs of the senders that share an answer topic."""

    topic: str
    session: Session

    @property
    def holder_name(self) -> str:
        """Return the name of the sender whose input is unfinished."""
        return f"mqtt {self.topic}"

    def give_up_unfinished(self) -> None:
        """Drop the unfinished inputs, the largest of all clients; their further chunks are refused."""
        self.session.drop_unfinished()


@dataclass(frozen=True)
class Incoming:
    """A message on the request topic."""

    payload: bytes
    is_duplicate: bool = False
    """True when the broker says that the message may have been delivered before."""

    response_topic: str | None = None
    correlation: bytes | None = None


class Executed:
    """The memory of executed requests, up to a limit."""

    def __init__(self, limit: int = REMEMBERED_REQUESTS) -> None:
        self._limit = limit
        self._seen: OrderedDict[bytes, None] = OrderedDict()

    def is_repetition(self, incoming: Incoming) -> bool:
        """Return True for a message that was executed already; remember it otherwise."""
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
    """Return a key of the same size for every message: correlation data may have 64 KiB."""
    return kind + hashlib.sha256(data).digest()


class Sender(BaseClient):
    """The sender of one request, whose answers go to its topic. The broker decides who may publish requests.

    A task that it sets up outlives the request; further output of the task is published on the task's own topics.
    """

    restores_tasks = True

    def __init__(
        self, name: str, party: str, answer: Callable[[Reply], None], wait_for_room: Callable[[], Awaitable[None]]
    ) -> None:
        """Make a sender; requests whose answers go to the same topic count as those of one client (`party`)."""
        super().__init__(name, "mqtt", party=party)
        self._answer = answer
        self._wait_for_room = wait_for_room
        self._request: Request | None = None

    def expects(self, request: Request) -> None:
        """Pass on only answers to this request."""
        self._request = request

    def send(self, reply: Reply) -> None:
        """Publish the reply to an action, or every frame of an inference."""
        request = self._request
        if request is not None and reply.request_id != request.request_id:
            return
        self._answer(reply)
        if request is not None and (request.action != "inference" or _is_last(reply)):
            self._answer = _to_nobody

    async def wait_for_room(self) -> None:
        """Return when the queue to the broker has room."""
        await self._wait_for_room()


class RequestTopic:
    """Translates messages on the request topic to requests of the wire."""

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
        """Execute a message, unless it was executed before."""
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
        """Yield the request in a message, or its refusal; join chunks of a streamed input for each answer topic."""
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
    """Drop further output: it is published on the task's own topics."""


def _is_last(reply: Reply) -> bool:
    """Return True for the last frame of an inference, of any form; a tool call is never the last."""
    if reply.object == TOOL_CALL:
        return False
    return reply.code != 0 or not isinstance(reply.data, dict) or bool(reply.data.get("finish", True))


def _level(request_id: str) -> str:
    """Return a request_id as one level of a topic, without control characters, at which brokers disconnect."""
    return "".join("_" if each in "+#/" or not each.isprintable() else each for each in request_id)[:64] or "0"
