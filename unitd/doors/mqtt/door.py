"""The connection to the broker: it is renewed when it breaks, with one warning, and ended with a goodbye.

MQTT 5 is tried first, then 3.1.1, where answers go to reply/<request_id> alone. The session outlives a broken
connection, so requests that arrive meanwhile are not lost.
"""

import asyncio
import logging
import random
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import aiomqtt
from paho.mqtt import MQTTException
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from unitd import __version__
from unitd.core.config.schema import MqttSettings
from unitd.core.repeats import backoff_seconds
from unitd.doors.base import Door, DoorContext
from unitd.doors.local_client import LocalClient
from unitd.doors.mqtt.bridge import Bridge
from unitd.doors.mqtt.broker_connection import BrokerConnection
from unitd.doors.mqtt.homeassistant import Board
from unitd.doors.mqtt.publish_queue import Publication
from unitd.doors.mqtt.requests import Incoming
from unitd.wire.errors import ConfigError, UnitdError, reason_of

log = logging.getLogger("unitd.mqtt")

STATS_SECONDS = 30.0
FIRST_BACKOFF_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 30.0
GOODBYE_SECONDS = 1.0
# Requests that were sent while the board reboots or has no Wi-Fi are answered within this time.
SESSION_SECONDS = 3600
# CONNACK codes for "unsupported protocol version": of MQTT 3.1.1 and of MQTT 5.
WRONG_VERSION_CODES = (1, 132)
# The code of paho for a message that it cannot read.
PROTOCOL_ERROR = 130
# Two boards of one name end each other's connections without end, and Mosquitto does not tell the reason. So many short
# connections in a row are not caused by a broker that restarts.
SHORT_SECONDS = 5.0
MANY_SHORT = 12


