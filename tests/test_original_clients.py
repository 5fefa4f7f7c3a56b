"""The original's clients, as docs/original-firmware.md describes them (sections 1.5, 9 and 10), work unchanged."""

import asyncio
import os
import pty
import tty
from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest

from bench.naive import whole_answers
from tests.support.clients.original_clients import ARDUINO, ArduinoClient
from tests.support.clients.wire_client import WireClient, open_terminal
from tests.support.daemon import running_app


@pytest.fixture
async def arduino(tmp_path: Path) -> AsyncIterator[ArduinoClient]:
    """The client behind a serial line of a daemon."""
    main_end, line_end = pty.openpty()
    tty.setraw(main_end)
    tty.setraw(line_end)
    async with running_app(tmp_path, {"serial": {"device": os.ttyname(line_end)}}):
        line = await open_terminal(main_end)
        yield ArduinoClient(line)
        await line.close()
    os.close(main_end)
    os.close(line_end)


async def test_the_text_assistant_example(arduino: ArduinoClient) -> None:
    """Connect, reset, setup, and two questions under the same request_id."""
    await arduino.begin()
    llm = await arduino.set_up("llm")

    answers = [await arduino.ask(llm, question) for question in ("hello", "what is your name")]

    assert all(answers)
    assert arduino.codes == [0]


async def test_the_voice_assistant_example(arduino: ArduinoClient) -> None:
    """Connect twice, reset, audio, kws, asr and llm: all are answered in time, the llm listens to both."""
    await arduino.begin()
    await arduino.set_up("audio")
    kws = await arduino.set_up("kws")
    asr = await arduino.set_up("asr", input=["sys.pcm", kws])
    llm = await arduino.set_up("llm", input=[asr, kws])

    info = await arduino.call("info", llm, "taskinfo", 2)
    await arduino.send({"request_id": "button", "work_id": kws, "action": "trigger"})
    detected = await arduino.wait_for("kws_setup", 2)

    assert arduino.codes == [0, 0, 0, 0]
    assert info["data"]["inputs_"] == [asr, kws]
    assert (detected["work_id"], detected["object"], detected["data"]) == (kws, "kws.bool", True)


async def test_the_micropython_client(client: WireClient) -> None:
    """uiflow: ujson's spacing, keys in any order, input as text; every message is read without a guard."""
    requests = [
        b'{"data": "None", "object": "None", "action": "ping", "work_id": "sys", "request_id": "sys_ping"}',
        b'{"object": "kws.setup", "request_id": "kws_setup", "data": {"enoutput": true, "kws": "HELLO", "input": '
        b'"sys.pcm", "enwake_audio": true, "model": "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01", '
        b'"response_format": "kws.bool"}, "work_id": "kws", "action": "setup"}',
    ]

    answers = []
    for request in requests:
        await client.send_bytes(request)
        answers.append(await client.receive())

    assert [(each["request_id"], each["error"]["code"]) for each in answers] == [("sys_ping", 0), ("kws_setup", 0)]
    assert answers[1]["work_id"] == "kws.1000"


async def test_the_benchmark_client(client: WireClient) -> None:
    """It reads one chunk and parses everything in it: exactly one line may come for a setup and an exit."""
    llm = ARDUINO["llm"].data
    setup = {"request_id": "llm_001", "work_id": "llm", "action": "setup", "object": "llm.setup", "data": llm}

    await client.send_bytes(orjson.dumps(setup))
    reply = orjson.loads(await client.reader.read(4096))
    work_id = reply["work_id"]
    frames = await client.frames(await client.infer(work_id, "hello"))
    await client.send_bytes(orjson.dumps({"request_id": "llm_exit", "work_id": work_id, "action": "exit"}))
    farewell = orjson.loads(await client.reader.read(4096))

    assert all(set(frame["data"]) == {"delta", "finish", "index"} for frame in frames)
    assert (farewell["request_id"], farewell["error"]["code"]) == ("llm_exit", 0)


async def test_a_client_that_takes_one_read_for_one_frame_reads_every_answer(tmp_path: Path) -> None:
    """The published Python clients parse all that they have read when a newline is in it; each reads every answer.

    The interval is larger than the default, so that a busy machine changes nothing.
    """
    async with running_app(tmp_path, {"tcp": {"frame_interval_ms": 100}}) as app:
        address = tuple(app.endpoints["tcp"])

        whole, frames = await asyncio.to_thread(whole_answers, address, answers=5, interval=None)

    assert whole == 5
    assert frames > 10
