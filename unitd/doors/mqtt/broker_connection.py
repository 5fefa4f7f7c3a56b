"""aiomqtt's client with two more facts: whether a message was delivered before, and what the broker refused.

This is the only module that uses private names of aiomqtt 2.
"""

import asyncio
import logging
from typing import Any

import aiomqtt
from paho.mqtt.client import MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

log = logging.getLogger("unitd.mqtt")


class _Message(aiomqtt.Message):
    """A message with the DUP flag, which aiomqtt leaves out."""

    is_duplicate = False

    @classmethod
    def _from_paho_message(cls, message: MQTTMessage) -> "_Message":
        made = super()._from_paho_message(message)
        made.is_duplicate = bool(message.dup)
        return made


class BrokerConnection(aiomqtt.Client):
    """A connection to the broker."""

    refusal = ""
    """The reason why the broker refused the last message; "" when it was accepted."""

    @property
    def end(self) -> BaseException | None:
        """Return the first error that ended the connection; None before the end."""
        return self._disconnected.exception() if self._disconnected.done() else None

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Any) -> None:
        self.refusal = str(reason_code) if reason_code.is_failure else ""
        super()._on_publish(client, userdata, mid, reason_code, properties)

    def _on_message(self, client: Any, userdata: Any, message: MQTTMessage) -> None:
        try:
            self._queue.put_nowait(_Message._from_paho_message(message))
        except asyncio.QueueFull:
            log.warning("a message on %s is dropped: too many wait", message.topic)
