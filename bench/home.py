"""Measure the home: a spoken command to its MQTT message, a written one in 500 devices, and fifty boards on one broker.

    python -m bench.home                 measures and writes the tables of docs/home.md
    python -m bench.home --only boards   one of them: latency, sentences or boards
    python -m bench.home --model FILE    with another language model (a GGUF file) than the bundled one

The chain is the bundled one, in the whole daemon: a recorded "alexa", then a command that flite speaks, through a
microphone that is a FIFO written in real time. So the time at which the last sample was spoken is known.
"""

import argparse
import asyncio
import datetime
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import numpy as np

from bench.broker import Listener, broker, listening
from bench.report import show, write_section
from bench.speech import Samples, clips_of, silence, speak
from bench.understanding import asked_of
from bench.voice import Room, trimmed
from bench.voice_daemon import Client, Daemon

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "home.md"
TOOLS = ROOT / "examples" / "home" / "tools.toml"
GRAMMAR = (ROOT / "examples" / "home" / "commands.jsgf").read_text()
COMMANDS = {
    "turn on the kitchen light": "home/kitchen_light/set",
    "turn off the bedroom lamp": "home/bedroom_lamp/set",
    "turn on the desk lamp": "home/desk_lamp/set",
    "please turn off the kitchen light": "home/kitchen_light/set",
    "turn on the night light": "home/bedroom_lamp/set",
}
ROUNDS = 2
# Silence that ends an utterance; the default is 1000, but a command contains no pauses.
SILENCE_TIMEOUT_MS = 500
BOARDS = 50
DEVICES = 500
TABLES = ("latency", "sentences", "boards")


async def set_up_chain(client: Client, model: str) -> dict[str, str]:
    """Set up the tasks of a board that listens; return their work_ids by unit."""
    tasks: dict[str, str] = {}
    tasks["kws"] = await client.set_up("kws", input="sys.pcm", kws="alexa")
    ears = {"grammar": GRAMMAR, "silence_timeout": SILENCE_TIMEOUT_MS, "response_format": "asr.utf-8.stream"}
    tasks["asr"] = await client.set_up("asr", input=["sys.pcm", tasks["kws"]], **ears)
    mind = {"model": model, "prompt": "You are a home assistant.", "tools": "home", "temperature": 0}
    inputs = [tasks["asr"], tasks["kws"]]
    tasks["llm"] = await client.set_up("llm", input=inputs, response_format="llm.utf-8.stream", **mind)
    tasks["tts"] = await client.set_up("tts", input=[tasks["llm"], tasks["kws"]], response_format="sys.pcm")
    return tasks


