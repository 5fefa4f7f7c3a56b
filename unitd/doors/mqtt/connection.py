"""aiomqtt's client with what it does not tell: whether a message was delivered before, and what the broker refused.

All private names of aiomqtt 2 that the daemon relies on stand here.
"""

import asyncio
import logging
from typing import Any

import aiomqtt
from paho.mqtt.client import MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

log = logging.getLogger("unitd.mqtt")


class _Message(aiomqtt.Message):
    """With the one flag that aiomqtt leaves out."""

    is_duplicate = False

    @classmethod
    def _from_paho_message(cls, message: MQTTMessage) -> "_Message":
        made = super()._from_paho_message(message)
        made.is_duplicate = bool(message.dup)
        return made


class Connection(aiomqtt.Client):
    """aiomqtt's client; its messages say whether the broker delivers them again, and it what the broker refused."""

    refusal = ""
    """Why the last message was not taken; empty when it was."""

    @property
    def end(self) -> BaseException | None:
        """Why it ended, whatever else failed because of that."""
        return self._disconnected.exception() if self._disconnected.done() else None

    def _on_publish(self, client: Any, userdata: Any, mid: int, reason_code: ReasonCode, properties: Any) -> None:
        self.refusal = str(reason_code) if reason_code.is_failure else ""
        super()._on_publish(client, userdata, mid, reason_code, properties)

    def _on_message(self, client: Any, userdata: Any, message: MQTTMessage) -> None:
        try:
            self._queue.put_nowait(_Message._from_paho_message(message))
        except asyncio.QueueFull:
            log.warning("a message on %s is dropped: too many wait", message.topic)
