"""The board's microphone and loudspeaker: one audio program, and the tasks and clients that hear and speak.

Periods of the microphone go to every task that listens to it, once to each child, and to clients that capture. A child
that does not keep up loses whole periods (counted, logged), the others nothing; a file that is read fast waits for the
slowest instead. While the loudspeaker plays, wake-word tasks hear nothing (`[audio] echo = "mute"`), so that the device
does not wake itself.

The program is started when a task or client first listens or speaks. Without a microphone it says so, goes on looking
for one, and sends periods when there is one.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from unitd.core.access.grants import opaque
from unitd.core.config.schema import AudioSettings
from unitd.core.models.catalog import Card
from unitd.core.repeats import is_doubling
from unitd.core.tasks.deaths import Part
from unitd.core.tasks.kinds import Output
from unitd.core.tasks.table import Task
from unitd.runtime.audio.latency import TurnLatency
from unitd.runtime.children.child import Child, ChildListener
from unitd.runtime.children.supervisor import Supervisor
from unitd.runtime.futures import fail
from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, RunFailed

log = logging.getLogger("unitd.sound")

UNIT = "audio"
LOUDSPEAKER_PATIENCE_SECONDS = 2.0
"""A device that has not been opened by then counts as one that is there."""

RING = "ring"
"""The owner of the ring of timers in the audio program."""
# Two seconds of sound that a child has not read: it will not catch up by itself.
MAX_BACKLOG_BYTES = 64 * 1024
# What may wait for the program to start: a minute of speech.
MAX_WAITING_BYTES = 60 * 32000


class Ear(Protocol):
    """A task that may listen to the microphone."""

    task: Task
    child: Child

    @property
    def hears_microphone(self) -> bool:
        """True while periods are wanted."""


Tap = Callable[[bytes], None]
"""Takes a period of the microphone."""

WhenPlayed = Callable[[bool, str], None]
"""Takes whether everything was heard to its end, and why not where a device is the reason."""


@dataclass(eq=False)
class _Playback:
    """What one inference has given to the loudspeaker."""

    on_done: WhenPlayed | None = None
    """Called once, when nothing more follows."""

    pieces: int = 0
    was_cut: bool = False
    reason: str = ""
    """Why it could not be heard at all."""


class AudioHub(ChildListener):
    """Listens to the audio program; what clients ask of the program comes by `AudioActions`."""

    def __init__(self, supervisor: Supervisor, settings: AudioSettings, latency: TurnLatency) -> None:
        self._supervisor = supervisor
        self._settings = settings
        self._ears: dict[str, Ear] = {}
        """Tasks that listened to the microphone when they were last looked at, by work_id."""

        self._latency = latency
        self._child: Child | None = None
        self._is_listening = False
        self._tap: Tap | None = None
        self._playbacks: dict[tuple[str, int], _Playback] = {}
        self._waiting: list[tuple[bytes, dict[str, Any]]] = []
        self._waiting_bytes = 0
        self._shed = 0
        self._started: asyncio.Future[None] | None = None
        self._volumes: dict[str, float] = {}
        """What was set of `capture` and `playback`, for the next program."""

        self._is_silent = not settings.playback
        self._loudspeaker_tried = asyncio.Event()

    # For tasks and `AudioActions`

    def attend(self, ear: Ear) -> None:
        """Note whether a task listens to the microphone now, and open or close it."""
        if ear.hears_microphone:
            self._ears[ear.task.work_id] = ear
        else:
            self._ears.pop(ear.task.work_id, None)
        self._open_or_close()

    def _open_or_close(self) -> None:
        is_wanted = self._tap is not None or any(ear.hears_microphone for ear in self._ears.values())
        is_wanted = is_wanted and bool(self._settings.capture)
        if is_wanted == self._is_listening:
            return
        self._is_listening = is_wanted
        child = self._running() if is_wanted else self._child
        if child is not None and child.is_ready:
            child.send("listen", is_on=is_wanted)

    def play(self, owner: str, number: int, pcm: bytes, holder: str) -> None:
        """Play a piece of speech after what this holder plays already."""
        playback = self._playbacks.setdefault((owner, number), _Playback())
        playback.pieces += 1
        fields = {"owner": owner, "number": number, "form": "pcm", "rate": 16000, "at_once": False}
        self._send_play(pcm, fields | {"holder": opaque(holder)})

    def has_to_play(self, owner: str) -> bool:
        """Return True until all that this owner gave has been heard."""
        return any(playback.pieces > 0 for (each, _), playback in self._playbacks.items() if each == owner)

    def when_played(self, owner: str, number: int, then: WhenPlayed) -> None:
        """Call back when all that this inference gave has been heard; at once if it gave nothing."""
        self._playbacks.setdefault((owner, number), _Playback()).on_done = then
        self._end_if_done(owner, number)

    def chime(self, kind: str) -> None:
        """Signal a wake ("wake") or that nothing was heard after it ("unheard"), where there is a loudspeaker."""
        if self._settings.playback and (child := self._running()).is_ready:
            child.send("chime", kind=kind)

    @property
    def wants_loudspeaker(self) -> bool:
        """True where one is configured, also while it is missing."""
        return bool(self._settings.playback)

    def prepare_ring(self) -> None:
        """Have the audio program start, if it does not run: a ring is to be heard at once."""
        self._running()

    async def ring(self, level: int) -> None:
        """Ring once over what else sounds, the louder the higher the level.

        Raises:
            UnitdError: the program does not start, or there is no loudspeaker.
        """
        await self.ask("ring", level=level)

    def stop_ring(self) -> None:
        """End the ring that sounds, within one audio period."""
        self.stop(RING)

    def stop(self, owner: str) -> None:
        """Stop what this owner gave, within one audio period."""
        waiting, self._waiting = self._waiting, []
        for pcm, fields in waiting:
            if fields["owner"] == owner:
                self._waiting_bytes -= len(pcm)
                self._on_played(owner, fields["number"], time.monotonic(), is_cut=True)
            else:
                self._waiting.append((pcm, fields))
        if self._child is not None and self._child.is_ready:
            self._child.send("stop", owner=owner)

    def hold(self, owner: str, *, is_held: bool) -> None:
        """Hold what this owner gave where it is, or let it go on from there."""
        if self._child is not None and self._child.is_ready:
            self._child.send("hold", owner=owner, is_held=is_held)

    def tap(self, tap: Tap | None) -> None:
        """Pass every period of the microphone on to `tap` too; with None to no tap."""
        self._tap = tap
        self._open_or_close()

    async def ask(self, message: str, payload: bytes = b"", **fields: Any) -> dict[str, Any]:
        """Return the program's answer, after its start.

        Raises:
            RunFailed: the program does not start, or dies over the request.
            UnitdError: the program refuses a value.
        """
        child = self._running()
        assert self._started is not None
        await asyncio.shield(self._started)
        return await child.ask(message, payload, **fields)

    async def has_loudspeaker(self) -> bool:
        """Return False without one in the configuration, and while it is missing; the first time it is tried.

        Raises:
            RunFailed: the program does not start.
        """
        if self.wants_loudspeaker and not self._loudspeaker_tried.is_set():
            await self.ask("status")
            with suppress(TimeoutError):
                async with asyncio.timeout(LOUDSPEAKER_PATIENCE_SECONDS):
                    await self._loudspeaker_tried.wait()
        return not self._is_silent

    @property
    def playback_volume(self) -> float:
        """The volume of the loudspeaker, 0 to 1."""
        return self._volumes.get("playback", 1.0)

    def begin_with(self, **volumes: float) -> None:
        """Give the program these volumes as soon as it is started."""
        self._volumes |= volumes

    async def change_volumes(self, **volumes: float) -> None:
        """Set volumes, and keep them for programs to come; raise what `ask` raises."""
        await self.ask("volume", b"", **volumes)
        self._volumes |= volumes

    def reset(self) -> None:
        """End the program (sys.reset); the next task or client that needs it starts it anew."""
        if self._child is not None:
            self._child.detach(UNIT)
            self._supervisor.release(self._child)
        self._child, self._is_listening, self._started = None, False, None
        self._playbacks.clear()
        self._waiting.clear()

    # What the program says

    def on_output(self, envelope: Envelope) -> None:
        """Take a period of the microphone, the beginning or end of a piece that plays, or news of a device."""
        fields = envelope.fields
        if envelope.type == "pcm":
            waiting = self._on_period(envelope)
            if fields.get("can_wait"):
                self._let_go_on(waiting)
        elif envelope.type == "playing":
            self._latency.note_sound((str(fields["owner"]), int(fields["number"])), float(fields["at"]))
        elif envelope.type == "played":
            owner, number, is_cut = str(fields["owner"]), int(fields["number"]), bool(fields.get("is_cut"))
            reason = str(fields.get("reason", ""))
            self._on_played(owner, number, float(fields["at"]), is_cut=is_cut, reason=reason)
        elif envelope.type == "device":
            self._on_device(str(fields["which"]), str(fields["state"]), str(fields.get("reason", "")))

    def _on_device(self, which: str, state: str, reason: str) -> None:
        """Log the news; a device that is not configured is not missed."""
        if which == "playback":
            self._is_silent = state in ("missing", "lost") or not self._settings.playback
            self._loudspeaker_tried.set()
        is_wanted = bool({"capture": self._settings.capture, "playback": self._settings.playback}.get(which))
        level = logging.INFO if state == "open" else logging.WARNING
        log.log(level if is_wanted else logging.DEBUG, "= audio %s", f"{which}: {state}, {reason}".rstrip(", "))

    def on_child_ready(self) -> None:
        """Tell the program what waited for it."""
        assert self._child is not None
        if self._started is not None and not self._started.done():
            self._started.set_result(None)
        if self._volumes:
            self._child.send("volume", b"", **self._volumes)
        if self._is_listening:
            self._child.send("listen", is_on=True)
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        for pcm, fields in waiting:
            self._child.send("play", pcm, **fields)

    def on_child_lost(self, reason: str, part: Part = Part.NONE) -> None:
        """Give up what was to be played, and report that to those who wait for its end."""
        log.warning("the audio program died (%s): what it played is lost", reason)
        for owner, number in list(self._playbacks):
            playback = self._playbacks[owner, number]
            playback.pieces, playback.was_cut = 0, True
            self._latency.note_silence(owner, time.monotonic())
            self._end_if_done(owner, number)

    def on_child_failed(self, error: LoadFailed) -> None:
        """Give up until sound is asked for again."""
        if self._started is not None and not self._started.done():
            fail(self._started, RunFailed(error.reason))
        self._started = None
        self.on_child_lost(error.reason)

    def _running(self) -> Child:
        """Return the program, started if it was not there."""
        if self._child is None:
            options = {"capture": self._settings.capture, "playback": self._settings.playback}
            card = Card(UNIT, UNIT, engine_options=options | {"pace": self._settings.pace}, is_bundled=True)
            self._child = self._supervisor.child_for(card)
        if self._started is None:
            self._started = asyncio.get_running_loop().create_future()
            self._child.attach(UNIT, self)
        return self._child

    def _on_period(self, envelope: Envelope) -> list[asyncio.Future[dict[str, Any]]]:
        """Pass a period on. Return the answers that its source can wait for."""
        pcm, at, can_wait = envelope.payload, envelope.fields["at"], envelope.fields.get("can_wait")
        is_deaf = envelope.fields.get("is_playing") and self._settings.echo == "mute"
        waiting = []
        tasks: dict[Child, list[str]] = {}
        for ear in self._ears.values():
            if ear.hears_microphone and not (is_deaf and ear.task.kind.output is Output.WAKE):
                tasks.setdefault(ear.child, []).append(ear.task.work_id)
        for child, names in tasks.items():
            if can_wait:
                waiting.append(child.ask("pcm", pcm, tasks=names, at=at))
            elif child.backlog_bytes > MAX_BACKLOG_BYTES:
                self._note_shed(child)
            else:
                child.send("pcm", pcm, tasks=names, at=at)
        if self._tap is not None:
            self._tap(pcm)
        return waiting

    def _let_go_on(self, waiting: list[asyncio.Future[dict[str, Any]]]) -> None:
        """Let a file that is read fast send one more period when this one has been heard, or never will be."""
        assert self._child is not None
        tell = self._child.send
        asyncio.gather(*waiting, return_exceptions=True).add_done_callback(lambda _: tell("heard"))

    def _note_shed(self, child: Child) -> None:
        self._shed += 1
        child.meter.shed_periods += 1
        if is_doubling(self._shed):
            log.warning("%s does not keep up with the microphone: %d periods shed so far", child.name, self._shed)

    def _on_played(self, owner: str, number: int, at: float, *, is_cut: bool, reason: str = "") -> None:
        """Note that a piece has ended; `at` is when its last sample was heard."""
        playback = self._playbacks.get((owner, number))
        if playback is not None:
            playback.pieces -= 1
            playback.was_cut = playback.was_cut or is_cut
            playback.reason = playback.reason or reason
            if is_cut or not self.has_to_play(owner):
                self._latency.note_silence(owner, at)
            self._end_if_done(owner, number)

    def _end_if_done(self, owner: str, number: int) -> None:
        playback = self._playbacks[owner, number]
        if playback.pieces <= 0 and playback.on_done is not None:
            del self._playbacks[owner, number]
            playback.on_done(not playback.was_cut, playback.reason)

    def _send_play(self, pcm: bytes, fields: dict[str, Any]) -> None:
        child = self._running()
        if child.is_ready:
            child.send("play", pcm, **fields)
        elif self._waiting_bytes + len(pcm) <= MAX_WAITING_BYTES:
            self._waiting.append((pcm, fields))
            self._waiting_bytes += len(pcm)
        else:
            log.warning("the audio program still starts: %d bytes of speech are lost", len(pcm))
            self._on_played(fields["owner"], fields["number"], time.monotonic(), is_cut=True)
