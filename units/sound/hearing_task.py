"""One task that hears: what waits to be heard, when it sleeps, and what it keeps from before a wake.

Audio comes from the microphone, period by period, and from uploads, in any size; both wait in queues of their own and
are heard in slices, so that other messages come through between two of them. A task that is linked to a kws sleeps:
periods only pass through a short memory. A wake names the time at which the word ended; hearing begins a little before
it, in what the memory holds, and goes on until one utterance has ended.

    asleep --wake--> awake --utterance ends, or nobody speaks--> asleep        (no kws linked: always awake)
"""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from units.base import RUN_FAILED, UnitFault
from units.setup_values import SetupValues, inputs_of, is_task_of
from units.sound.upload import RATE, Samples, Upload
from units.sound.upload_job import UploadJob

Source = Literal["mic", "upload"]

# Computing takes 0.1 to 1 of the audio's time, so a slice keeps a message waiting for 100 ms at the most.
SLICE_SAMPLES = RATE // 10

# How late a wake may arrive after its word: the keyword engine's own delay and the way through the daemon.
MEMORY_SECONDS = 2.0

# Audio older than this is no use to somebody who waits for an answer.
MAX_WAITING_SECONDS = 2.0

# The end of a word is known to 0.1 s, and who speaks on has begun by then. Measured with a grammar and 60 commands of
# flite in one breath with three wake words: 56 are understood with 0.05 s, 52 with none, when the first word is lost,
# and 49 with 0.1 s, when the end of the wake word becomes a word of its own.
BEFORE_SPEECH_SECONDS = 0.05

# What the original waits after a wake, so that its own chime is not heard.
USUAL_AWAKE_DELAY_MS = 50


@dataclass
class Period:
    """A stretch of microphone audio; `at` is the time of its last sample."""

    at: float
    samples: Samples

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / RATE

    def since(self, begin: float) -> "Period":
        """What of it was spoken after `begin`."""
        wanted = max(0, round((self.at - begin) * RATE))
        return self if wanted >= len(self.samples) else Period(self.at, self.samples[len(self.samples) - wanted :])


@dataclass
class EndOfSpeech:
    """A linked vad heard the end of what came before."""

    at: float


