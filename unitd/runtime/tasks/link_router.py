"""Links at work: what one task says reaches the tasks that listen to it or are woken by it, and the loudspeaker.

`core.tasks.links` decides which links there may be; this module carries what flows over them.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from unitd.core.tasks.kinds import Effect
from unitd.core.tasks.links import effect_of
from unitd.core.tasks.table import Task, TaskTable
from unitd.core.tasks.think_filter import ThinkFilter
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.audio.latency import TurnLatency
from unitd.runtime.futures import is_good
from unitd.runtime.tasks.destinations import is_voice
from unitd.runtime.tasks.output import Asker, Inference
from unitd.runtime.tasks.runner import TaskRunner
from unitd.wire.errors import Unavailable, UnitdError

log = logging.getLogger("unitd.switchboard")


@dataclass
class _Spoken:
    """An answer that is said aloud while it is written."""

    voices: list[tuple[TaskRunner, Inference]] = field(default_factory=list)
    thoughts: ThinkFilter = field(default_factory=ThinkFilter)


class LinkRouter:
    """Carries output from task to task; a `destinations.Destinations`."""

    def __init__(
        self,
        task_table: TaskTable,
        find: Callable[[str], TaskRunner | None],
        audio: AudioHub,
        latency: TurnLatency,
        voice_options: Callable[[Mapping[str, Any]], dict[str, Any]],
        on_wake: Callable[[], None],
    ) -> None:
        """`find` returns the runner of a work_id, None when there is none; `voice_options` what is said otherwise than
        the setup of a voice wants; `on_wake` is told of every wake word."""
        self._voice_options = voice_options
        self._on_wake = on_wake
        self._task_table = task_table
        self._find = find
        self._audio = audio
        self._latency = latency
        self._spoken: dict[Inference, _Spoken] = {}
        """Answers on their way, and the inferences by which they are spoken."""

    def on_event(self, source: Task, fields: dict[str, Any]) -> None:
        """Pass on a wake, the beginning or end of speech, and a finished text."""
        at = fields.get("heard_at") or time.monotonic()
        if fields.get("is_wake") or fields.get("is_repeat"):
            self._wake(source, fields, at)
        if fields.get("is_unheard"):  # after a wake nothing was said, or nothing that was understood
            self._audio.chime("unheard")
        if "is_speech" in fields:  # ears after a voice detector take its word for where an utterance ends
            for runner in self._targets(source, Effect.SPEECH):
                runner.tell("speech", is_speech=fields["is_speech"], at=at)
        if fields.get("text"):
            self._prompt(source, fields["text"], fields.get("speech_ended_at"))

    def _wake(self, source: Task, fields: dict[str, Any], at: float) -> None:
        """Stop linked generations and voices, and open linked ears; a repeat concerns the ears alone."""
        is_repeat, chimes = bool(fields.get("is_repeat")), bool(fields.get("chime"))
        if not is_repeat:
            self._on_wake()
        for runner in [] if is_repeat else self._targets(source, Effect.STOP):
            if self._audio.has_to_play(runner.task.work_id):
                self._latency.note_interruption(runner.task.work_id, at)
            runner.inferences.interrupt()
        word_ended_at = float(fields.get("word_ended_at", at))
        details = {"phrase": str(fields.get("phrase", "")), "chimes": chimes, "is_repeat": is_repeat}
        for runner in self._targets(source, Effect.WAKE):
            self._open(runner, at, at=word_ended_at, **details)
        if chimes:
            self._audio.chime("wake")

    def _open(self, runner: TaskRunner, woken_at: float, **fields: Any) -> None:
        """Wake linked ears; they answer when they hear."""
        try:
            opened = runner.ask("wake", **fields)
        except Unavailable as reason:
            log.debug("= %s is not woken: %s", runner.task.work_id, reason)
            return

        def note(opened: asyncio.Future[Any]) -> None:
            if is_good(opened):
                self._latency.note_ears(woken_at)

        opened.add_done_callback(note)

    def _prompt(self, source: Task, text: str, speech_ended_at: float | None) -> None:
        """Make a finished text a prompt of linked tasks, whose listeners get the output."""
        for runner in self._targets(source, Effect.PROMPT):
            prompt = Inference(runner.task.request_id, None, text)
            if self._submit(runner, prompt, source):
                self._latency.begin(source.work_id, _key(runner.task, prompt), speech_ended_at)

    def on_frame(self, source: Task, frame: bytes) -> None:
        """Let linked tasks see the newest frame of a camera, or nothing of it any more."""
        for runner in self._targets(source, Effect.SEE):
            if frame:
                runner.inferences.pictures.show(source.work_id, frame)
            else:
                runner.inferences.pictures.hide(source.work_id)

    def on_delta(self, source: Task, inference: Inference, text: str) -> None:
        """Let an answer be spoken while it is written."""
        key = _key(source, inference)
        self._latency.note_sound(key) if is_voice(source) else self._latency.note_word(key)
        targets = self._targets(source, Effect.SPEAK)
        if inference not in self._spoken and targets:
            self._spoken[inference] = _Spoken()
            for runner in targets:
                options = self._voice_options(runner.task.setup)
                spoken = Inference(runner.task.request_id, None, "", options, is_open=True)
                if self._submit(runner, spoken, source):
                    self._spoken[inference].voices.append((runner, spoken))
                    self._latency.note_voice(key, _key(runner.task, spoken))
        if (aloud := self._spoken.get(inference)) is not None and (words := aloud.thoughts.feed(text)):
            for runner, spoken in aloud.voices:
                runner.inferences.feed(spoken, words)

    def on_end(self, source: Task, inference: Inference) -> None:
        """Give the voices their last words; tell the asker when what the loudspeaker has got was heard."""
        if (aloud := self._spoken.pop(inference, None)) is not None:
            rest = aloud.thoughts.finish()
            for runner, spoken in aloud.voices:
                runner.inferences.feed(spoken, rest, is_last=True)
        key = _key(source, inference)
        voice = self._find(source.work_id)
        if voice is None or not (is_voice(source) and "sys" in source.response_format):
            self._latency.end(key)
            return
        output = voice.output
        asker = Asker(inference.client, inference.request_id) if inference.client else None

        def tell(was_heard: bool, reason: str) -> None:
            output.event(was_heard and not inference.is_cut, asker, f"{source.kind.name}.played", reason)
            self._latency.end(key)

        self._audio.when_played(source.work_id, inference.number, tell)

    def is_listened_to(self, task: Task) -> bool:
        """Return True when another task lives on the answers of this one."""
        effects = {effect_of(task.work_id, target.work_id) for target in self._task_table.targets_of(task.work_id)}
        return not effects.isdisjoint({Effect.PROMPT, Effect.SPEAK})

    def _submit(self, runner: TaskRunner, inference: Inference, source: Task) -> bool:
        try:
            runner.submit(inference)
        except UnitdError as error:
            log.warning("%s cannot take the text of %s: %s", runner.task.work_id, source.work_id, error)
            runner.output.refuse(error)
            return False
        return True

    def _targets(self, source: Task, effect: Effect) -> list[TaskRunner]:
        return [
            runner
            for target in self._task_table.targets_of(source.work_id)
            if effect_of(source.work_id, target.work_id) is effect and (runner := self._find(target.work_id))
        ]


def _key(task: Task, inference: Inference) -> tuple[str, int]:
    return task.work_id, inference.number
