"""The pronunciation of words that no dictionary has: eSpeak NG gives IPA, a table turns it into phones of CMUdict."""

# ruff: noqa: RUF001  -- IPA looks like other letters

import ctypes
import functools
import re
import unicodedata

from units.setup_values import refusal

_RETRIEVAL = 1
_DONT_EXIT = 0x8000
_UTF8 = 1
_IPA = 0x02
_VOICE = b"en-us"

_PHONES = {
    # Vowels, and what espeak writes as one with them
    "aɪɚ": "AY ER", "aɪə": "AY AH", "aɪ": "AY", "aʊ": "AW", "eɪ": "EY", "oʊ": "OW", "ɔɪ": "OY", "iə": "IY AH",
    "ɜː": "ER", "ɜ": "ER", "ɚ": "ER", "ɑː": "AA", "ɑ": "AA", "ɒ": "AA", "aː": "AA", "a": "AE", "æ": "AE", "ɔː": "AO",
    "ɔ": "AO", "oː": "AO", "o": "OW", "iː": "IY", "i": "IY", "uː": "UW", "u": "UW", "ɪ": "IH", "ᵻ": "IH", "ɛ": "EH",
    "e": "EH", "ʌ": "AH", "ə": "AH", "ɐ": "AH", "ʊ": "UH", "n̩": "AH N", "l̩": "AH L",
    # Consonants
    "tʃ": "CH", "dʒ": "JH", "p": "P", "b": "B", "t": "T", "d": "D", "k": "K", "ɡ": "G", "g": "G", "f": "F", "v": "V",
    "θ": "TH", "ð": "DH", "s": "S", "z": "Z", "ʃ": "SH", "ʒ": "ZH", "h": "HH", "m": "M", "n": "N", "ŋ": "NG", "l": "L",
    "ɹ": "R", "r": "R", "j": "Y", "w": "W",
    # A tap or a stop in the throat where careful speakers say T; sounds that English borrows
    "ɾ": "T", "ʔ": "T", "x": "K", "ç": "HH", "ɬ": "L", "ɲ": "N Y", "ʁ": "R",
}  # fmt: skip
_LONGEST_FIRST = sorted(_PHONES, key=len, reverse=True)
_NOT_SOUNDS = re.compile(r"[ˈˌː‍_\s-]")


def phones_of(word: str) -> tuple[str, ...]:
    """Return the phones of a word as an English speaker would read it; raise UnitFault, which names it, for no word."""
    if not is_pronounceable(word):
        raise refusal(f"the word {word!r} of kws cannot be pronounced: it has no Latin letters, or others among them")
    return arpabet_of(_ipa_of(word), word)


def is_pronounceable(word: str) -> bool:
    """Return True for Latin letters, perhaps with digits and apostrophes among them."""
    letters = [each for each in word if each.isalpha()]
    others = [each for each in word if not each.isalpha()]
    is_latin = all(unicodedata.name(each, "").startswith("LATIN") for each in letters)
    return bool(letters) and is_latin and all(each.isascii() and (each.isdigit() or each == "'") for each in others)


def arpabet_of(ipa: str, word: str) -> tuple[str, ...]:
    """Return the phones of CMUdict for eSpeak's English; raise UnitFault, which names `word`, if one is missing."""
    phones: list[str] = []
    at = 0
    while at < len(ipa):
        if _NOT_SOUNDS.match(ipa[at]):
            at += 1
            continue
        sound = next((each for each in _LONGEST_FIRST if ipa.startswith(each, at)), None)
        if sound is None:
            raise refusal(f"the word {word!r} of kws cannot be pronounced: English has no {ipa[at:]!r}")
        phones += _PHONES[sound].split()
        at += len(sound)
    if not phones:
        raise refusal(f"the word {word!r} of kws cannot be pronounced: it is silent")
    return tuple(phones)


def _ipa_of(word: str) -> str:
    try:
        library = _library()
    except ImportError as error:
        reason = "is in no dictionary; how it is spoken is found out after pip install espeakng-loader"
        raise refusal(f"the word {word!r} of kws {reason}") from error
    except OSError as error:
        raise refusal(f"the word {word!r} of kws is in no dictionary, and espeak-ng does not start: {error}") from error
    text = ctypes.c_char_p(word.encode())
    pieces = []
    while text.value:
        pieces.append(library.espeak_TextToPhonemes(ctypes.byref(text), _UTF8, _IPA).decode())
    return " ".join(pieces)


@functools.cache
def _library() -> ctypes.CDLL:
    """Return eSpeak NG, ready to read English; raise ImportError or OSError if it is missing or does not start."""
    import espeakng_loader

    library = ctypes.CDLL(espeakng_loader.get_library_path())
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int]
    data = espeakng_loader.get_data_path().encode()
    if library.espeak_Initialize(_RETRIEVAL, 0, data, _DONT_EXIT) < 0 or library.espeak_SetVoiceByName(_VOICE) != 0:
        raise OSError(f"no voice {_VOICE.decode()} in {data.decode()}")
    return library
