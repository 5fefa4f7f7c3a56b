"""Covers cli.say, cli.listen and cli.chain: real speech through the installed script and a real daemon."""

import asyncio
import signal
import wave
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient, ask_sys
from tests.support.command_line import Finished, start, unitd, unitd_in_process
from tests.support.daemon import running_app, shared_app, start_audio, tcp_client
from tests.support.setups import ASR_SETUP, KWS_SETUP, LLM_SETUP, TTS_SETUP
from tests.support.units.spoken import RATE, Samples, joined, read_wav, silence, speak
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

GRAMMAR = "#JSGF V1.0;\ngrammar home;\npublic <command> = turn (on | off) the (kitchen | bedroom) light;\n"


def write_wav(path: Path, samples: Samples) -> Path:
    """A recording."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes(samples.tobytes())
    return path


KEPT = {
    "kws": KWS_SETUP | {"input": "kws.base64"},
    "asr": ASR_SETUP,
    "llm": LLM_SETUP | {"tools": "auto"},
    "tts": TTS_SETUP,
}
"""Tasks of somebody else, with the programs of which the commands' own begin at once."""


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the files that are the daemon's microphone and loudspeaker."""
    folder = tmp_path_factory.mktemp("sounds")
    question = joined(silence(1.5), speak("hey jarvis"), silence(0.3), speak("turn on the kitchen light"))
    write_wav(folder / "in.wav", question)
    return folder


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory, sounds: Path) -> Iterator[App]:
    """The daemon for all tests of this file."""
    audio = {"capture": f"file:{sounds / 'in.wav'}", "playback": f"file:{sounds / 'out.wav'}"}
    with shared_app(tmp_path_factory.mktemp("daemon"), {"audio": audio}, KEPT) as app:
        asyncio.run(start_audio(app))
        with kept_children():
            yield app


@pytest.fixture
def at_socket(shared_daemon: App) -> Sequence[str]:
    """The option that leads to that daemon."""
    return ("--socket", str(shared_daemon.endpoints["unix"]))


@pytest.fixture
async def others(shared_daemon: App) -> AsyncIterator[WireClient]:
    """Somebody else at that daemon."""
    async with tcp_client(shared_daemon) as client:
        yield client


async def count_tasks(client: WireClient) -> int:
    """How many tasks there are."""
    return len((await ask_sys(client, "lstask"))["data"])


async def test_say_is_heard_to_its_end(at_socket: Sequence[str], sounds: Path) -> None:
    """It returns when the loudspeaker is silent."""
    done = await unitd("say", *at_socket, "Good morning.")

    assert (done.code, done.out, done.err) == (0, "", "")
    assert np.abs(read_wav(sounds / "out.wav")).max() > 3000


async def test_say_writes_a_file_from_a_pipe(at_socket: Sequence[str], tmp_path: Path) -> None:
    """A WAV, twice as fast as usual."""
    usual, fast = tmp_path / "usual.wav", tmp_path / "fast.wav"
    await unitd("say", *at_socket, "-o", str(usual), "-", stdin="The kitchen light is on.")
    done = await unitd_in_process("say", *at_socket, "-o", str(fast), "--speed", "2", "The kitchen light is on.")

    assert done.code == 0
    assert 0.3 < len(read_wav(fast)) / len(read_wav(usual)) < 0.75


async def test_say_without_a_loudspeaker_fails(tmp_path: Path) -> None:
    """With the reason; listening only says what is missing and goes on."""
    audio = {"capture": f"file:{tmp_path}/nothing", "playback": f"file:{tmp_path}/no/such/folder.wav"}
    async with running_app(tmp_path, {"audio": audio}) as app:
        there = ("--socket", str(app.endpoints["unix"]))
        done = await unitd_in_process("say", *there, "Good morning.")
        listening = await start("listen", *there)
        assert listening.stderr is not None
        words = (await listening.stderr.readline()).decode()
        listening.send_signal(signal.SIGINT)
        await listening.communicate()

    assert done.code == 1
    assert done.err.startswith("unitd: Model run failed. ")
    assert words.endswith("; it is used as soon as it is there\n")


