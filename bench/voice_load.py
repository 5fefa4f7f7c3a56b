"""Measure twenty tasks with one microphone, and an hour of sound through one of each kind: speed and memory."""

import asyncio
import json
import random
import re
import tempfile
import time
import wave
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import show
from bench.speech import LIBRI, RATE, Samples, clips_of, silence, speak
from bench.voice_daemon import Client, Daemon

GRAMMAR = "#JSGF V1.0; grammar home; public <c> = turn (on | off) the (kitchen | bedroom) light | tell me a story;"
COMMANDS = ("turn on the kitchen light", "turn off the bedroom light", "tell me a story")
WAKE = "alexa"
VOICES = ("slt", "rms", "awb", "kal16")
SENTENCES = (
    *COMMANDS,
    *LIBRI.values(),
    "good morning, the coffee is ready and the bus leaves in ten minutes",
    "did you hear what the weather will be like on saturday",
    "please put the green chair next to the window",
    "the train to the north was late again, so we walked home along the river",
)

TASKS = 10
LOAD_SECONDS = 60
HOUR_MINUTES = 60


@dataclass
class Heard:
    """The output of the tasks."""

    wakes: int = 0
    texts: list[str] = field(default_factory=list)

    async def follow(self, client: Client, last: str = "") -> None:
        """Count frames until the frame of the request `last`; without `last`, for ever."""
        while True:
            frame = await client.receive()
            if frame["request_id"] == last:
                return
            self.wakes += frame["data"] is True
            if frame["work_id"].startswith("asr.") and isinstance(frame["data"], str) and frame["data"]:
                self.texts.append(frame["data"])


# Ten and ten


def a_busy_minute() -> Samples:
    """Return a minute in which the wake word and a command are repeated."""
    rounds = [sound for each in COMMANDS for sound in (speak(WAKE), silence(0.5), speak(each), silence(1.5))]
    return np.concatenate([silence(1), np.resize(np.concatenate(rounds), (LOAD_SECONDS - 1) * RATE)])


async def ten_and_ten() -> list[str]:
    """Return a table about ten tasks of each unit with one microphone in real time.

    It has processor time, memory, dropped periods and recognised speech.
    """
    loads: dict[str, tuple[int, dict[str, Any] | None]] = {
        f"{TASKS} kws": (TASKS, None),
        f"{TASKS} kws and {TASKS} asr with a grammar": (TASKS, {"grammar": GRAMMAR}),
        f"{TASKS} kws and {TASKS} asr, free speech": (TASKS, {}),
    }
    lines = [
        show("| tasks | of a core: kws, asr, daemon and microphone | asr, MiB | shed periods | wakes | sentences |"),
        show("| --- | --- | --- | --- | --- | --- |"),
    ]
    alone = {json.dumps(asr): await _listen(1, asr) for _, asr in loads.values()}
    for name, (count, asr) in loads.items():
        found, one = await _listen(count, asr), alone[json.dumps(asr)]
        known = sum(found.heard.texts.count(text) for text in set(one.heard.texts))
        sentences = f"{known} of {count * len(one.heard.texts)}" if asr is not None else ""
        heard = f"{found.heard.wakes} of {count * one.heard.wakes} | {sentences}"
        lines.append(show(f"| {name} | {found.shares} | {found.asr_mib:.0f} | {found.shed} | {heard} |"))
    return lines


@dataclass
class Found:
    """The result of one run."""

    heard: Heard
    shares: str
    asr_mib: float
    shed: int


