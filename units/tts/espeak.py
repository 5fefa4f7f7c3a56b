"""espeak-ng as its wheel (espeakng-loader) ships it: the voice that speaks on a bare machine.

Chosen by licence. espeak-ng is GPL-3, unitd is MIT. MIT code may be combined with a GPL-3 library, and the combination
happens only here, in the memory of this one program on the user's machine: nothing of espeak-ng is part of unitd or is
distributed with it, and the daemon and the other units never load it. An image with both must be distributed with the
library's source, as for every GPL program of that image; an image can also leave the wheel out.

The library keeps one voice for the whole process, so each piece sets its voice. The library calls back some sixty times
a second of speech, which is where a cut takes effect.
"""

import ctypes
import importlib.util
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from units.base import LoadError
from units.tts.engine import Sound, SpeechFailed, Voice
from units.tts.espeak_voices import EspeakVoices, words_per_minute

# From speak_lib.h
_SYNCHRONOUS = 2
_DO_NOT_EXIT = 1 << 15
_UTF8 = 1
_RATE_PARAMETER = 1

_INSTALL = "pip install espeakng-loader"


class _ListedVoice(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_char_p),  # a priority byte, then the tag
        ("identifier", ctypes.c_char_p),
        ("gender", ctypes.c_ubyte),
        ("age", ctypes.c_ubyte),
        ("variant", ctypes.c_ubyte),
        ("reserved", ctypes.c_ubyte),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    )


_Listener = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class EspeakLibrary:
    """The engine over the library; one in each process."""

    gap_seconds = 0.25  # the library ends within 10 ms of the last sound, the program pauses for 0.29 s (measured)

    def __init__(self, library: Path, data: Path) -> None:
        self._library = _open(library)
        self._rate = self._library.espeak_Initialize(_SYNCHRONOUS, 0, str(data).encode(), _DO_NOT_EXIT)
        if self._rate <= 0:
            raise LoadError(f"espeak-ng cannot read {data}; {_INSTALL} --force-reinstall")
        variants = {path.name for path in (data / "voices" / "!v").iterdir()}
        self._voices = EspeakVoices(self._list_files(), variants)
        self._listener = _Listener(self._hear)  # kept: the library only has its address
        self._library.espeak_SetSynthCallback(self._listener)
        self._heard: list[bytes] = []
        self._is_cut: Callable[[], bool] = lambda: False
        self.about = f"espeak-ng, {len(self._voices.languages)} languages, {self._rate} Hz"

    def check(self, voice: Voice) -> None:
        """Raise UnitFault when there is no such language or speaker."""
        self._voices.name_of(voice, "")

    def speak(self, text: str, voice: Voice, is_cut: Callable[[], bool]) -> Iterator[Sound]:
        """Return the whole piece at once: it takes a thousandth of the time that it sounds."""
        name = self._voices.name_of(voice, text)
        if self._library.espeak_SetVoiceByName(name.encode()):
            raise SpeechFailed(f"espeak-ng does not load its voice {name}")
        self._library.espeak_SetParameter(_RATE_PARAMETER, words_per_minute(voice.speed), 0)
        self._heard, self._is_cut = [], is_cut
        data = text.encode()
        failed = self._library.espeak_Synth(data, len(data) + 1, 0, 0, 0, _UTF8, None, None)
        if failed and not is_cut():
            raise SpeechFailed(f"espeak-ng fails with status {failed}")
        yield Sound(self._rate, np.frombuffer(b"".join(self._heard), np.int16))

    def _hear(self, samples: Any, count: int, events: Any) -> int:
        """Take sound from the library; return 1 to stop it."""
        if count > 0:
            self._heard.append(ctypes.string_at(samples, count * ctypes.sizeof(ctypes.c_short)))
        return int(self._is_cut())

    def _list_files(self) -> dict[str, str]:
        """Return the library's voices: language tag to file."""
        listed = self._library.espeak_ListVoices(None)
        voices = (pointer.contents for pointer in itertools.takewhile(bool, listed))
        return {voice.languages[1:].decode(): voice.identifier.decode() for voice in voices}


def _open(path: Path) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise LoadError(f"the espeak-ng library does not load: {error}") from error
    library.espeak_Initialize.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int)
    library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_ListedVoice))
    library.espeak_SetVoiceByName.argtypes = (ctypes.c_char_p,)
    library.espeak_Synth.argtypes = (
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_uint,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_uint,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )
    return library


def load_engine(load: dict[str, Any]) -> EspeakLibrary:
    """Return the engine; raise LoadError when the wheel is not installed."""
    if importlib.util.find_spec("espeakng_loader") is None:
        raise LoadError(f"the espeak-ng library is not installed; {_INSTALL}")
    import espeakng_loader

    return EspeakLibrary(Path(espeakng_loader.get_library_path()), Path(espeakng_loader.get_data_path()))