class HearingTask(ABC):
    """Queues, sleep and memory; what hearing means is a subclass's matter."""

    def __init__(self, work_id: str, data: dict[str, Any]) -> None:
        self.work_id = work_id
        self.upload = Upload()
        self.is_paused = False
        self.dropped = 0
        """Microphone periods that came faster than they could be heard, not reported yet."""

        self.is_upload_answered = False
        """True once a final frame has answered the upload that is being heard."""

        delay_ms = SetupValues(data).number("awake_delay", USUAL_AWAKE_DELAY_MS, 0, 60_000)
        self._offset = (delay_ms - USUAL_AWAKE_DELAY_MS) / 1000 - BEFORE_SPEECH_SECONDS
        self._wakers = {entry for entry in inputs_of(data) if is_task_of("kws", entry)}
        self.is_asleep = bool(self._wakers)
        self._hears_from = 0.0
        self.wake_phrase = ""
        """What woke it last; "" where that is not known."""

        self.must_tell_unheard = False
        """The board chimed at the last wake, so it shall also when nothing comes after it."""

        self._memory: deque[Period] = deque()
        self._waiting: deque[Period | EndOfSpeech] = deque()
        self._jobs: deque[UploadJob] = deque()

    # What hearing means

    @abstractmethod
    def hear(self, source: Source, samples: Samples, at: float) -> bool:
        """Takes a slice of audio; True when an utterance has ended in it, or nobody came to speak."""

    @abstractmethod
    def end(self, source: Source, at: float) -> bool:
        """The utterance ends here; True when there was one."""

    @abstractmethod
    def answer_empty(self) -> None:
        """Says the final frame of a whole upload in which nothing was heard."""

    @abstractmethod
    def forget(self, source: Source) -> None:
        """Whatever was heard so far does not count."""

    @property
    @abstractmethod
    def is_hearing_speech(self) -> bool:
        """True in the middle of an utterance at the microphone."""

    # Messages

    @property
    def is_sleepy(self) -> bool:
        """True when a linked kws decides when it hears."""
        return bool(self._wakers)

    def take_period(self, period: Period) -> None:
        """A microphone period came."""
        if self.is_paused:
            return
        self._memory.append(period)
        while self._memory[0].at < period.at - MEMORY_SECONDS:
            self._memory.popleft()
        if not self.is_asleep:
            self._wait(period)

    def take_upload(self, job: UploadJob) -> None:
        """A client's audio came."""
        self._jobs.append(job)

    def wake(self, at: float, phrase: str = "", *, chimes: bool = False, is_repeat: bool = False) -> None:
        """The linked kws heard its word, which ended at `at`: a new utterance begins, whatever was going on.

        A repeat only means that what was heard until now was no question.
        """
        if self.is_paused or not self._wakers or (is_repeat and self.is_asleep):
            return
        self.is_asleep = False
        self.wake_phrase = phrase
        self.must_tell_unheard = chimes or (is_repeat and self.must_tell_unheard)
        self.forget("mic")
        self._hears_from = at + self._offset
        self._waiting.clear()
        for period in self._memory:
            self._wait(period)

    def link(self, source: str) -> None:
        """A kws decides from now on; an utterance that is going on may end first."""
        if is_task_of("kws", source):
            self._wakers.add(source)
            self.is_asleep = not self.is_hearing_speech

    def unlink(self, source: str) -> None:
        """Without a kws it is always awake."""
        self._wakers.discard(source)
        self.is_asleep = self.is_asleep and bool(self._wakers)

    def end_speech(self, at: float) -> None:
        """A linked vad heard the end of speech: so it ends here too, when what came before has been heard."""
        if not (self.is_paused or self.is_asleep) and at > self._hears_from:
            self._waiting.append(EndOfSpeech(at))

    def pause(self) -> None:
        """Hears nothing until `work`."""
        self.is_paused = True

    def work(self) -> None:
        """Hears again, from the beginning; an upload goes on where it was."""
        if self.is_paused:
            self.is_paused = False
            self._waiting.clear()
            self._memory.clear()
            self.forget("mic")

    def abandon(self) -> list[UploadJob]:
        """Ends the task; returns the uploads that will not be heard, each with the fault that says so."""
        abandoned, self._jobs = list(self._jobs), deque()
        self._waiting.clear()
        for job in abandoned:
            job.fault = UnitFault(RUN_FAILED, f"{self.work_id} has ended")
        return abandoned

    # Work

    @property
    def has_work(self) -> bool:
        """True when audio waits."""
        return not self.is_paused and bool(self._waiting or self._jobs)

    @property
    def has_period(self) -> bool:
        """True when microphone audio waits."""
        return not self.is_paused and bool(self._waiting)

    def work_on_mic(self) -> None:
        """One slice of microphone audio."""
        if not self._waiting:
            return
        first = self._waiting.popleft()
        if isinstance(first, EndOfSpeech):
            has_ended = self.end("mic", first.at)
        else:
            piece = self._slice_after(first)
            has_ended = self.hear("mic", piece.samples, piece.at)
        if has_ended and self._wakers:
            self._fall_asleep()

    def work_on_upload(self) -> UploadJob | None:
        """Hears one slice of the oldest upload; returns that upload when all of it has been heard or it is refused."""
        if not self._jobs:
            return None
        job = self._jobs[0]
        if len(piece := job.take(SLICE_SAMPLES)):
            self.hear("upload", piece, 0.0)
        if len(job.samples):
            return None
        self._end_upload(job)
        return self._jobs.popleft()

    def _end_upload(self, job: UploadJob) -> None:
        """A whole upload ends in a final frame; what a refused one continued does not count."""
        if job.fault is not None:
            self.forget("upload")
        elif job.is_whole or job.is_last:
            self.end("upload", 0.0)
            if job.is_whole and not self.is_upload_answered:
                self.answer_empty()
        if not job.is_continued:
            self.is_upload_answered = False

    def _slice_after(self, first: Period) -> Period:
        """Joins waiting periods up to a slice; what is longer is cut."""
        if len(first.samples) > SLICE_SAMPLES:
            rest = Period(first.at, first.samples[SLICE_SAMPLES:])
            self._waiting.appendleft(rest)
            return Period(first.at - rest.seconds, first.samples[:SLICE_SAMPLES])
        pieces, length = [first], len(first.samples)
        while self._waiting and isinstance(period := self._waiting[0], Period):
            length += len(period.samples)
            if length > SLICE_SAMPLES:
                break
            pieces.append(period)
            self._waiting.popleft()
        return Period(pieces[-1].at, np.concatenate([piece.samples for piece in pieces]))

    def _wait(self, period: Period) -> None:
        """Queues what was spoken since the wake, unless too much waits."""
        wanted = period.since(self._hears_from)
        if not len(wanted.samples):
            return
        self._waiting.append(wanted)
        if isinstance(self._waiting[0], Period) and self._waiting[0].at < period.at - MAX_WAITING_SECONDS:
            self._shed()

    def _shed(self) -> None:
        """All that waits goes at once: what is said behind one long gap is whole, with many short ones nothing is."""
        ends = [each for each in self._waiting if isinstance(each, EndOfSpeech)]
        self.dropped += len(self._waiting) - len(ends)
        self._waiting = deque(ends)

    def _fall_asleep(self) -> None:
        self.is_asleep = True
        self._waiting.clear()
        self.forget("mic")
