"""Links at work: what one task says reaches the tasks that listen to it, the loudspeaker, and whoever is woken.

`core.tasks.links` judges which links there may be; this module carries what flows over them.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unitd.core.tasks.kinds import Effect, Output
from unitd.core.tasks.links import effect_of
from unitd.core.tasks.table import Task, TaskTable
from unitd.core.tasks.think_filter import ThinkFilter
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.audio.latency import TurnLatency
from unitd.runtime.tasks.destinations import Wake
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
        self, task_table: TaskTable, runners: Mapping[str, TaskRunner], sound: AudioHub, latency: TurnLatency
    ) -> None:
        self._task_table = task_table
        self._runners = runners
        self._audio = sound
        self._latency = latency
        self._spoken: dict[Inference, _Spoken] = {}
        """Answers on their way, and the inferences by which they are spoken."""

    def on_wake(self, source: Task, wake: Wake) -> None:
        """A wake stops linked generations and voices, and opens linked ears; a repeat concerns the ears alone."""
        for work in [] if wake.is_repeat else self._targets(source, Effect.STOP):
            if self._audio.has_to_play(work.task.work_id):
                self._latency.note_interruption(work.task.work_id, wake.at)
            work.interrupt()
        for work in self._targets(source, Effect.WAKE):
            self._open(work, wake)
        if wake.chimes:
            self._audio.chime("wake")

    def on_unheard(self, source: Task) -> None:
        """Whoever woke the board and said nothing, or nothing that was understood, hears that it sleeps again."""
        self._audio.chime("unheard")

    def on_speech(self, source: Task, is_speech: bool, at: float) -> None:
        """Ears behind a voice detector take its word for where an utterance ends."""
        for work in self._targets(source, Effect.SPEECH):
            work.tell("speech", is_speech=is_speech, at=at)

    def on_text(self, source: Task, text: str, speech_ended_at: float | None) -> None:
        """A finished text becomes a prompt of linked tasks; its output goes to whoever listens there."""
        for work in self._targets(source, Effect.PROMPT):
            prompt = Inference(work.task.request_id, None, text)
            if self._submit(work, prompt, source):
                self._latency.begin(source.work_id, _key(work.task, prompt), speech_ended_at)

    def on_delta(self, source: Task, inference: Inference, text: str) -> None:
        """An answer is spoken while it is written."""
        key = _key(source, inference)
        self._latency.note_sound(key) if _is_voice(source) else self._latency.note_word(key)
        targets = self._targets(source, Effect.SPEAK)
        if inference not in self._spoken and targets:
            self._spoken[inference] = _Spoken()
            for work in targets:
                spoken = Inference(work.task.request_id, None, "", is_open=True)
                if self._submit(work, spoken, source):
                    self._spoken[inference].voices.append((work, spoken))
                    self._latency.note_voice(key, _key(work.task, spoken))
        if (aloud := self._spoken.get(inference)) is not None and (words := aloud.thoughts.feed(text)):
            for work, spoken in aloud.voices:
                work.feed(spoken, words)

    def on_end(self, source: Task, inference: Inference) -> None:
        """What the voices have got is all they get; what the loudspeaker has got is told when it was heard."""
        if (aloud := self._spoken.pop(inference, None)) is not None:
            rest = aloud.thoughts.finish()
            for work, spoken in aloud.voices:
                work.feed(spoken, rest, is_last=True)
        key = _key(source, inference)
        voice = self._runners.get(source.work_id)
        if voice is None or not (_is_voice(source) and "sys" in source.response_format):
            self._latency.end(key)
            return
        frames = voice.frames
        asker = Asker(inference.client, inference.request_id) if inference.client else None

        def tell(was_heard: bool, reason: str) -> None:
            frames.event(was_heard and not inference.is_cut, asker, f"{source.kind.name}.played", reason)
            self._latency.end(key)

        self._audio.when_played(source.work_id, inference.number, tell)

    def on_sound(self, source: Task, inference: Inference, pcm: bytes) -> None:
        """A voice for the loudspeaker."""
        self._audio.play(source.work_id, inference.number, pcm, source.holder)

    def on_hush(self, source: Task) -> None:
        """What a voice has given to the loudspeaker shall not be heard any more."""
        if _is_voice(source):
            self._audio.stop(source.work_id)

    def on_hold(self, source: Task, *, is_held: bool) -> None:
        """A paused voice is silent at once and goes on where it stopped; a paused ear hears nothing."""
        if _is_voice(source):
            self._audio.hold(source.work_id, is_held=is_held)
        self._audio.attend()

    def on_change(self) -> None:
        """Others may listen to the microphone now."""
        self._audio.attend()

    def is_listened_to(self, task: Task) -> bool:
        """True when some other task lives on the answers of this one."""
        effects = {effect_of(task.work_id, target.work_id) for target in self._task_table.targets_of(task.work_id)}
        return not effects.isdisjoint({Effect.PROMPT, Effect.SPEAK})

    def _open(self, work: TaskRunner, wake: Wake) -> None:
        """Wakes linked ears; they answer when they hear."""
        try:
            opened = work.ask(
                "wake", at=wake.word_ended_at, phrase=wake.phrase, chimes=wake.chimes, is_repeat=wake.is_repeat
            )
        except Unavailable as reason:
            log.debug("= %s is not woken: %s", work.task.work_id, reason)
            return

        def note(opened: asyncio.Future[Any]) -> None:
            if not opened.cancelled() and opened.exception() is None:
                self._latency.note_ears(wake.at)

        opened.add_done_callback(note)

    def _submit(self, work: TaskRunner, inference: Inference, source: Task) -> bool:
        try:
            work.submit(inference)
        except UnitdError as error:
            log.warning("%s cannot take the text of %s: %s", work.task.work_id, source.work_id, error)
            work.frames.refuse(error)
            return False
        return True

    def _targets(self, source: Task, effect: Effect) -> list[TaskRunner]:
        return [
            self._runners[target.work_id]
            for target in self._task_table.targets_of(source.work_id)
            if effect_of(source.work_id, target.work_id) is effect
        ]


def _key(task: Task, inference: Inference) -> tuple[str, int]:
    return task.work_id, inference.number


def _is_voice(task: Task) -> bool:
    return task.kind.output is Output.SOUND
