"""The kws unit: tasks and the messages of the daemon.

The microphone is heard as it comes. Where hearing takes longer than the sound lasts, all that waits is dropped at once:
a gap of two seconds harms less than a word that is heard late, or in shreds. Uploads wait in one row and are heard half
a second of audio at a time between the messages, so that an hour of sound from a client delays no wake word.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unitd.wire.envelope import Envelope
from units.base import LATER, RUN_FAILED, Handler, LoadError, Unit, UnitFault
from units.engines import ENGINES, find_engine
from units.host import Host
from units.kws.spotter import Engine
from units.kws.task import KwsTask
from units.kws.wake_stream import Wake
from units.sound.upload import RATE, Samples
from units.sound.upload_job import UploadJob, job_of

SLICE = RATE // 2
"""Samples of an upload in one step: some 15 ms of computing."""

MAX_WAITING = 2 * RATE
"""Samples of the microphone that may wait: what is older comes too late for an answer."""


@dataclass
class _Period:
    """A period of the microphone; the envelope is answered when the tasks have heard it, too."""

    envelope: Envelope
    samples: Samples
    tasks: list[str]


@dataclass
class _Hearing:
    """An upload that waits to be heard by a task."""

    task: KwsTask
    job: UploadJob
    has_woken: bool = False


class KwsUnit(Unit):
    """A unit that serves all kws tasks of one model."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._tasks: dict[str, KwsTask] = {}
        self._periods: deque[_Period] = deque()
        self._waiting = 0
        """Samples in all periods."""
        self._hearings: deque[_Hearing] = deque()
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "pcm": self._pcm,
            "hear": self._hear,
            "idle": self._end_upload,
            "trigger": self._trigger,
            "pause": self._pause,
            "work": self._work,
            "exit": self._exit,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load the card's engine."""
        if load["engine"] not in ENGINES["kws"]:
            raise LoadError(f"kws has no engine {load['engine']!r}; it has {', '.join(ENGINES['kws'])}")
        self._engine: Engine = find_engine("kws", load["engine"])(load["path"])
        return {"about": self._engine.about}

    @property
    def is_busy(self) -> bool:
        """Return True while something waits to be heard."""
        return bool(self._periods or self._hearings)

    def step(self) -> None:
        """Hear what the microphone has sent, and a slice of the oldest upload."""
        self._hear_microphone()
        if self._hearings:
            self._hear_upload()

    def _hear_microphone(self) -> None:
        heard = 0
        while self._periods and heard < SLICE:
            period = self._periods.popleft()
            heard += len(period.samples)
            for work_id in period.tasks:
                task = self._tasks[work_id]
                self._tell(task, task.hear("mic", period.samples), "mic", period.envelope.fields["at"])
            self._host.answer(period.envelope)
        self._waiting -= heard

    def _hear_upload(self) -> None:
        """Hear a slice; answer when all of the upload has been heard, or is refused."""
        hearing = self._hearings[0]
        task, job = hearing.task, hearing.job
        if job.fault is None:
            wakes = task.hear("upload", job.take(SLICE))
            is_over = not len(job.samples)
            if is_over and (job.is_whole or job.is_last):
                wakes += task.finish("upload")
            hearing.has_woken = hearing.has_woken or bool(wakes)
            self._tell(task, wakes, "upload")
            if not is_over:
                return
            if job.is_whole and not hearing.has_woken:  # a whole recording is answered in any case
                self._host.say("event", task=task.work_id, data=False, source="upload")
        self._hearings.popleft()
        self._host.answer(job.envelope, **job.outcome)

    # Messages

    def _setup(self, envelope: Envelope) -> None:
        work_id = envelope.fields["task"]
        self._tasks[work_id] = KwsTask(work_id, envelope.fields["data"], self._engine, partial(self._warn, work_id))

    def _warn(self, work_id: str, words: str) -> None:
        self._host.log("warning", f"{work_id}: {words}")

    def _pcm(self, envelope: Envelope) -> Mapping[str, Any]:
        """Queue a period of the microphone for all listening tasks; a task that has just ended is left out."""
        samples: Samples = np.frombuffer(envelope.payload, "<i2", len(envelope.payload) // 2).astype(np.int16)
        if self._waiting + len(samples) > MAX_WAITING:
            self._shed()
        listening = [each for each in envelope.fields["tasks"] if each in self._tasks]
        tasks = [each for each in listening if not self._tasks[each].is_paused]
        self._periods.append(_Period(Envelope(envelope.type, envelope.fields), samples, tasks))
        self._waiting += len(samples)
        return LATER

    def _shed(self) -> None:
        dropped, self._periods, self._waiting = self._periods, deque(), 0
        self._host.log("warning", f"kws cannot keep up, {len(dropped)} microphone periods were dropped")
        self._host.say("shed", periods=len(dropped))
        for period in dropped:
            self._host.answer(period.envelope)

    def _hear(self, envelope: Envelope) -> Mapping[str, Any] | None:
        task = self._task_of(envelope)
        if task.is_paused:
            return None
        self._hearings.append(_Hearing(task, job_of(envelope, task.upload)))
        return LATER

    def _end_upload(self, envelope: Envelope) -> Mapping[str, Any] | None:
        """Decide a word in the last samples: the client sends no more."""
        task = self._tasks.get(envelope.fields["task"])
        if task is None or task.is_paused:
            return None
        self._hearings.append(_Hearing(task, UploadJob(envelope, task.upload.finish(), is_last=True)))
        return LATER

    def _trigger(self, envelope: Envelope) -> None:
        task = self._task_of(envelope)
        self._host.say("event", task=task.work_id, data=task.triggered_data(), is_wake=True, source="trigger")

    def _pause(self, envelope: Envelope) -> None:
        task = self._task_of(envelope)
        self._drop_waiting(task)
        task.pause()

    def _work(self, envelope: Envelope) -> None:
        self._task_of(envelope).work()

    def _exit(self, envelope: Envelope) -> None:
        self._drop_waiting(self._task_of(envelope))
        del self._tasks[envelope.fields["task"]]

    def _task_of(self, envelope: Envelope) -> KwsTask:
        work_id = envelope.fields["task"]
        if work_id not in self._tasks:
            raise UnitFault(RUN_FAILED, f"there is no task {work_id}")
        return self._tasks[work_id]

    def _drop_waiting(self, task: KwsTask) -> None:
        """Drop what waits for a task; refuse recordings, whose senders wait for an answer."""
        for period in self._periods:
            period.tasks = [each for each in period.tasks if each != task.work_id]
        dropped = [each.job for each in self._hearings if each.task is task]
        self._hearings = deque(each for each in self._hearings if each.task is not task)
        for job in dropped:
            stopped = UnitFault(RUN_FAILED, f"{task.work_id} was stopped before it heard this")
            job.fault = stopped if job.is_whole else None
            self._host.answer(job.envelope, **job.outcome)

    def _tell(self, task: KwsTask, wakes: list[Wake], source: str, at: float | None = None) -> None:
        """Send wakes as events; `at` is the time of the last sample heard, which only the microphone has."""
        for wake in wakes:
            fields: dict[str, Any] = {"source": source, "phrase": wake.phrase, "score": wake.score}
            if at is not None:
                fields["heard_at"] = at - (task.heard("mic") - wake.at) / RATE
                fields["word_ended_at"] = at - (task.heard("mic") - wake.ended) / RATE
            if wake.is_repeat:
                self._tell_repeat(task, fields)
                continue
            if at is not None and task.options.wants_chime:
                fields["chime"] = True
            data = task.data_of(wake.phrase, wake.at / RATE, wake.score)
            self._host.say("event", task=task.work_id, data=data, is_wake=True, **fields)

    def _tell_repeat(self, task: KwsTask, fields: Mapping[str, Any]) -> None:
        """Tell the daemon alone, and only of the microphone: no other task hears what clients upload."""
        if "heard_at" in fields:
            self._host.say("event", task=task.work_id, is_repeat=True, **fields)
