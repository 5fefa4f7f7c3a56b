"""The tts unit (melotts, too): tasks, and texts that become sound piece by piece.

A step is one stretch of one engine's sound, so messages wait for no longer than that. A cancel does not even wait: the
reader thread counts it for its task as soon as it arrives, which cuts the engine short, and the loop handles it next.
Tasks take turns, a step each.
"""

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import RUN_FAILED, Handler, Unit, UnitFault
from units.engines import find_engine
from units.host import Host
from units.tts.engine import Engine, Sound, SpeechFailed
from units.tts.options import USUAL_RATE, TtsOptions, read_options
from units.tts.pieces import speakable
from units.tts.speech import Speech, contained, resampled

CUTTING = ("cancel", "exit")
NOTHING_TO_SAY = ("", "None")
"""Data that the original ignores."""


class Cuts:
    """The tasks with a cut that is not handled yet. One thread notes a cut, another handles it, in either order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._balance: Counter[str] = Counter()

    def hear(self, task: str) -> None:
        """Note a cutting message."""
        self._add(task, 1)

    def handle(self, task: str) -> None:
        """Note that a cut is being handled."""
        self._add(task, -1)

    def _add(self, task: str, count: int) -> None:
        with self._lock:
            self._balance[task] += count
            if not self._balance[task]:
                del self._balance[task]

    def is_cut(self, task: str) -> bool:
        """Return True when the present sound of this task is of no use any more."""
        return self._balance.get(task, 0) > 0


class Task:
    """One tts task: its settings and its present text."""

    def __init__(self, work_id: str, data: dict[str, Any]) -> None:
        self.work_id = work_id
        self.options = read_options(data)
        self.speech: Speech | None = None
        self.is_held = False
        self._data = data

    def options_with(self, changes: dict[str, Any]) -> TtsOptions:
        """Return the settings with the changes of one text."""
        return read_options(self._data | changes) if changes else self.options

    @property
    def has_work(self) -> bool:
        """Return True when a step would do something."""
        return self.speech is not None and self.speech.has_work and not self.is_held


class TtsUnit(Unit):
    """A unit that serves all tts tasks of one voice."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._cuts = Cuts()
        self._tasks: dict[str, Task] = {}
        self._turns: deque[Task] = deque()
        self._engine: Engine
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "infer": self._infer,
            "more": self._more,
            "cancel": self._cancel,
            "pause": self._pause,
            "work": self._work,
            "exit": self._exit,
        }

    # Life

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load the voice that the card names."""
        self._engine = find_engine("tts", load["engine"])(load)
        return {"about": self._engine.about}

    @property
    def is_busy(self) -> bool:
        """Return True while there is something to speak."""
        return any(task.has_work for task in self._tasks.values())

    def alert(self, envelope: Envelope) -> None:
        """Note a cut in the middle of a step. Called in the reader thread."""
        if envelope.type in CUTTING:
            self._cuts.hear(envelope.fields["task"])

    def step(self) -> None:
        """Speak one stretch of the task whose turn it is."""
        for _ in range(len(self._turns)):
            task = self._turns[0]
            self._turns.rotate(-1)
            if task.has_work and task.speech is not None:
                self._advance(task, task.speech)
                return

    def close(self) -> None:
        """Stop engines in the middle of a piece."""
        for task in self._tasks.values():
            if task.speech is not None:
                task.speech.close()

    # Messages

    def _setup(self, envelope: Envelope) -> None:
        task = Task(envelope.fields["task"], envelope.fields["data"])
        self._engine.check(task.options.voice)
        self._tasks[task.work_id] = task
        self._turns.append(task)

    def _infer(self, envelope: Envelope) -> None:
        """Begin a text; end one that cannot be spoken at once, in the inference's name."""
        fields = envelope.fields
        task = self._tasks[fields["task"]]
        try:
            if not fields["is_text"]:
                raise UnitFault(RUN_FAILED, "tts takes text (tts.utf-8)")
            options = task.options_with(fields.get("options") or {})
            if fields.get("priority") and not options.is_delivered_for_links:
                options = replace(options, is_delivered=False)
            self._engine.check(options.voice)
        except UnitFault as fault:
            self._finish(task, fields["inference"], "error", str(fault))
            return
        if task.speech is not None:
            self._end(task, task.speech, "interrupted")
        is_open = bool(fields.get("is_open"))
        task.speech = Speech(fields["inference"], options, is_open, self._engine.gap_seconds)
        text = envelope.payload.decode(errors="replace")
        task.speech.feed("" if text in NOTHING_TO_SAY and not is_open else text, is_last=not is_open)

    def _more(self, envelope: Envelope) -> None:
        """Take more of an open text; text after a cancel is dropped."""
        task = self._tasks.get(envelope.fields["task"])
        if task is None or task.speech is None or task.speech.number != envelope.fields["inference"]:
            return
        task.speech.feed(envelope.payload.decode(errors="replace"), bool(envelope.fields.get("is_last")))

    def _cancel(self, envelope: Envelope) -> None:
        self._cuts.handle(envelope.fields["task"])
        task = self._tasks.get(envelope.fields["task"])
        if task is None or task.speech is None:
            return
        if envelope.fields.get("inference") in (None, task.speech.number):
            self._end(task, task.speech, "interrupted")

    def _pause(self, envelope: Envelope) -> None:
        self._tasks[envelope.fields["task"]].is_held = True

    def _work(self, envelope: Envelope) -> None:
        self._tasks[envelope.fields["task"]].is_held = False

    def _exit(self, envelope: Envelope) -> None:
        self._cancel(envelope)
        task = self._tasks.pop(envelope.fields["task"], None)
        if task is not None:
            self._turns.remove(task)

    # Speaking

    def _advance(self, task: Task, speech: Speech) -> None:
        """Speak one stretch; a failure ends the text, not the task."""
        try:
            if speech.sounds is None:
                self._begin_piece(task, speech)
            elif (sound := next(speech.sounds, None)) is not None:
                speech.hear(sound)
            elif not self._cuts.is_cut(task.work_id):
                self._deliver(task, speech, speech.take_heard())
        except SpeechFailed as error:
            self._end(task, speech, "error", str(error))

    def _begin_piece(self, task: Task, speech: Speech) -> None:
        piece = speech.maybe_next_piece()
        if piece is None:
            self._end(task, speech, "stop")
        elif text := speakable(piece):
            speech.piece = piece
            speech.sounds = self._engine.speak(text, speech.options.voice, lambda: self._cuts.is_cut(task.work_id))

    def _deliver(self, task: Task, speech: Speech, sound: Sound | None) -> None:
        if sound is None:
            return
        options = speech.options
        if options.is_played:
            payload = resampled(sound, USUAL_RATE).tobytes()
            self._host.say("speak", payload, task=task.work_id, inference=speech.number, text=speech.piece)
        if options.is_delivered and options.is_streamed:
            self._send(task, speech, contained(resampled(sound, options.rate), options))
        elif options.is_delivered:
            speech.keep(resampled(sound, options.rate), lambda: self._cuts.is_cut(task.work_id))

    def _send(self, task: Task, speech: Speech, sound: bytes) -> None:
        self._host.say("delta", sound, task=task.work_id, inference=speech.number)

    def _end(self, task: Task, speech: Speech, reason: str, error: str = "") -> None:
        """End a text once; what was kept for the client goes out before the end."""
        speech.close()
        task.speech = None
        if reason == "stop" and (kept := speech.take_kept()):
            self._send(task, speech, kept)
        self._finish(task, speech.number, reason, error)

    def _finish(self, task: Task, number: int, reason: str, error: str = "") -> None:
        failure: dict[str, Any] = {"code": RUN_FAILED, "message": error} if error else {}
        self._host.say("finish", task=task.work_id, inference=number, reason=reason, **failure)
