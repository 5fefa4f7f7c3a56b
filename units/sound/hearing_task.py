"""One task that hears: what waits to be heard, when the task sleeps, and what it keeps from before a wake.

Audio comes from the microphone, period by period, and from uploads, in any size. Both wait in queues of their own and
are heard in slices, so that other messages are handled between two slices. A task that is linked to a kws sleeps:
periods only pass through a short memory. A wake names the time at which the word ended. Hearing begins a little before
that time, in what the memory holds, and goes on until one utterance has ended.

    asleep --wake--> awake --utterance ends, or no speech comes--> asleep        (no kws linked: always awake)
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

# Computing takes 0.1 to 1 of the audio's time, so a message waits for a slice for 100 ms at most.
SLICE_SAMPLES = RATE // 10

# How late a wake may arrive after its word: the keyword engine's own delay and the way through the daemon.
MEMORY_SECONDS = 2.0

# Older audio comes too late for an answer.
MAX_WAITING_SECONDS = 2.0

# The end of a word is known to 0.1 s, and the next word may have begun by then. Measured with a grammar and 60 commands
# of flite in one breath with three wake words: 56 are understood with 0.05 s, 52 with none, when the first word is
# lost, and 49 with 0.1 s, when the end of the wake word becomes a word of its own.
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
        """Return its length."""
        return len(self.samples) / RATE

    def since(self, begin: float) -> "Period":
        """Return the part that was spoken after `begin`."""
        wanted = max(0, round((self.at - begin) * RATE))
        return self if wanted >= len(self.samples) else Period(self.at, self.samples[len(self.samples) - wanted :])


@dataclass
class EndOfSpeech:
    """The end of speech that a linked vad has detected."""

    at: float


class HearingTask(ABC):
    """Queues, sleep and memory of a task; what hearing means is up to a subclass."""

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
        """The phrase of the last wake; "" where it is not known."""

        self.must_tell_unheard = False
        """True when the board chimed at the last wake, and must chime again when nothing is said after it."""

        self._memory: deque[Period] = deque()
        self._waiting: deque[Period | EndOfSpeech] = deque()
        self._jobs: deque[UploadJob] = deque()

    # What hearing means

    @abstractmethod
    def hear(self, source: Source, samples: Samples, at: float) -> bool:
        """Hear a slice of audio; return True when an utterance has ended in it, or no speech came in time."""

    @abstractmethod
    def end(self, source: Source, at: float) -> bool:
        """End the present utterance; return True when there was one."""

    @abstractmethod
    def answer_empty(self) -> None:
        """Send the final frame of a whole upload in which nothing was heard."""

    @abstractmethod
    def forget(self, source: Source) -> None:
        """Forget what was heard so far."""

    @property
    @abstractmethod
    def is_hearing_speech(self) -> bool:
        """Return True in the middle of an utterance at the microphone."""

    # Messages

    @property
    def is_sleepy(self) -> bool:
        """Return True when a linked kws decides when the task hears."""
        return bool(self._wakers)

    def take_period(self, period: Period) -> None:
        """Take a period of the microphone."""
        if self.is_paused:
            return
        self._memory.append(period)
        while self._memory[0].at < period.at - MEMORY_SECONDS:
            self._memory.popleft()
        if not self.is_asleep:
            self._wait(period)

    def take_upload(self, job: UploadJob) -> None:
        """Take a client's audio."""
        self._jobs.append(job)

    def wake(self, at: float, phrase: str = "", *, chimes: bool = False, is_repeat: bool = False) -> None:
        """Begin a new utterance: the linked kws heard its word, which ended at `at`.

        A repeated wake only means that what was heard until now was no question.
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
        """Sleep until this kws hears its word; a present utterance may end first."""
        if is_task_of("kws", source):
            self._wakers.add(source)
            self.is_asleep = not self.is_hearing_speech

    def unlink(self, source: str) -> None:
        """Stay awake, unless another kws is linked."""
        self._wakers.discard(source)
        self.is_asleep = self.is_asleep and bool(self._wakers)

    def end_speech(self, at: float) -> None:
        """End the utterance when what came before has been heard: a linked vad detected the end of speech."""
        if not (self.is_paused or self.is_asleep) and at > self._hears_from:
            self._waiting.append(EndOfSpeech(at))

    def pause(self) -> None:
        """Hear nothing until `work`."""
        self.is_paused = True

    def work(self) -> None:
        """Hear again, from the beginning; an upload goes on where it was."""
        if self.is_paused:
            self.is_paused = False
            self._waiting.clear()
            self._memory.clear()
            self.forget("mic")

    def abandon(self) -> list[UploadJob]:
        """End the task; return the uploads that will not be heard, each with a fault that says so."""
        abandoned, self._jobs = list(self._jobs), deque()
        self._waiting.clear()
        for job in abandoned:
            job.fault = UnitFault(RUN_FAILED, f"{self.work_id} has ended")
        return abandoned

    # Work

    @property
    def has_work(self) -> bool:
        """Return True when audio waits."""
        return not self.is_paused and bool(self._waiting or self._jobs)

    @property
    def has_period(self) -> bool:
        """Return True when microphone audio waits."""
        return not self.is_paused and bool(self._waiting)

    def work_on_mic(self) -> None:
        """Hear one slice of microphone audio."""
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
        """Hear one slice of the oldest upload; return that upload when it has been heard or is refused, else None."""
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
        """End a whole upload with a final frame; what a refused upload continued does not count."""
        if job.fault is not None:
            self.forget("upload")
        elif job.is_whole or job.is_last:
            self.end("upload", 0.0)
            if job.is_whole and not self.is_upload_answered:
                self.answer_empty()
        if not job.is_continued:
            self.is_upload_answered = False

    def _slice_after(self, first: Period) -> Period:
        """Return waiting periods, joined up to a slice; what is longer is cut."""
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
        """Queue what was spoken since the wake, unless too much waits."""
        wanted = period.since(self._hears_from)
        if not len(wanted.samples):
            return
        self._waiting.append(wanted)
        if isinstance(self._waiting[0], Period) and self._waiting[0].at < period.at - MAX_WAITING_SECONDS:
            self._shed()

    def _shed(self) -> None:
        """Drop all that waits: speech after one long gap is whole, speech with many short gaps is of no use."""
        ends = [each for each in self._waiting if isinstance(each, EndOfSpeech)]
        self.dropped += len(self._waiting) - len(ends)
        self._waiting = deque(ends)

    def _fall_asleep(self) -> None:
        self.is_asleep = True
        self._waiting.clear()
        self.forget("mic")
