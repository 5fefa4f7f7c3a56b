"""The asr unit, whisper's too: what engines understand becomes frames in the original's shape."""

from typing import Any

from units.asr.engine import AsrOptions, Engine, Recogniser, read_options
from units.asr.wake_phrase import without_wake_phrase
from units.engines import find_engine
from units.host import Host
from units.setup_values import SetupValues, inputs_of, is_task_of
from units.sound.hearing import HearingUnit
from units.sound.hearing_task import HearingTask, Source
from units.sound.upload import Samples
from units.trials import Trial


class AsrUnit(HearingUnit):
    """A unit for asr and whisper: both names mean speech to text, and the card names the engine."""

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load the card's engine; no other is imported."""
        self._engine: Engine = find_engine("asr", load["engine"])(load)
        return {"about": self._engine.about}

    def trial_of(self, data: dict[str, Any]) -> Trial | None:
        """Return the engine's trial, or None."""
        return self._engine.trial_of(_options(data, self._engine))

    def make_task(self, work_id: str, data: dict[str, Any]) -> HearingTask:
        """Return a task with a stream of its own."""
        return AsrTask(work_id, data, self._host, self._engine)


def _options(data: dict[str, Any], engine: Engine) -> AsrOptions:
    has_vad = any(is_task_of("vad", entry) for entry in inputs_of(data))
    return read_options(data, engine.usual_rules, has_vad=has_vad)


class AsrStream:
    """One source of a task: its stream, and the number of its next frame."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser
        self.index = 0
        """The number of the next frame; 0 after a final one."""


class AsrTask(HearingTask):
    """A task with one stream for the microphone or for uploads, and a second one when both come."""

    def __init__(self, work_id: str, data: dict[str, Any], host: Host, engine: Engine) -> None:
        super().__init__(work_id, data)
        self._host = host
        self._engine = engine
        self._is_stream = "stream" in SetupValues(data).text("response_format", "")
        self._options = _options(data, engine)
        # Made at setup, because only the engine can judge a grammar or a language.
        self._spare: Recogniser | None = engine.open(self._options)
        self._streams: dict[Source, AsrStream] = {}

    def hear(self, source: Source, samples: Samples, at: float) -> bool:
        """Send what has changed; return True when an utterance has ended."""
        has_ended = False
        for heard in self._stream(source).recogniser.feed(samples):
            said = self._question_in(source, heard.text)
            if heard.is_final and (said or not heard.text):
                self._end_utterance(source, said, at)
                has_ended = True
            elif self._is_stream:
                self._say_frame(source, said, at, is_final=False)
        return has_ended

    def end(self, source: Source, at: float) -> bool:
        """Send what was understood; return True when there was speech."""
        recogniser = self._stream(source).recogniser
        was_speech = recogniser.is_hearing_speech
        said = self._question_in(source, recogniser.finish())
        if said or was_speech:
            self._end_utterance(source, said, at)
        return was_speech or bool(said)

    def answer_empty(self) -> None:
        """Send an empty text."""
        self._say_final("upload", "", 0.0)

    def forget(self, source: Source) -> None:
        """Begin the stream anew."""
        if source in self._streams:
            self._streams[source].recogniser.reset()

    @property
    def is_hearing_speech(self) -> bool:
        """Return True while the microphone's stream hears speech."""
        return "mic" in self._streams and self._streams["mic"].recogniser.is_hearing_speech

    def _stream(self, source: Source) -> AsrStream:
        if source not in self._streams:
            recogniser, self._spare = self._spare or self._engine.open(self._options), None
            self._streams[source] = AsrStream(recogniser)
        return self._streams[source]

    def _question_in(self, source: Source, said: str) -> str:
        """Return what was said after the wake phrase, if that was said again."""
        return without_wake_phrase(said, self.wake_phrase) if source == "mic" else said

    def _end_utterance(self, source: Source, said: str, at: float) -> None:
        """Send a final text, or, when the task was woken for nothing, that no text comes."""
        if said:
            self._say_final(source, said, at)
        elif source == "mic" and self.is_sleepy:
            unheard = {"is_unheard": True} if self.must_tell_unheard else {}
            self._say_final(source, "", at, **unheard)

    def _say_final(self, source: Source, said: str, at: float, **fields: Any) -> None:
        if source == "upload":
            self.is_upload_answered = True
        shown = f"{said}." if said else ""
        if said:
            fields["text"] = said
        if self._is_stream:
            self._say_frame(source, shown, at, is_final=True, **fields)
        else:
            self._say(source, shown, at, **fields)

    def _say_frame(self, source: Source, delta: str, at: float, *, is_final: bool, **fields: Any) -> None:
        stream = self._stream(source)
        self._say(source, {"delta": delta, "finish": is_final, "index": stream.index}, at, **fields)
        stream.index = 0 if is_final else stream.index + 1

    def _say(self, source: Source, data: Any, at: float, **fields: Any) -> None:
        """Send data; that of the microphone with its time, and a text of it with the end of its speech."""
        if source == "mic":
            fields["heard_at"] = at
            if "text" in fields:
                fields["speech_ended_at"] = at - self._stream(source).recogniser.quiet_seconds
        self._host.say("event", task=self.work_id, data=data, source=source, **fields)
