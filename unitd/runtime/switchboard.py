"""Links at work: what one task says reaches the tasks that listen to it, the loudspeaker, and whoever is woken.

`core.links` judges which links there may be; this module carries what flows over them.
"""

import logging
from collections.abc import Mapping

from unitd.core.links import Effect, effect_of
from unitd.core.registry import Registry, Task
from unitd.runtime.frames import Asker, Inference
from unitd.runtime.sound import Sound
from unitd.runtime.work import Work
from unitd.wire.errors import UnitdError

log = logging.getLogger("unitd.switchboard")


class Switchboard:
    """Carries output from task to task; a `work.Switchboard`."""

    def __init__(self, registry: Registry, works: Mapping[str, Work], sound: Sound) -> None:
        self._registry = registry
        self._works = works
        self._sound = sound
        self._spoken: dict[Inference, list[tuple[Work, Inference]]] = {}
        """Answers on their way, and the inferences by which they are spoken."""

    def on_wake(self, source: Task, at: float, *, chimes: bool) -> None:
        """A wake stops linked generations and voices, and opens linked ears."""
        for work in self._targets(source, Effect.STOP):
            work.interrupt()
        for work in self._targets(source, Effect.WAKE):
            work.tell("wake", at=at)
        if chimes:
            self._sound.chime()

    def on_speech(self, source: Task, is_speech: bool, at: float) -> None:
        """Ears behind a voice detector take its word for where an utterance ends."""
        for work in self._targets(source, Effect.SPEECH):
            work.tell("speech", is_speech=is_speech, at=at)

    def on_text(self, source: Task, text: str) -> None:
        """A finished text becomes a prompt of linked tasks; its output goes to whoever listens there."""
        for work in self._targets(source, Effect.PROMPT):
            self._submit(work, Inference(work.task.request_id, None, text), source)

    def on_delta(self, source: Task, inference: Inference, text: str) -> None:
        """An answer is spoken while it is written."""
        targets = self._targets(source, Effect.SPEAK)
        if inference not in self._spoken and targets:
            self._spoken[inference] = []
            for work in targets:
                spoken = Inference(work.task.request_id, None, "", is_open=True)
                if self._submit(work, spoken, source):
                    self._spoken[inference].append((work, spoken))
        for work, spoken in self._spoken.get(inference, ()):
            work.feed(spoken, text)

    def on_end(self, source: Task, inference: Inference) -> None:
        """What the voices have got is all they get; what the loudspeaker has got is told when it was heard."""
        for work, spoken in self._spoken.pop(inference, ()):
            work.feed(spoken, "", is_last=True)
        voice = self._works.get(source.work_id)
        if voice is None or not (_is_voice(source) and "sys" in source.response_format):
            return
        frames = voice.frames
        asker = Asker(inference.client, inference.request_id) if inference.client else None

        def tell(was_heard: bool, reason: str) -> None:
            frames.event(was_heard and not inference.is_cut, asker, f"{source.kind.name}.played", reason)

        self._sound.when_played(source.work_id, inference.number, tell)

    def on_sound(self, source: Task, inference: Inference, pcm: bytes) -> None:
        """A voice for the loudspeaker."""
        self._sound.play(source.work_id, inference.number, pcm)

    def on_hush(self, source: Task) -> None:
        """What a voice has given to the loudspeaker shall not be heard any more."""
        if _is_voice(source):
            self._sound.stop(source.work_id)

    def on_hold(self, source: Task, *, is_held: bool) -> None:
        """A paused voice is silent at once and goes on where it stopped; a paused ear hears nothing."""
        if _is_voice(source):
            self._sound.hold(source.work_id, is_held=is_held)
        self._sound.attend()

    def on_change(self) -> None:
        """Others may listen to the microphone now."""
        self._sound.attend()

    def is_listened_to(self, task: Task) -> bool:
        """True when some other task lives on the answers of this one."""
        effects = {effect_of(task.work_id, target.work_id) for target in self._registry.targets_of(task.work_id)}
        return not effects.isdisjoint({Effect.PROMPT, Effect.SPEAK})

    def _submit(self, work: Work, inference: Inference, source: Task) -> bool:
        try:
            work.submit(inference)
        except UnitdError as error:
            log.warning("%s cannot take the text of %s: %s", work.task.work_id, source.work_id, error)
            work.frames.refuse(error)
            return False
        return True

    def _targets(self, source: Task, effect: Effect) -> list[Work]:
        return [
            self._works[target.work_id]
            for target in self._registry.targets_of(source.work_id)
            if effect_of(source.work_id, target.work_id) is effect
        ]


def _is_voice(task: Task) -> bool:
    return task.kind.serving == "tts"