async def test_say_of_nothing_fails(at_socket: Sequence[str]) -> None:
    """With a sentence."""
    assert await unitd_in_process("say", *at_socket, " ") == Finished(1, "", "unitd: there is nothing to say\n")


async def test_listen_reads_a_recording(at_socket: Sequence[str], tmp_path: Path) -> None:
    """One line for its utterance, none of the partial text in a pipe."""
    spoken = write_wav(tmp_path / "spoken.wav", speak("turn off the bedroom light"))
    grammar = tmp_path / "home.gram"
    grammar.write_text(GRAMMAR)

    done = await unitd("listen", *at_socket, "--grammar", str(grammar), str(spoken))

    assert (done.code, done.out) == (0, "turn off the bedroom light.\n")


@pytest.mark.parametrize(("name", "subtype"), [("a.wav", "PCM_24"), ("a.wav", "FLOAT"), ("a.flac", "PCM_16")])
async def test_listen_reads_recordings_of_other_kinds(
    at_socket: Sequence[str], tmp_path: Path, name: str, subtype: str
) -> None:
    """Files as recorders and editors write them are read."""
    soundfile.write(tmp_path / name, speak("turn off the bedroom light") / 32768, RATE, subtype=subtype)
    grammar = tmp_path / "home.gram"
    grammar.write_text(GRAMMAR)

    done = await unitd_in_process("listen", *at_socket, "--grammar", str(grammar), str(tmp_path / name))

    assert (done.code, done.out) == (0, "turn off the bedroom light.\n")


async def test_listen_to_what_is_no_recording_fails(at_socket: Sequence[str], tmp_path: Path) -> None:
    """A FLAC that was cut, a WAV without its format, a text, nothing: each with the reason."""
    flac = tmp_path / "whole.flac"
    soundfile.write(flac, speak("turn off the bedroom light"), RATE)
    files = {"flac": flac.read_bytes()[:3000], "wav": b"RIFF\0\0\0\0WAVE", "text": b"Good morning.", "empty": b""}

    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        done = await unitd_in_process("listen", *at_socket, str(tmp_path / name))
        assert (done.code, done.out) == (1, ""), name
        assert done.err.startswith("unitd: ") and len(done.err) > 30, name


async def test_listen_to_a_file_that_is_not_there_fails(at_socket: Sequence[str]) -> None:
    """Before anything is set up for it in vain."""
    done = await unitd_in_process("listen", *at_socket, "/nowhere.wav")

    assert (done.code, done.err) == (1, "unitd: /nowhere.wav: No such file or directory\n")


async def test_chain_in_a_voice_that_is_not_there_fails_and_leaves_nothing(
    at_socket: Sequence[str], others: WireClient
) -> None:
    """Language, speaker and speed go to the voice, the language to the ears too; nothing that was set up stays."""
    wrong = {"--speaker": "nobody", "--speed": "99", "--language": "tlh"}
    words = {}
    for option, value in wrong.items():
        done = await unitd_in_process("chain", *at_socket, option, value)
        words[option] = done.err if done.code == 1 else ""

    assert await count_tasks(others) == len(KEPT)
    assert [option for option in wrong if option.removeprefix("--") in words[option]] == [*wrong]


async def test_chain_tells_its_story(at_socket: Sequence[str], others: WireClient) -> None:
    """Wake, what was heard, the answer, and that it was spoken; Ctrl-C takes the tasks down."""
    voice = ("--language", "en", "--speaker", "f3", "--speed", "1.5")
    process = await start("chain", *at_socket, *voice)
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(40):
        while not any("spoken" in line for line in lines):
            lines.append((await process.stdout.readline()).decode())

    process.send_signal(signal.SIGINT)
    await process.communicate()

    assert await count_tasks(others) == len(KEPT)
    assert process.returncode == 0
    assert lines[0] == "Listening for 'hey jarvis'. Ctrl-C ends it.\n"
    assert [line.split(" s  ")[1].split()[0] for line in lines[1:]] == ["wake", "heard", "answer", "spoken"]
