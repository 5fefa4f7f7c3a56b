"""Covers cli.say, cli.listen and cli.chain: real speech through the installed script and a real daemon."""

import asyncio
import signal
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.support.command_line import Finished, serving, start, unitd
from tests.support.units.spoken import RATE, Samples, joined, read_wav, silence, speak

pytestmark = pytest.mark.timeout(60)

GRAMMAR = "#JSGF V1.0;\ngrammar home;\npublic <command> = turn (on | off) the (kitchen | bedroom) light;\n"


def write_wav(path: Path, samples: Samples) -> Path:
    """A recording."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes(samples.tobytes())
    return path


@pytest.fixture
async def config(tmp_path: Path) -> AsyncIterator[Path]:
    """The configuration of a daemon that is served, with files as its devices."""
    question = joined(silence(1.5), speak("hey jarvis"), silence(0.3), speak("turn on the kitchen light"))
    path = tmp_path / "unitd.toml"
    path.write_text(
        f'[state]\ndir = "{tmp_path}/state"\n[models]\ndir = []\n[tcp]\nport = 0\n[http]\nport = 0\n[audio]\n'
        f'capture = "file:{write_wav(tmp_path / "in.wav", question)}"\nplayback = "file:{tmp_path}/out.wav"\n'
    )
    async with serving(path):
        yield path


async def test_say_is_heard_to_its_end(config: Path, tmp_path: Path) -> None:
    """It returns when the loudspeaker is silent."""
    done = await unitd("say", "--config", str(config), "Good morning.")

    assert (done.code, done.out, done.err) == (0, "", "")
    assert np.abs(read_wav(tmp_path / "out.wav")).max() > 3000


async def test_say_writes_a_file_from_a_pipe(config: Path, tmp_path: Path) -> None:
    """A WAV, twice as fast as usual."""
    usual, fast = tmp_path / "usual.wav", tmp_path / "fast.wav"
    await unitd("say", "--config", str(config), "-o", str(usual), "-", stdin="The kitchen light is on.")
    done = await unitd("say", "--config", str(config), "-o", str(fast), "--speed", "2", "The kitchen light is on.")

    assert done.code == 0
    assert 0.3 < len(read_wav(fast)) / len(read_wav(usual)) < 0.75


async def test_say_without_a_loudspeaker_fails(tmp_path: Path) -> None:
    """With the reason; listening only says what is missing and goes on."""
    path = tmp_path / "unitd.toml"
    path.write_text(
        f'[state]\ndir = "{tmp_path}/state"\n[models]\ndir = []\n[tcp]\nport = 0\n[http]\nport = 0\n'
        f'[audio]\ncapture = "file:{tmp_path}/nothing"\nplayback = "file:{tmp_path}/no/such/folder.wav"\n'
    )
    async with serving(path):
        done = await unitd("say", "--config", str(path), "Good morning.")
        listening = await start("listen", "--config", str(path))
        assert listening.stderr is not None
        words = (await listening.stderr.readline()).decode()
        listening.send_signal(signal.SIGINT)
        await listening.communicate()

    assert done.code == 1
    assert done.err.startswith("unitd: Model run failed. ")
    assert words.endswith("; it is used as soon as it is there\n")


async def test_say_of_nothing_fails(config: Path) -> None:
    """With a sentence."""
    assert await unitd("say", "--config", str(config), " ") == Finished(1, "", "unitd: there is nothing to say\n")


async def test_listen_reads_a_recording(config: Path, tmp_path: Path) -> None:
    """One line for its utterance, none of the partial text in a pipe."""
    spoken = write_wav(tmp_path / "spoken.wav", speak("turn off the bedroom light"))
    grammar = tmp_path / "home.gram"
    grammar.write_text(GRAMMAR)

    done = await unitd("listen", "--config", str(config), "--grammar", str(grammar), str(spoken))

    assert (done.code, done.out) == (0, "turn off the bedroom light.\n")


@pytest.mark.parametrize(("name", "subtype"), [("a.wav", "PCM_24"), ("a.wav", "FLOAT"), ("a.flac", "PCM_16")])
async def test_listen_reads_recordings_of_other_kinds(config: Path, tmp_path: Path, name: str, subtype: str) -> None:
    """Files as recorders and editors write them are read."""
    soundfile.write(tmp_path / name, speak("turn off the bedroom light") / 32768, RATE, subtype=subtype)
    grammar = tmp_path / "home.gram"
    grammar.write_text(GRAMMAR)

    done = await unitd("listen", "--config", str(config), "--grammar", str(grammar), str(tmp_path / name))

    assert (done.code, done.out) == (0, "turn off the bedroom light.\n")


async def test_listen_to_what_is_no_recording_fails(config: Path, tmp_path: Path) -> None:
    """A FLAC that was cut, a WAV without its format, a text, nothing: each with the reason."""
    flac = tmp_path / "whole.flac"
    soundfile.write(flac, speak("turn off the bedroom light"), RATE)
    files = {"flac": flac.read_bytes()[:3000], "wav": b"RIFF\0\0\0\0WAVE", "text": b"Good morning.", "empty": b""}

    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        done = await unitd("listen", "--config", str(config), str(tmp_path / name))
        assert (done.code, done.out) == (1, ""), name
        assert done.err.startswith("unitd: ") and len(done.err) > 30, name


async def test_listen_to_a_file_that_is_not_there_fails(config: Path) -> None:
    """Before anything is set up for it in vain."""
    done = await unitd("listen", "--config", str(config), "/nowhere.wav")

    assert (done.code, done.err) == (1, "unitd: /nowhere.wav: No such file or directory\n")


async def test_chain_in_a_voice_that_is_not_there_fails_and_leaves_nothing(config: Path) -> None:
    """Language, speaker and speed go to the voice, the language to the ears too; nothing that was set up stays."""
    wrong = {"--speaker": "nobody", "--speed": "99", "--language": "tlh"}
    words = {}
    for option, value in wrong.items():
        done = await unitd("chain", "--config", str(config), option, value)
        words[option] = done.err if done.code == 1 else ""
    left = await unitd("tasks", "--config", str(config))

    assert [option for option in wrong if option.removeprefix("--") in words[option]] == [*wrong]
    assert len(left.out.splitlines()) == 1


async def test_chain_tells_its_story(config: Path) -> None:
    """Wake, what was heard, the answer, and that it was spoken; Ctrl-C takes the tasks down."""
    voice = ("--language", "en", "--speaker", "f3", "--speed", "1.5")
    process = await start("chain", "--config", str(config), *voice)
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(40):
        while not any("spoken" in line for line in lines):
            lines.append((await process.stdout.readline()).decode())

    process.send_signal(signal.SIGINT)
    await process.communicate()
    left = await unitd("tasks", "--config", str(config))

    assert process.returncode == 0
    assert lines[0] == "Listening for 'hey jarvis'. Ctrl-C ends it.\n"
    assert [line.split(" s  ")[1].split()[0] for line in lines[1:]] == ["wake", "heard", "answer", "spoken"]
    assert len(left.out.splitlines()) == 1