class Story:
    """The times at which each frame of the chain came."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.frames: list[tuple[float, dict[str, Any]]] = []

    def told(self, since: float) -> str:
        """Return what has come since then, for a command that got lost."""
        frames = [frame for at, frame in self.frames if at > since and frame["object"] != "sys.pcm"]
        return ", ".join(f"{frame['object']} {frame['data']}" for frame in frames) or "nothing"

    async def run(self) -> None:
        """Record frames until cancelled."""
        while True:
            frame = await self._client.receive()
            self.frames.append((time.monotonic(), frame))

    def first(self, object_: str, since: float) -> float:
        """Return the time of the first finished frame."""
        return next(
            (
                at
                for at, frame in self.frames
                if at > since and frame["object"] == object_ and frame["data"].get("finish", True)
            ),
            0.0,
        )


async def one_command(room: Room, story: Story, listener: Listener, wake: Samples, command: str) -> dict[str, float]:
    """Return the milliseconds from the end of the command to each step; empty when it was not understood."""
    begin = time.monotonic()
    end = await room.say(np.concatenate([silence(1), wake, silence(0.4), trimmed(speak(command))]))
    topic = COMMANDS[command]
    try:
        await listener.until(lambda: any(at > end and on == topic for at, on, _ in listener.heard), 5)
    except TimeoutError:
        show(f"lost; the chain said {story.told(begin)}")
        return {}
    message = next(at for at, on, _ in listener.heard if at > end and on == topic)
    await asyncio.sleep(4)  # the answer is spoken, then there is silence
    return {
        "final text": 1e3 * (story.first("asr.utf-8.stream", end) - end),
        "tool call": 1e3 * (story.first("llm.tool_call", end) - end),
        "message on the light's topic": 1e3 * (message - end),
        "first sound of the answer": 1e3 * (room.first_sound_after(message) - end),
    }


async def latency(model_file: Path | None) -> list[str]:
    """Return a table of medians."""
    wakes = clips_of("wake/alexa")
    if not wakes:
        raise SystemExit("no recordings of a wake word: UNITD_SPEECH_DIR names their folder")
    measured: list[dict[str, float]] = []
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = await stack.enter_async_context(broker(folder))
        listener = await stack.enter_async_context(listening(port, "home/#"))
        room = Room(folder)
        running = [asyncio.create_task(room.run())]
        devices = {"capture": f"file:{folder}/microphone", "playback": f"file:{folder}/loudspeaker", "echo": "hear"}
        tables = f'[mqtt]\nport = {port}\nnode = "bench"\n[home]\ntools = "{TOOLS}"\n'
        models = [model_file.parent] if model_file else []
        daemon = await stack.enter_async_context(Daemon(folder, tables, models, **devices))
        client = await daemon.client()
        await set_up_chain(client, model_file.stem if model_file else "unitd-chat")
        story = Story(client)
        running.append(asyncio.create_task(story.run()))
        for wake, command in zip(wakes, list(COMMANDS) * ROUNDS, strict=False):
            steps = await one_command(room, story, listener, wake, command)
            show(f"{command}: {', '.join(f'{step} {ms:.0f}' for step, ms in steps.items()) or 'nothing arrived'}")
            measured.append(steps)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return _latency_table(measured)


def _latency_table(measured: list[dict[str, float]]) -> list[str]:
    done = [steps for steps in measured if steps]
    lines = [show("| end of the command to | median (ms) | slowest (ms) |"), show("| --- | --- | --- |")]
    for step in done[0]:
        values = [steps[step] for steps in done]
        lines.append(show(f"| {step} | {statistics.median(values):.0f} | {max(values):.0f} |"))
    words = f"{len(done)} of {len(measured)} commands arrived. {SILENCE_TIMEOUT_MS} ms of each time are the silence"
    return [*lines, "", show(f"{words} that ends an utterance (`silence_timeout` at the asr's setup; usually 1000).")]


async def sentences() -> list[str]:
    """Ask the English sentences of the check in a house of 500 devices; return the times to the first call."""
    asked = await asked_of("en", DEVICES, "en", "llm")
    lines = [show("| understood by | sentences | median (ms) | 95 % within (ms) |"), show("| --- | --- | --- | --- |")]
    for by, name in (("intent", "intents, without a model"), ("model", "the bundled model")):
        times = sorted(each.answer.seconds * 1e3 for each in asked if each.answer.by == by)
        slow = times[int(0.95 * len(times))]
        lines.append(show(f"| {name} | {len(times)} | {statistics.median(times):.0f} | {slow:.0f} |"))
    return lines


async def boards() -> list[str]:
    """Run fifty daemons on one broker; return the lines for the page."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = await stack.enter_async_context(broker(folder))
        listener = await stack.enter_async_context(listening(port, "homeassistant/#", "unitd/+/reply/#"))
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(BOARDS):
                group.create_task(_start_board(stack, folder / f"board{number}", port))
        ready = time.monotonic()
        wanted = {f"homeassistant/device/unitd_board{number}/config" for number in range(BOARDS)}
        await listener.until(lambda: wanted <= {topic for _, topic, _ in listener.heard}, 10)
        announced = max(at for at, topic, _ in listener.heard if topic in wanted)
        asked = time.monotonic()
        for number in range(BOARDS):
            request = f'{{"request_id":"for-{number}","work_id":"sys","action":"ping"}}'
            await listener.client.publish(f"unitd/board{number}/request", request, qos=1)
        right = {f"unitd/board{number}/reply/for-{number}" for number in range(BOARDS)}
        await listener.until(lambda: right <= {topic for _, topic, _ in listener.heard}, 10)
        answered = time.monotonic()
        await asyncio.sleep(1)  # for answers without a request
        replies = [topic for _, topic, _ in listener.heard if "/reply/" in topic]
    stray = len(replies) - len(right & set(replies))
    late, waited = max(0.0, announced - ready) * 1e3, (answered - asked) * 1e3
    return [
        show(
            f"{BOARDS} boards were ready {ready - began:.0f} s after their start, all on this machine; the last of them"
        ),
        show(f"stood in Home Assistant's topics {late:.0f} ms after that. A request to each was answered within"),
        show(f"{waited:.0f} ms, by the board that was asked: {len(replies)} answers, {stray} of them stray."),
    ]


async def _start_board(stack: AsyncExitStack, folder: Path, port: int) -> None:
    await asyncio.to_thread(folder.mkdir)
    await stack.enter_async_context(Daemon(folder, f'[mqtt]\nport = {port}\nnode = "{folder.name}"\n'))


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.home")
    parser.add_argument("--only", choices=TABLES, help="one table")
    parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file instead of the bundled model")
    arguments = parser.parse_args()
    today = f"{datetime.datetime.now(datetime.UTC).date()}, two x86 cores."
    wanted = [arguments.only] if arguments.only else TABLES
    if "latency" in wanted:
        write_section("latency", [today, "", *asyncio.run(latency(arguments.model))], PAGE)
    if "sentences" in wanted:
        write_section("sentences", [today, "", *asyncio.run(sentences())], PAGE)
    if "boards" in wanted:
        write_section("boards", [today, *asyncio.run(boards())], PAGE)


if __name__ == "__main__":
    main()
