"""Setups of ears and voices, and sound as files and as clients send it."""

import asyncio
import base64
import io
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.clients.wire_client import WireClient
from tests.support.units.spoken import RATE, Samples, silence

WAKE = "hey jarvis"
COMMANDS = """#JSGF V1.0;
grammar home;
public <command> = turn (on | off) the (kitchen | bedroom) light | tell me a story | what time is it;
"""
KWS = {"model": "unitd-kws", "response_format": "kws.bool", "enoutput": True, "kws": WAKE}
ASR = {"model": "unitd-asr", "response_format": "asr.utf-8.stream", "enoutput": True, "grammar": COMMANDS}
TTS = {"model": "unitd-tts", "response_format": "tts.base64.wav", "input": "tts.utf-8", "enoutput": True}

EARS = {"response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}
ANY_EAR = {
    "asr": EARS,
    "whisper": EARS | {"input": "whisper.base64", "language": "en"},
    "vad": EARS | {"response_format": "vad.bool", "input": "vad.base64"},
    "kws": EARS | {"response_format": "kws.bool", "input": "kws.base64", "kws": WAKE},
}
EMPTY = {"asr": "", "whisper": "", "vad": False, "kws": False}
"""The answer of each unit to a recording in which there is nothing to hear."""

StartDaemon = Callable[..., Any]


def write_wav(path: Path, samples: Samples) -> str:
    """Write a recording; return the name of the device that plays it to the daemon."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes(samples.tobytes())
    return f"file:{path}"


def wav_of(samples: Samples) -> str:
    """Return a WAV file as clients send it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        writer.writeframes(samples.tobytes())
    return base64.b64encode(file.getvalue()).decode()


def played(path: Path) -> Samples:
    """Return what a loudspeaker that is a file has played so far."""
    return np.fromfile(path, "<i2", offset=44) if path.exists() and path.stat().st_size > 44 else silence(0)


def base64_of(samples: Samples) -> str:
    """Return samples as clients send them."""
    return base64.b64encode(samples.tobytes()).decode()


def loud_parts(samples: Samples, threshold: int = 200) -> list[tuple[float, float]]:
    """Return from when to when (seconds) something is heard; silences of under 0.4 s are parts of it."""
    loud = np.flatnonzero(np.abs(samples) > threshold) / RATE
    if not len(loud):
        return []
    breaks = np.flatnonzero(np.diff(loud) > 0.4)
    starts, ends = [0, *(breaks + 1)], [*breaks, len(loud) - 1]
    return [(float(loud[start]), float(loud[end])) for start, end in zip(starts, ends, strict=True)]


async def until(client: WireClient, is_wanted: Callable[[dict[str, Any]], bool], timeout: float = 30) -> dict[str, Any]:
    """Return the next frame that is wanted."""
    async with asyncio.timeout(timeout):
        while not is_wanted(frame := await client.receive(timeout)):
            pass
    return frame


async def ask_audio(client: WireClient, action: str, **fields: Any) -> dict[str, Any]:
    """A request to `audio` itself."""
    return await client.ask(work_id="audio", action=action, **fields)
