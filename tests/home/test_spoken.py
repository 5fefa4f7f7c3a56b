"""Spoken, and everything real: a recorded wake word, a command, the bundled ears, model and voice, and a broker."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import TOOLS
from tests.support.servers.brokers import Broker, Listener
from tests.support.units.spoken import joined, recording, silence, speak
from tests.support.units.voice_setups import write_wav

COMMANDS = (Path(__file__).parents[2] / "examples" / "home" / "commands.jsgf").read_text()


@pytest.mark.timeout(60)
async def test_a_spoken_command_switches_the_light(tmp_path: Path, broker: Broker, listener: Listener) -> None:
    """From the microphone to the light's topic, and a spoken answer."""
    (tmp_path / "tools.toml").write_text(TOOLS)
    spoken = joined(silence(0.5), recording("wake/alexa/10.wav"), silence(0.4), speak("turn on the kitchen light"))
    microphone = write_wav(tmp_path / "in.wav", joined(spoken, silence(2)))
    tables = {
        "audio": {"capture": microphone, "playback": f"file:{tmp_path}/out.wav"},
        "mqtt": {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"},
        "home": {"tools": str(tmp_path / "tools.toml")},
    }
    async with running_app(tmp_path, tables) as app, tcp_client(app) as client:
        kws = await client.setup(
            "kws", {"model": "unitd-kws", "response_format": "kws.bool", "enoutput": True, "kws": "alexa"}
        )
        ears = {"model": "unitd-asr", "response_format": "asr.utf-8.stream", "enoutput": True, "grammar": COMMANDS}
        asr = await client.setup("asr", ears | {"input": kws})
        mind = {"model": "unitd-chat", "prompt": "You are a home assistant.", "tools": "home", "temperature": 0}
        form = {"response_format": "llm.utf-8.stream", "enoutput": True}
        llm = await client.setup("llm", mind | form | {"input": [asr, kws]})
        voice = {"model": "unitd-tts", "response_format": "sys.pcm", "enoutput": True}
        await client.setup("tts", voice | {"input": [llm, kws]})

        for ear in (asr, kws):
            await client.ask(work_id=ear, action="link", data="sys.pcm")
        await listener.until(lambda: bool(listener.on("home/kitchen/set")), 30)
        async with asyncio.timeout(20):
            while (await client.receive())["object"] != "tts.played":
                pass

    assert listener.on("home/kitchen/set") == [b"ON"]
    assert np.abs(np.fromfile(tmp_path / "out.wav", "<i2", offset=44)).max() > 3000
