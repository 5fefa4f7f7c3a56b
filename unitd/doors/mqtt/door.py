"""The connection to the broker: kept up, complained about once, said goodbye to.

MQTT 5 first; a broker that does not know it is asked again with 3.1.1, where answers go to reply/<request_id> alone.
The session outlives a broken connection, so that requests that arrive meanwhile are not lost.
"""

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiomqtt
from paho.mqtt.client import MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from unitd.core.config import MqttSettings
from unitd.doors.mqtt.bridge import Bridge
from unitd.doors.mqtt.outgoing import Publication
from unitd.doors.mqtt.requests import Incoming
from unitd.wire.errors import ConfigError

log = logging.getLogger("unitd.mqtt")

STATS_SECONDS = 30.0
FIRST_BACKOFF_SECONDS = 0.25
MAX_BACKOFF_SECONDS = 30.0
GOODBYE_SECONDS = 1.0
# Requests sent while the board reboots or its Wi-Fi is away are still worth answering for so long.
SESSION_SECONDS = 3600
# CONNACK codes for "unsupported protocol version": of MQTT 3.1.1 and of MQTT 5.
WRONG_VERSION_CODES = (1, 132)


class _Message(aiomqtt.Message):
    """With the one flag that aiomqtt leaves out."""

    is_duplicate = False

    @classmethod
    def _from_paho_message(cls, message: MQTTMessage) -> "_Message":
        made = super()._from_paho_message(message)
        made.is_duplicate = bool(message.dup)
        return made


class _Connection(aiomqtt.Client):
    """aiomqtt's client; its messages say whether the broker delivers them again."""

    def _on_message(self, client: Any, userdata: Any, message: MQTTMessage) -> None:
        try:
            self._queue.put_nowait(_Message._from_paho_message(message))
        except asyncio.QueueFull:
            log.warning("a message on %s is dropped: too many wait", message.topic)


class MqttDoor:
    """Lives as long as the daemon."""

    def __init__(
        self,
        settings: MqttSettings,
        bridge: Bridge,
        stats: Callable[[], Awaitable[dict[str, Any]]],
    ) -> None:
        """Raises ConfigError when a password or certificate file cannot be read."""
        self._settings = settings
        self._base = bridge.board.base
        self._bridge = bridge
        self._outgoing = bridge.outgoing
        self._stats = stats
        self._password = _read(settings.password_file) if settings.password_file else None
        self._tls = tls_of(settings)
        self._version = aiomqtt.ProtocolVersion.V5
        self._failures = 0
        self.is_connected = False

    async def run(self) -> None:
        """Connects and stays connected until cancelled."""
        while True:
            try:
                await self._stay_connected()
            except* aiomqtt.MqttError as errors:
                self._note_failure(errors.exceptions[0])
            await asyncio.sleep(_backoff(self._failures))

    def _note_failure(self, error: BaseException) -> None:
        """Complains once; what a new try may change is tried at once."""
        self.is_connected = False
        self._bridge.forget_values()
        if self._has_other_version(error):
            return
        self._failures += 1
        level = logging.WARNING if self._failures == 1 else logging.DEBUG
        log.log(level, "the broker at %s:%s is away: %s", self._settings.host, self._settings.port, error)

    async def _stay_connected(self) -> None:
        async with self._connection() as client:
            log.info("connected to the broker at %s:%s", self._settings.host, self._settings.port)
            self.is_connected, self._failures = True, 0
            for topic in self._bridge.subscriptions:
                await client.subscribe(topic, qos=1)
            self._outgoing.retain(f"{self._base}/status", b"online")
            self._bridge.announce()
            self._outgoing.say_all_again()
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._receive(client), name="mqtt in")
                    group.create_task(self._publish(client), name="mqtt out")
                    group.create_task(self._tell_stats(), name="mqtt stats")
            except asyncio.CancelledError:
                await self._say_goodbye(client)
                raise

    def _connection(self) -> _Connection:
        settings, is_v5 = self._settings, self._version == aiomqtt.ProtocolVersion.V5
        more: dict[str, Any] = {"clean_start": False} if is_v5 else {"clean_session": False}
        if is_v5:
            more["properties"] = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's has no types
            more["properties"].SessionExpiryInterval = SESSION_SECONDS
        return _Connection(
            settings.host,
            settings.port,
            username=settings.username,
            password=self._password,
            identifier=f"unitd-{settings.node}",
            protocol=self._version,
            will=aiomqtt.Will(f"{self._base}/status", b"offline", qos=1, retain=True),
            tls_context=self._tls,
            **more,
        )

    async def _receive(self, client: _Connection) -> None:
        async for message in client.messages:
            properties = message.properties
            incoming = Incoming(
                payload=bytes(message.payload) if isinstance(message.payload, bytes | bytearray) else b"",
                is_duplicate=bool(getattr(message, "is_duplicate", False)),
                response_topic=getattr(properties, "ResponseTopic", None),
                correlation=getattr(properties, "CorrelationData", None),
            )
            self._bridge.receive(str(message.topic), incoming, is_retained=bool(message.retain))

    async def _publish(self, client: _Connection) -> None:
        while True:
            await self._send(client, await self._outgoing.next())
            _heed_cancel()

    async def _send(self, client: _Connection, publication: Publication) -> None:
        await client.publish(
            publication.topic,
            publication.payload,
            qos=publication.qos,
            retain=publication.is_retained,
            properties=self._properties_of(publication),
        )
        self._outgoing.taken(publication)

    def _properties_of(self, publication: Publication) -> Properties | None:
        if publication.correlation is None or self._version != aiomqtt.ProtocolVersion.V5:
            return None
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho's has no types
        properties.CorrelationData = publication.correlation
        return properties

    async def _tell_stats(self) -> None:
        while True:
            self._bridge.tell_stats(await self._stats())
            await asyncio.sleep(STATS_SECONDS)

    async def _say_goodbye(self, client: _Connection) -> None:
        """What waits still goes out; the last will is for accidents."""
        self._outgoing.retain(f"{self._base}/status", b"offline")
        with suppress(aiomqtt.MqttError, TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                while (publication := self._outgoing.first) is not None:
                    await self._send(client, publication)

    def _has_other_version(self, error: BaseException) -> bool:
        """True once: MQTT 5 was refused, 3.1.1 is tried at once."""
        code = getattr(error, "rc", None)
        value = getattr(code, "value", code)
        if self._version == aiomqtt.ProtocolVersion.V5 and value in WRONG_VERSION_CODES:
            log.info("the broker does not speak MQTT 5, going on with 3.1.1")
            self._version = aiomqtt.ProtocolVersion.V311
            return True
        return False


def _heed_cancel() -> None:
    """Ends a task of the group that was cancelled in a call of aiomqtt: before Python 3.12 `wait_for`, which it uses,
    loses a cancel that comes in the same moment as the answer, and a group cancels its tasks only once.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _backoff(failures: int) -> float:
    """Seconds before the next try: growing, and not the same on a hundred boards."""
    longest = min(FIRST_BACKOFF_SECONDS * 2.0 ** min(failures, 10), MAX_BACKOFF_SECONDS)
    return longest * random.uniform(0.5, 1.0) if failures else 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise ConfigError(f"mqtt: cannot read {path}: {error.strerror}") from error


def tls_of(settings: MqttSettings) -> ssl.SSLContext | None:
    """A context that checks the broker's certificate, with our own if one is configured."""
    if not settings.tls:
        return None
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
        if settings.cert_file is not None:
            context.load_cert_chain(settings.cert_file, settings.key_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"mqtt: the certificates cannot be used: {error}") from error
    return context
