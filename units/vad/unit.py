"""The vad unit: true when speech begins, false when it ends."""

from collections.abc import Callable
from typing import Any

from units.base import LoadError
from units.engines import find_engine
from units.host import Host
from units.setup_values import SetupValues, refusal
from units.sound.hearing import HearingUnit
from units.sound.hearing_task import HearingTask, Source
from units.sound.upload import Samples
from units.vad.gate import BUNDLED, Detector, SpeechGate, read_gate_rules

# After a wake, as rule1 of asr: the silence after which the task sleeps again.
PATIENCE_SECONDS = 2.4


class VadUnit(HearingUnit):
    """A unit whose tasks use the card's engine, unless their setup names another."""

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Make one detector, to learn whether it can be made."""
        self._engine = BUNDLED if load["engine"] == "auto" else load["engine"]
        find_engine("vad", self._engine)()
        return {"about": f"voice activity by {self._engine}"}

    def make_task(self, work_id: str, data: dict[str, Any]) -> HearingTask:
        """Return a task with the detector that its setup names."""
        try:
            make = find_engine("vad", SetupValues(data).text("engine", self._engine))
        except LoadError as error:
            raise refusal(f"engine: {error}") from error
        return VadTask(work_id, data, self._host, make)


class VadTask(HearingTask):
    """A task with one gate for the microphone, and another for uploads once there is one."""

    def __init__(self, work_id: str, data: dict[str, Any], host: Host, make_detector: Callable[[], Detector]) -> None:
        super().__init__(work_id, data)
        self._host = host
        self._rules = read_gate_rules(data)
        self._patience = SetupValues(data).number("rule1", PATIENCE_SECONDS, 0.1, 3600)
        self._make_detector = make_detector
        self._gates: dict[Source, SpeechGate] = {"mic": self._make_gate()}

    def hear(self, source: Source, samples: Samples, at: float) -> bool:
        """Send each change; return True when speech has ended, or did not come in time."""
        gate = self._gate_of(source)
        changes = gate.feed(samples)
        for is_speech in changes:
            self._say(source, is_speech, at)
        return False in changes or (not gate.is_speech and gate.silent_seconds >= self._patience)

    def end(self, source: Source, at: float) -> bool:
        """End speech that goes on at the end of an upload; return True when there was any."""
        was_speech = self._gate_of(source).is_speech
        if was_speech:
            self._say(source, False, at)
        self.forget(source)
        return was_speech

    def answer_empty(self) -> None:
        """Send `false` to the client alone: no speech has ended, so linked tasks are not told."""
        self._host.say("event", task=self.work_id, data=False, source="upload")

    def forget(self, source: Source) -> None:
        """Begin again with silence."""
        self._gate_of(source).reset()

    @property
    def is_hearing_speech(self) -> bool:
        """Return True while the microphone's gate is open."""
        return self._gates["mic"].is_speech

    def _gate_of(self, source: Source) -> SpeechGate:
        if source not in self._gates:
            self._gates[source] = self._make_gate()
        return self._gates[source]

    def _make_gate(self) -> SpeechGate:
        return SpeechGate(self._make_detector(), self._rules)

    def _say(self, source: Source, is_speech: bool, at: float) -> None:
        if source == "upload" and not is_speech:
            self.is_upload_answered = True
        heard: dict[str, Any] = {"heard_at": at} if source == "mic" else {}
        self._host.say("event", task=self.work_id, data=is_speech, is_speech=is_speech, source=source, **heard)