async def _listen(count: int, asr: dict[str, Any] | None) -> Found:
    """Play a busy minute to so many tasks of both units (asr None: without asr); return the result."""
    with tempfile.TemporaryDirectory() as name:
        recording = Path(name) / "microphone.wav"
        with wave.open(str(recording), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
            file.writeframes(a_busy_minute().tobytes())
        async with Daemon(Path(name), capture=f"file:{recording}") as daemon:
            client, heard = await daemon.client(), Heard()
            tasks = [await client.set_up("kws", kws=WAKE, input=[]) for _ in range(count)]
            if asr is not None:
                free = {"response_format": "asr.utf-8", "input": []} | asr
                tasks += [await client.set_up("asr", **free) for _ in range(count)]
            before, began = daemon.processor_seconds(), time.monotonic()
            for task in tasks:  # the first opens the microphone, the last exists before any speech
                await client.link(task, "sys.pcm")
            following = asyncio.create_task(heard.follow(client))
            await asyncio.sleep(LOAD_SECONDS + 3)
            following.cancel()
            spent, seconds = daemon.processor_seconds(), time.monotonic() - began
            return Found(heard, _shares(before, spent, seconds), daemon.mebibytes().get("asr", 0.0), _shed(daemon.log))


def _shares(before: dict[str, float], after: dict[str, float], seconds: float) -> str:
    used = {name: (value - before.get(name, 0.0)) / seconds for name, value in after.items()}
    return f"{used.get('kws', 0):.1%}, {used.get('asr', 0):.1%}, {used['daemon'] + used['audio']:.1%}"


def _shed(log: str) -> int:
    """Return the dropped periods that the units and the daemon have reported."""
    by_daemon: dict[str, int] = {}
    for child, count in re.findall(r"(\S+) does not keep up with the microphone: (\d+)", log):
        by_daemon[child] = int(count)
    return sum(map(int, re.findall(r"(\d+) microphone periods were dropped", log))) + sum(by_daemon.values())


# The hour


def minutes(count: int) -> Iterator[Samples]:
    """Yield minutes of speech, noise and silence in turn, all different."""
    chance, noise = random.Random(1), np.random.default_rng(1)
    spoken = [speak(text, voice) for text in (*SENTENCES, WAKE) for voice in VOICES]
    spoken += [*clips_of("speech"), *clips_of("wake/alexa"), *clips_of("wake/computer"), *clips_of("wake/jarvis")]
    for _ in range(count):
        pieces: list[Samples] = []
        while sum(map(len, pieces)) < 60 * RATE:
            pieces += [_louder(chance.choice(spoken), chance.uniform(0.3, 1.0)), silence(chance.uniform(0.2, 3))]
            if chance.random() < 0.2:
                level, length = chance.choice((30, 300, 1500)), int(chance.uniform(1, 8) * RATE)
                pieces.append(noise.normal(0, level, length).astype(np.int16))
        yield np.concatenate(pieces)[: 60 * RATE]


def _louder(samples: Samples, factor: float) -> Samples:
    return (samples * np.float32(factor)).astype(np.int16)


async def an_hour() -> list[str]:
    """Return a table of the resident memory during an hour of sound, uploaded as fast as the daemon reads."""
    with tempfile.TemporaryDirectory() as name:
        async with Daemon(Path(name)) as daemon:
            ears, pen = await daemon.client(), await daemon.client()
            kws = await ears.set_up("kws", kws=WAKE, input="kws.base64")
            asr = await pen.set_up("asr", response_format="asr.utf-8", input="asr.base64")
            heard, written, began = Heard(), Heard(), time.monotonic()
            following = [heard.follow(ears, "last"), written.follow(pen, "last")]
            ends = [asyncio.create_task(each) for each in following]
            samples = [daemon.mebibytes()]
            for minute in minutes(HOUR_MINUTES):
                await asyncio.gather(_send(ears, kws, minute), _send(pen, asr, minute))
                samples.append(daemon.mebibytes())
                show(f"{len(samples) - 1} min: " + ", ".join(f"{k} {v:.1f} MiB" for k, v in samples[-1].items()))
            await ears.upload(kws, np.concatenate([silence(2), speak(WAKE), silence(1)]), "last")
            await pen.upload(asr, speak(COMMANDS[0]), "last", ".wav")
            await asyncio.gather(*ends)
            samples.append(daemon.mebibytes())
            seconds = time.monotonic() - began
    counts = f"{heard.wakes} wakes and {len(written.texts)} sentences were heard"
    return [*_table(samples), "", show(f"{HOUR_MINUTES} minutes of sound were taken in {seconds:.0f} s; {counts}.")]


async def _send(client: Client, task: str, samples: Samples) -> None:
    """Send a sound second by second, as a recording client would; the daemon decides when it reads."""
    for at in range(0, len(samples), RATE):
        await client.upload(task, samples[at : at + RATE], "hour")


def _table(samples: list[dict[str, float]]) -> list[str]:
    lines = [show("| resident, MiB | at setup | after 5 min of sound | at the end | most |")]
    lines.append(show("| --- | --- | --- | --- | --- |"))
    for name in samples[0]:
        course = [each[name] for each in samples]
        lines.append(show(f"| {name} | {course[0]:.1f} | {course[5]:.1f} | {course[-1]:.1f} | {max(course):.1f} |"))
    return lines
