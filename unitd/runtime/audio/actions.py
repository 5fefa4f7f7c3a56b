"""What clients ask of `audio` itself: playing, capturing, volumes.

The original answers only setup and play (docs/original-firmware.md, section 2); here every request is answered. A
token does not see what other tokens play, an administrator does. The volumes are those of the board.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unitd.core.access.grants import Grant, Role, opaque, sees
from unitd.core.tasks.table import Client
from unitd.runtime.audio.hub import UNIT, AudioHub
from unitd.runtime.dispatcher import Answer, Call, Handler
from unitd.wire.errors import NotAllowed, RunFailed
from unitd.wire.messages import Reply

VOLUME_KEYS = {"capture": "capture_volume", "playback": "playback_volume"}
CAPTURE_FRAME_BYTES = 3200
"""A tenth of a second: what a client that captures gets at a time."""


@dataclass(eq=False)
class _Capture:
    """A client that gets what the microphone hears."""

    request_id: str
    pcm: bytearray = field(default_factory=bytearray)
    index: int = 0


class AudioActions:
    """The handlers of `audio`, a unit without tasks."""

    def __init__(self, audio: AudioHub) -> None:
        self._audio = audio
        self._captures: dict[Client, _Capture] = {}
        self._played = 0
        self._players: set[str] = {""}
        """The grants that have played something, by name."""

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by action."""
        return {
            "setup": self._set_up,
            "play": lambda call: self._play(call, at_once=True),
            "play_raw": lambda call: self._play(call, at_once=True),
            "queue_play": lambda call: self._play(call, at_once=False),
            "play_stop": self._stop_playing,
            "queue_play_stop": self._stop_playing,
            "audio_status": self._tell_status,
            "cap": self._capture,
            "cap_stop": self._stop_capture,
            "cap_stop_all": self._stop_all_captures,
        }

    def forget_client(self, client: Client) -> None:
        """End the capture of a client that is gone."""
        if self._captures.pop(client, None) is not None:
            self._tap()

    def reset(self) -> None:
        """End all captures (sys.reset)."""
        for client in list(self._captures):
            self._end_capture(client)

    def _set_up(self, call: Call) -> Answer:
        """Set volumes; what else the original's clients send (cards, capVolume) changes nothing there or here."""
        data = call.request.data if isinstance(call.request.data, dict) else {}
        volumes = {which: data[key] for which, key in VOLUME_KEYS.items() if key in data}
        if volumes and call.client.grant.role is not Role.ADMIN:
            raise NotAllowed("the board's volumes are for administrators")
        return self._change_volumes(call, volumes) if volumes else call.ok()

    async def _change_volumes(self, call: Call, volumes: Mapping[str, Any]) -> Reply:
        await self._audio.change_volumes(**volumes)
        return call.ok()

    def _play(self, call: Call, *, at_once: bool) -> Answer:
        audio = call.request.data
        if not isinstance(audio, bytes) or not audio:
            raise RunFailed('audio travels as base64 ("object": "audio.wav.base64") or behind a RAW header')
        form = "wav" if "wav" in call.request.object else "pcm"
        self._played += 1
        grant = call.client.grant
        self._players.add(grant.name)
        fields = {"owner": _owner(grant.name), "number": self._played, "form": form, "rate": 16000, "at_once": at_once}
        return self._done(call, "play", audio, holder=opaque(grant.name), instead_of=_scope(grant), **fields)

    def _stop_playing(self, call: Call) -> Answer:
        """Stop what was played with the same token; an administrator stops everything."""
        for name in self._players:
            if sees(call.client.grant, name):
                self._audio.stop(_owner(name))
        return call.ok()

    async def _tell_status(self, call: Call) -> Reply:
        status = await self._audio.ask("status", holder=_scope(call.client.grant))
        return call.ok(object="audio.status", data=status)

    async def _done(self, call: Call, message: str, payload: bytes = b"", **fields: Any) -> Reply:
        await self._audio.ask(message, payload, **fields)
        return call.ok()

    def _capture(self, call: Call) -> Answer:
        """Send the client what the microphone hears, in tenths of a second, until cap_stop."""
        self._captures[call.client] = _Capture(call.request.request_id)
        self._tap()
        return call.ok()

    def _stop_capture(self, call: Call) -> Answer:
        self._end_capture(call.client)
        return call.ok()

    def _stop_all_captures(self, call: Call) -> Answer:
        """End the captures of clients with the same token; an administrator ends all."""
        grant = call.client.grant
        for client in list(self._captures):
            if sees(grant, client.grant.name):
                self._end_capture(client)
        return call.ok()

    def _end_capture(self, client: Client) -> None:
        capture = self._captures.pop(client, None)
        if capture is not None:
            self._say_captured(client, capture, is_last=True)
            self._tap()

    def _tap(self) -> None:
        """Open the microphone while a client captures."""
        self._audio.tap(self._pass_on if self._captures else None)

    def _pass_on(self, pcm: bytes) -> None:
        for client, capture in self._captures.items():
            capture.pcm += pcm
            if len(capture.pcm) >= CAPTURE_FRAME_BYTES:
                self._say_captured(client, capture, is_last=False)

    @staticmethod
    def _say_captured(client: Client, capture: _Capture, *, is_last: bool) -> None:
        data = {"delta": base64.b64encode(capture.pcm).decode(), "finish": is_last, "index": capture.index}
        capture.pcm.clear()
        capture.index += 1
        client.send(Reply(capture.request_id, UNIT, "audio.pcm.base64.stream", data, is_droppable=not is_last))


def _owner(name: str) -> str:
    """Return the owner of what is played without a task; no work_id looks like it."""
    return f"{UNIT} {name}".rstrip()


def _scope(grant: Grant) -> str | None:
    """Return whose sound a client may see; None for that of everybody."""
    return None if grant.role is Role.ADMIN else opaque(grant.name)
