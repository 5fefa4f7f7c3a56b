"""Measure speech: cost of every engine, hits and false accepts, word errors, latencies of the chain.

    python -m bench.voice                measures what is installed and writes the tables of docs/voice.md
    python -m bench.voice --only hour    measures the memory during an hour of sound; or another table alone

The chain runs in the whole daemon. Its devices are FIFOs that this program writes and reads in real time, so the time
is known at which each sample was spoken and heard.
"""

import argparse
import asyncio
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import show, write_section
from bench.speech import RATE, RECORDINGS, Samples, silence, speak
from bench.voice_daemon import Client, Daemon
from bench.voice_engines import ENGINES, PERIOD
from bench.voice_load import an_hour, ten_and_ten

PAGE = Path(__file__).parent.parent / "docs" / "voice.md"
GRAMMAR = "#JSGF V1.0; grammar home; public <c> = turn (on | off) the (kitchen | bedroom) light | tell me a story;"
LOUD = 300
THRESHOLDS = {"alexa": (0.5, 0.8, 0.9), "jarvis": (1e-10, 1e-20, 1e-30), "computer": (1e-10, 1e-20, 1e-30)}


def figures(*arguments: str) -> dict[str, float]:
    """Return the figures of an engine in a process of its own."""
    command = [sys.executable, "-m", "bench.voice_engines", *arguments]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def engines() -> list[str]:
    """Return a table of the cost of each engine, fed at the speed of a microphone."""
    lines = [show("| engine | of a core while it hears | MiB beyond the process | slowest 20 ms (ms) |")]
    lines.append(show("| --- | --- | --- | --- |"))
    for name in ENGINES:
        if "wenetspeech" in name and not RECORDINGS.is_dir():
            continue
        cost = figures("cost", name)
        lines.append(show(f"| {name} | {cost['rtf']:.1%} | {cost['mib']:.0f} | {cost['slowest_ms']:.0f} |"))
    voice = figures("voice")
    words = f"The bundled voice: {voice['first_ms']:.1f} ms to the first sound, {voice['rtf']:.4f} seconds of processor"
    return [*lines, "", show(f"{words} for a second of speech, {voice['mib']:.0f} MiB.")]


def words() -> list[str]:
    """Return a table of wake words by threshold, and a line about the errors of the bundled asr."""
    if not RECORDINGS.is_dir():
        return ["No recordings were there (UNITD_SPEECH_DIR)."]
    lines = [show("| wake word | threshold | heard | false, in other speech |"), show("| --- | --- | --- | --- |")]
    for phrase, thresholds in THRESHOLDS.items():
        for threshold in thresholds:
            found = figures("wakes", phrase, str(threshold))
            false = f"{found['false']:.0f} in {found['hours'] * 3600:.0f} s"
            lines.append(show(f"| {phrase} | {threshold:g} | {found['hits']:.0f} of {found['clips']:.0f} | {false} |"))
    wrong = figures("errors")
    rate = wrong["wrong"] / wrong["words"]
    verdict = f"{wrong['wrong']:.0f} of {wrong['words']:.0f} words wrong, {rate:.1%}"
    return [*lines, "", show(f"Bundled asr, two LibriSpeech clips: {verdict}.")]


