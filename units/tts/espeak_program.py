"""espeak-ng as a program of its own, for machines whose distribution has it and which do without the wheel."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from unitd.wire.errors import reason_of
from units.base import LoadError
from units.tts.engine import Sound, SpeechFailed, Voice
from units.tts.espeak_voices import EspeakVoices, words_per_minute

PROGRAM = "espeak-ng"
_BLOCK_BYTES = 16384
_HEADER_BYTES = 44
_RATE_AT = slice(24, 28)
# The program answers in milliseconds; one that hangs must not stop the unit.
_LISTING_TIMEOUT_SECONDS = 10


class EspeakProgram:
    """The engine over the program: one process for each piece, read while it speaks."""

    gap_seconds = 0.0  # it pauses by itself

    def __init__(self, program: str) -> None:
        self._program = program
        self._voices = EspeakVoices(_files(program), _variants(program))
        self.about = f"{program}, {len(self._voices.languages)} languages"

    def check(self, voice: Voice) -> None:
        """Raise UnitFault when there is no such language or speaker."""
        self._voices.name_of(voice, "")

    def speak(self, text: str, voice: Voice, is_cut: Callable[[], bool]) -> Iterator[Sound]:
        """Return sound as the program writes it; the program ends with the piece."""
        name = self._voices.name_of(voice, text)
        arguments = [
            self._program,
            "-v",
            name,
            "-s",
            str(words_per_minute(voice.speed)),
            "-b",
            "1",
            "--stdin",
            "--stdout",
        ]
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(text.encode())  # a piece is far smaller than a pipe
            process.stdin.close()
            yield from _read(process.stdout, is_cut)
            if not is_cut() and process.wait():  # cut, it would wait for a reader for ever
                raise SpeechFailed(f"{self._program} ended with status {process.returncode}")
        except BrokenPipeError as error:
            raise SpeechFailed(f"{self._program} ended with status {process.wait()}") from error
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def _read(output: IO[bytes], is_cut: Callable[[], bool]) -> Iterator[Sound]:
    """Return sound from a WAV whose lengths are unknown while it is written."""
    header = output.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES:
        return
    rate = int.from_bytes(header[_RATE_AT], "little")
    while not is_cut() and (data := output.read(_BLOCK_BYTES)):
        yield Sound(rate, np.frombuffer(data, "<i2", len(data) // 2).astype(np.int16))


def _table(program: str, argument: str) -> list[list[str]]:
    """Return the rows of a table that the program prints."""
    try:
        listed = subprocess.run(
            [program, argument], capture_output=True, text=True, check=True, timeout=_LISTING_TIMEOUT_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise LoadError(f"{program} does not work: {reason_of(error)}") from error
    return [line.split() for line in listed.stdout.splitlines()[1:]]


def _files(program: str) -> dict[str, str]:
    """Return the file of each language tag."""
    return {row[1]: row[4] for row in _table(program, "--voices") if len(row) > 4}


def _variants(program: str) -> list[str]:
    files = [row[-1] for row in _table(program, "--voices=variant") if row]
    return [file.removeprefix("!v/") for file in files if file.startswith("!v/")]


def load_engine(load: dict[str, Any]) -> EspeakProgram:
    """Return the engine; raise LoadError when the program is not installed."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise LoadError(f"the program {PROGRAM} is not installed; apt install {PROGRAM}")
    return EspeakProgram(program)