class MqttDoor(Door):
    """The door to the broker."""

    name = "mqtt"

    def __init__(
        self,
        settings: MqttSettings,
        bridge: Bridge,
        stats: Callable[[], Awaitable[dict[str, Any]]],
    ) -> None:
        """Raise ConfigError when a password or certificate file cannot be read."""
        self._settings = settings
        self._base = bridge.board.base
        self.broker = self._bridge = bridge
        self._outgoing = bridge.outgoing
        self._stats = stats
        self._password = _read(settings.password_file) if settings.password_file else None
        self._tls = tls_of(settings)
        self._version = aiomqtt.ProtocolVersion.V5
        self._failures = 0
        self._short = 0
        """Number of connections in a row that ended soon."""

        self._connected_at = 0.0
        self._is_session_bad = False
        self._is_connected = False

    @property
    def connections(self) -> Mapping[str, int]:
        """Return 1 while the broker is there, else 0."""
        return {self.name: int(self._is_connected)}

    def stop_accepting(self) -> None:
        """Announce nothing any more: the tasks end with the daemon, Home Assistant keeps their entities."""
        self._bridge.close()

    async def run(self) -> None:
        """Connect and stay connected, until cancelled."""
        self._bridge.timers.begin()
        while True:
            client = self._connection()
            try:
                # A task of its own: a group that failed leaves its task marked as cancelled before Python 3.13.
                await asyncio.create_task(self._stay_connected(client), name="mqtt connection")
            except* aiomqtt.MqttError as errors:
                self._note_failure(client.end or errors.exceptions[0])
            _heed_cancel()
            await asyncio.sleep(_backoff(self._failures))

    def _note_failure(self, error: BaseException) -> None:
        """Log the first failure as a warning, later ones at DEBUG; change what the next try needs."""
        was_connected, self._is_connected = self._is_connected, False
        self._bridge.forget_values()
        if self._has_other_version(error):
            return
        self._failures += 1
        if was_connected:
            self._short = self._short + 1 if time.monotonic() - self._connected_at < SHORT_SECONDS else 0
            self._failures = max(1, self._short - MANY_SHORT)
        is_news = self._failures == 1 and self._short in (0, 1, MANY_SHORT)
        level, settings = logging.WARNING if is_news else logging.DEBUG, self._settings
        log.log(level, "the broker at %s:%s is away: %s", settings.host, settings.port, self._reason_of(error))

    def _reason_of(self, error: BaseException) -> str:
        """Return the reason in words."""
        if isinstance(error, MQTTException) or _code_of(error) == PROTOCOL_ERROR:
            # The broker would deliver it first again on each connection.
            self._is_session_bad = True
            return f"it sent what nobody can read ({error}); what it has kept for this board is given up"
        if self._short == MANY_SHORT:
            return f"it hangs up each time ({error}); is there a second board called {self._settings.node}?"
        return str(error)

    async def _stay_connected(self, client: BrokerConnection) -> None:
        async with client:
            log.info("connected to the broker at %s:%s", self._settings.host, self._settings.port)
            self._is_connected, self._failures, self._is_session_bad = True, 0, False
            self._connected_at = time.monotonic()
            for topic in self._bridge.subscriptions:
                _heed_cancel()
                _complain_of(topic, await client.subscribe(topic, qos=1))
            self._outgoing.retain(f"{self._base}/status", b"online")
            self._bridge.announce()
            self._outgoing.say_all_again()
            try:
                _heed_cancel()
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._receive(client), name="mqtt in")
                    group.create_task(self._publish(client), name="mqtt out")
                    group.create_task(self._tell_stats(), name="mqtt stats")
            except asyncio.CancelledError:
                await self._say_goodbye(client)
                raise

    def _connection(self) -> BrokerConnection:
        settings, is_v5 = self._settings, self._version == aiomqtt.ProtocolVersion.V5
        more: dict[str, Any] = {"clean_start" if is_v5 else "clean_session": self._is_session_bad}
        if is_v5:
            more["properties"] = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho's has no types
            more["properties"].SessionExpiryInterval = SESSION_SECONDS
        return BrokerConnection(
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

    async def _receive(self, client: BrokerConnection) -> None:
        async for message in client.messages:
            properties = message.properties
            incoming = Incoming(
                payload=bytes(message.payload) if isinstance(message.payload, bytes | bytearray) else b"",
                is_duplicate=bool(getattr(message, "is_duplicate", False)),
                response_topic=getattr(properties, "ResponseTopic", None),
                correlation=getattr(properties, "CorrelationData", None),
            )
            self._bridge.receive(str(message.topic), incoming, is_retained=bool(message.retain))

    async def _publish(self, client: BrokerConnection) -> None:
        while True:
            await self._send(client, await self._outgoing.next())
            _heed_cancel()

    async def _send(self, client: BrokerConnection, publication: Publication) -> None:
        client.refusal = ""
        try:
            await client.publish(
                publication.topic,
                publication.payload,
                qos=publication.qos,
                retain=publication.is_retained,
                properties=self._properties_of(publication),
            )
        except aiomqtt.MqttError:
            self._outgoing.broke_on(publication)
            raise
        if client.refusal:
            self._outgoing.refused(publication, client.refusal)
        else:
            self._outgoing.taken(publication)

    def _properties_of(self, publication: Publication) -> Properties | None:
        if publication.correlation is None or self._version != aiomqtt.ProtocolVersion.V5:
            return None
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho's has no types
        properties.CorrelationData = publication.correlation
        return properties

    async def _tell_stats(self) -> None:
        while True:
            try:
                self._bridge.tell_stats(await self._stats())
            except UnitdError as error:  # no descriptor is free to measure with
                log.warning("the board's figures are not said: %s", error)
            await asyncio.sleep(STATS_SECONDS)

    async def _say_goodbye(self, client: BrokerConnection) -> None:
        """Publish `offline`, then all that waits; the last will is only for a lost connection."""
        gone = Publication(f"{self._base}/status", b"offline", is_retained=True)
        self._outgoing.retain(gone.topic, gone.payload)
        with suppress(aiomqtt.MqttError, TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await self._send(client, gone)
                while (publication := self._outgoing.first) is not None:
                    await self._send(client, publication)

    def _has_other_version(self, error: BaseException) -> bool:
        """Return True once when MQTT 5 was refused, so that 3.1.1 is tried at once."""
        if self._version == aiomqtt.ProtocolVersion.V5 and _code_of(error) in WRONG_VERSION_CODES:
            log.info("the broker does not speak MQTT 5, going on with 3.1.1")
            self._version = aiomqtt.ProtocolVersion.V311
            return True
        return False


def make_door(context: DoorContext) -> MqttDoor:
    """Return the door to the broker; its bridge follows all tasks from now on.

    Raises:
        ConfigError: a password or certificate file cannot be read.
    """
    settings = context.settings.mqtt
    assert settings is not None
    board = Board(settings.node, f"unitd/{settings.node}", settings.discovery_prefix, __version__)
    bridge = Bridge(context.server, board, context.clock, context.settings.limits.frame_bytes, context.unfinished)
    context.observers.follow(bridge)
    return MqttDoor(
        settings, bridge, partial(_stats, LocalClient(context.server, "the board itself", "inside"), time.monotonic())
    )


async def _stats(local_client: LocalClient, began: float) -> dict[str, Any]:
    """Return the figures of the board."""
    measured = (await local_client.ask("sys", "hwinfo")).data
    return {
        "cpu_percent": measured["cpu_loadavg"],
        "memory_percent": measured["mem"],
        "temperature": measured["temperature"] / 1000 or None,  # 0: there is no sensor
        "uptime_s": round(time.monotonic() - began),
        "version": __version__,
    }


def _code_of(error: BaseException) -> int | None:
    """Return the protocol's code of an error; None without one."""
    code = getattr(error, "rc", None)
    value = getattr(code, "value", code)
    return value if isinstance(value, int) else None


def _complain_of(topic: str, granted: Iterable[Any]) -> None:
    """Log the topics that the broker does not let this board read."""
    for code in granted:
        if getattr(code, "is_failure", False):
            log.warning("the broker does not let this board read %s: %s", topic, code)


def _heed_cancel() -> None:
    """Raise CancelledError again in a task whose cancellation was lost.

    Before Python 3.12 `wait_for`, which aiomqtt uses, loses it when the answer comes at the same moment; before 3.13 a
    group loses it when one of its tasks fails at the same moment.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _backoff(failures: int) -> float:
    """Return the seconds before the next try: growing, and randomly different on each board."""
    return backoff_seconds(failures, FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS) * random.uniform(0.5, 1.0)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise ConfigError(f"mqtt: cannot read {path}: {error.strerror}") from error


def tls_of(settings: MqttSettings) -> ssl.SSLContext | None:
    """Return a context that checks the broker's certificate, with the board's own if configured; None without TLS.

    Raises:
        ConfigError: a certificate cannot be used.
    """
    if not settings.tls:
        return None
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
        if settings.cert_file is not None:
            context.load_cert_chain(settings.cert_file, settings.key_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"mqtt: the certificates cannot be used: {reason_of(error)}") from error
    return context