@dataclass
class Room:
    """A microphone and a loudspeaker that are FIFOs; records when sound was played."""

    folder: Path
    heard: list[tuple[float, float]] = field(default_factory=list)
    """When a block came out of the loudspeaker (monotonic), and how loud it was."""

    def __post_init__(self) -> None:
        for name in ("microphone", "loudspeaker"):
            os.mkfifo(self.folder / name)
        self._queue: asyncio.Queue[tuple[Samples, asyncio.Future[float]]] = asyncio.Queue()

    async def say(self, samples: Samples) -> float:
        """Write speech to the microphone; return when the last sample was written."""
        spoken: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((samples, spoken))
        return await spoken

    async def run(self) -> None:
        """Write the microphone in real time and read the loudspeaker."""
        await asyncio.gather(asyncio.to_thread(self._listen), self._speak())

    def _listen(self) -> None:
        with (self.folder / "loudspeaker").open("rb", buffering=0) as fifo:
            while block := fifo.read(2 * PERIOD):
                level = float(np.abs(np.frombuffer(block[: len(block) // 2 * 2], "<i2").astype(np.int32)).max())
                self.heard.append((time.monotonic(), level))

    async def _speak(self) -> None:
        fifo = await asyncio.to_thread((self.folder / "microphone").open, "wb", 0)
        due, waiting, spoken = time.monotonic(), silence(0), None
        while True:
            if not len(waiting):
                if spoken is not None:
                    spoken.set_result(time.monotonic())
                waiting, spoken = (silence(0.02), None) if self._queue.empty() else self._queue.get_nowait()
            await asyncio.to_thread(fifo.write, waiting[:PERIOD].tobytes())
            waiting = waiting[PERIOD:]
            due += PERIOD / RATE
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def first_sound_after(self, at: float) -> float:
        """Return the next time at which there was sound."""
        return next(when for when, level in self.heard if when > at and level > LOUD)

    def last_sound_before(self, at: float) -> float:
        """Return the last time at which there was sound."""
        return max((when for when, level in self.heard if when < at and level > LOUD), default=0.0)


class Chain:
    """The whole chain, set up by one client that records when each frame came."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.tasks: dict[str, str] = {}

    async def start(self) -> None:
        """Set up the tasks with the devices of the room."""
        await self._set_up("kws", response_format="kws.bool", input="sys.pcm", kws="hey jarvis")
        await self._set_up("asr", response_format="asr.utf-8.stream", input=["sys.pcm", "kws"], grammar=GRAMMAR)
        prompt = {"prompt": "", "temperature": 0, "max_token_len": 300}
        await self._set_up("llm", model="default", response_format="llm.utf-8.stream", input=["asr", "kws"], **prompt)
        await self._set_up("tts", response_format="sys.pcm", input=["llm", "kws"])

    async def _set_up(self, unit: str, **data: Any) -> None:
        inputs = data.pop("input")
        inputs = [self.tasks.get(each, each) for each in ([inputs] if isinstance(inputs, str) else inputs)]
        self.tasks[unit] = await self._client.set_up(unit, input=inputs, **data)

    async def until(self, unit: str, is_wanted: Callable[[Any], bool] = lambda data: True) -> float:
        """Return when the next wanted frame of a unit came."""
        async with asyncio.timeout(30):
            while True:
                frame = await self._client.receive()
                if frame["work_id"] == self.tasks[unit] and is_wanted(frame["data"]):
                    return time.monotonic()


async def one_round(room: Room, chain: Chain) -> dict[str, float]:
    """Speak a wake word, a question and, in mid-answer, a wake word; return the milliseconds between the steps."""
    word_end = await room.say(np.concatenate([silence(1), trimmed(speak("hey jarvis"))]))
    woken = await chain.until("kws")
    question_end = await room.say(np.concatenate([silence(0.3), trimmed(speak("tell me a story"))]))
    final = await chain.until("asr", lambda data: data["finish"])
    first_delta = await chain.until("llm", lambda data: bool(data["delta"]))
    await asyncio.sleep(2.5)
    first_sound = room.first_sound_after(first_delta)
    again = asyncio.create_task(room.say(trimmed(speak("hey jarvis"))))
    barged = await chain.until("kws")
    await again
    await asyncio.sleep(1)
    silent = room.last_sound_before(barged + 0.9)
    await asyncio.sleep(4)  # the tasks sleep again
    return {
        "end of the wake word → wake frame": woken - word_end,
        "end of the question → final text (of it 1000 ms of endpoint silence)": final - question_end,
        "final text → first delta of the answer": first_delta - final,
        "first delta → first sound of the answer": first_sound - first_delta,
        "wake → last sound of the old answer": max(0.0, silent - barged),
    }


def trimmed(samples: Samples) -> Samples:
    """Return the sound from the first to the last loud sample."""
    loud = np.flatnonzero(np.abs(samples) > LOUD)
    return samples[loud[0] : loud[-1]]


async def latencies(rounds: int) -> list[str]:
    """Return medians over some rounds."""
    with tempfile.TemporaryDirectory() as name:
        room = Room(Path(name))
        running = asyncio.create_task(room.run())
        devices: dict[str, Any] = {
            "capture": f"file:{name}/microphone",
            "playback": f"file:{name}/loudspeaker",
            "echo": "hear",
        }
        try:
            async with Daemon(Path(name), **devices) as daemon:
                chain = Chain(await daemon.client())
                await chain.start()
                measured = [await one_round(room, chain) for _ in range(rounds)]
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
    lines = [show("| step | median (ms) | slowest (ms) |"), show("| --- | --- | --- |")]
    for step in measured[0]:
        values = [each[step] * 1e3 for each in measured]
        lines.append(show(f"| {step} | {statistics.median(values):.0f} | {max(values):.0f} |"))
    return lines


TABLES: dict[str, Callable[[], list[str]]] = {
    "engines": engines,
    "words": words,
    "chain": lambda: asyncio.run(latencies(rounds=5)),
    "load": lambda: asyncio.run(ten_and_ten()),
    "hour": lambda: asyncio.run(an_hour()),
}


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.voice")
    parser.add_argument("--only", choices=TABLES, help="one table; without it all but the hour")
    only = parser.parse_args().only
    for name in [only] if only else [name for name in TABLES if name != "hour"]:
        today = f"{datetime.datetime.now(datetime.UTC).date()}, two x86 cores."
        write_section(name, [today, "", *TABLES[name]()], PAGE)


if __name__ == "__main__":
    main()
