"""What all hearing units share: messages put audio into the queues of tasks, steps take slices from them.

A unit makes its tasks (`make_task`); the head of `hearing_task.py` describes their life.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from unitd.wire.envelope import Envelope
from units.base import LATER, UNAVAILABLE, Handler, Unit
from units.host import Host
from units.sound.hearing_task import HearingTask, Period
from units.sound.upload import Samples
from units.sound.upload_job import UploadJob, job_of
from units.trials import Trial, Trials

# A board that is too slow loses audio all the time; one line in so many seconds is enough.
COMPLAINT_SECONDS = 1.0


class HearingUnit(Unit, ABC):
    """A unit that serves all tasks of one engine, one slice of each task in turn."""

    def __init__(self, host: Host, clock: Callable[[], float] = time.monotonic) -> None:
        self._host = host
        self._clock = clock
        self._tasks: dict[str, HearingTask] = {}
        self._trials = Trials(host)
        self._complained_at = -COMPLAINT_SECONDS
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "pcm": self._take_period,
            "hear": self._take_upload,
            "idle": self._end_upload,
            "wake": self._wake,
            "speech": self._take_speech,
            "linked": self._link,
            "unlinked": self._unlink,
            "pause": self._pause,
            "work": self._resume,
            "exit": self._exit,
            "tried": self._trials.on_tried,
        }

    @abstractmethod
    def make_task(self, work_id: str, data: dict[str, Any]) -> HearingTask:
        """Return the task of a setup; raise UnitFault for a bad value."""

    def trial_of(self, data: dict[str, Any]) -> Trial | None:
        """Return what must be tried before there is a task, or None. Raise UnitFault for what needs no trial."""
        return None

    # Work

    @property
    def is_busy(self) -> bool:
        """Return True while audio waits."""
        return any(task.has_work for task in self._tasks.values())

    def step(self) -> None:
        """Hear one slice of the microphone and one of an upload, for the task that has waited longest."""
        task = next(task for task in self._tasks.values() if task.has_work)
        self._tasks[task.work_id] = self._tasks.pop(task.work_id)  # after all others
        task.work_on_mic()
        if (upload := task.work_on_upload()) is not None:
            self._host.answer(upload.envelope, **upload.outcome)
        self._complain()

    def _complain(self) -> None:
        now = self._clock()
        if now - self._complained_at < COMPLAINT_SECONDS:
            return
        for task in self._tasks.values():
            if task.dropped:
                words = f"{task.work_id} cannot keep up, {task.dropped} microphone periods were dropped"
                self._host.log("warning", words)
                self._host.say("shed", periods=task.dropped)
                task.dropped = 0
                self._complained_at = now

    # Messages

    def _setup(self, envelope: Envelope) -> Mapping[str, Any] | None:
        trial = self.trial_of(envelope.fields["data"])
        if trial is None:
            self._begin(envelope)
            return None

        def go_on(result: Any) -> None:
            trial.check(result)
            self._begin(envelope)

        self._trials.add(envelope, trial.begin, go_on)
        return LATER

    def _begin(self, envelope: Envelope) -> None:
        work_id = envelope.fields["task"]
        self._tasks[work_id] = self.make_task(work_id, envelope.fields["data"])

    def _take_period(self, envelope: Envelope) -> None:
        samples: Samples = np.frombuffer(envelope.payload, "<i2")
        if not len(samples):
            return
        for work_id in envelope.fields["tasks"]:
            if (task := self._tasks.get(work_id)) is not None:
                task.take_period(Period(envelope.fields["at"], samples))
                # A file that is read fast waits for the answer, and sends no more before this period is heard.
                while "seq" in envelope.fields and task.has_period:
                    task.work_on_mic()

    def _take_upload(self, envelope: Envelope) -> Mapping[str, Any]:
        """Read an upload at once, to be heard in steps; what cannot be used is refused when its turn comes."""
        task = self._tasks[envelope.fields["task"]]
        task.take_upload(job_of(envelope, task.upload))
        return LATER

    def _end_upload(self, envelope: Envelope) -> Mapping[str, Any] | None:
        """End an utterance: its client sends no more."""
        if (task := self._tasks.get(envelope.fields["task"])) is None:
            return None
        task.take_upload(UploadJob(envelope, task.upload.finish(), is_last=True))
        return LATER

    def _wake(self, envelope: Envelope) -> None:
        if (task := self._tasks.get(envelope.fields["task"])) is not None:
            fields = envelope.fields
            chimes, is_repeat = bool(fields.get("chimes")), bool(fields.get("is_repeat"))
            task.wake(fields["at"], fields.get("phrase", ""), chimes=chimes, is_repeat=is_repeat)

    def _take_speech(self, envelope: Envelope) -> None:
        task = self._tasks.get(envelope.fields["task"])
        if task is not None and not envelope.fields["is_speech"]:
            task.end_speech(envelope.fields["at"])

    def _link(self, envelope: Envelope) -> None:
        if (task := self._tasks.get(envelope.fields["task"])) is not None:
            task.link(envelope.fields["source"])

    def _unlink(self, envelope: Envelope) -> None:
        if (task := self._tasks.get(envelope.fields["task"])) is not None:
            task.unlink(envelope.fields["source"])

    def _pause(self, envelope: Envelope) -> None:
        self._tasks[envelope.fields["task"]].pause()

    def _resume(self, envelope: Envelope) -> None:
        self._tasks[envelope.fields["task"]].work()

    def _exit(self, envelope: Envelope) -> None:
        for setup in self._trials.drop(envelope.fields["task"]):
            self._host.answer(setup, code=UNAVAILABLE, message="the task was ended")
        if (task := self._tasks.pop(envelope.fields["task"], None)) is not None:
            for upload in task.abandon():
                self._host.answer(upload.envelope, **upload.outcome)
