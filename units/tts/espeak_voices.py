"""The voice of espeak-ng that a setup means; the same for its library and its program."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from units.base import SETUP_REFUSED, UnitFault
from units.tts.engine import Voice

USUAL_LANGUAGE = "en-us"

_USUAL_WORDS_PER_MINUTE = 175
# espeak-ng itself goes no slower.
_SLOWEST_WORDS_PER_MINUTE = 80

_OTHER_NAMES = {"en": "en-us", "zh": "cmn", "jp": "ja", "no": "nb"}
"""Languages whose tags differ between clients and espeak-ng."""

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("cmn", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
"""Languages that are known by their letters, in this order: Japanese uses Chinese ones, too."""

SPEAKERS = ("", *(f"f{number}" for number in range(1, 6)), *(f"m{number}" for number in range(1, 9)))
"""Variants by the number that `spacker_role` gives: 0 is the usual one, 1 to 5 are women, 6 to 13 men."""


def words_per_minute(speed: float) -> int:
    """Return the speed in espeak-ng's unit."""
    return max(_SLOWEST_WORDS_PER_MINUTE, round(_USUAL_WORDS_PER_MINUTE * speed))


class EspeakVoices:
    """All languages and variants of one installation."""

    def __init__(self, files: Mapping[str, str], variants: Collection[str]) -> None:
        # By file, because espeak-ng does not find some of the languages it lists by their tags (en-gb, fr-fr).
        self._files = {language.lower(): file for language, file in files.items()}
        self._variants = variants

    @property
    def languages(self) -> list[str]:
        """Return all tags."""
        return sorted(self._files)

    def name_of(self, voice: Voice, text: str) -> str:
        """Return espeak-ng's name of the voice, by the text's letters without a language; raise UnitFault if none."""
        file = self._files[self._language(voice.language) if voice.language else self._language_of(text)]
        speaker = self._speaker(voice.speaker)
        return f"{file}+{speaker}" if speaker else file

    def _language_of(self, text: str) -> str:
        found = (language for language, letters in _SCRIPTS if letters.search(text) and language in self._files)
        return next(found, USUAL_LANGUAGE)

    def _language(self, asked: str) -> str:
        """Return the language of a tag: the same tag, else without its region, else with another region."""
        tag = asked.lower().replace("_", "-")
        main = tag.partition("-")[0]
        names = [_OTHER_NAMES.get(name, name) for name in (tag, main)] + [f"{main}-{main}"]
        regions = [language for language in self.languages if language.startswith(f"{main}-")]
        for name in names + regions:
            if name in self._files:
                return name
        raise UnitFault(SETUP_REFUSED, f"language {asked!r} is none of espeak-ng's: {', '.join(self.languages)}")

    def _speaker(self, asked: str | int) -> str:
        if isinstance(asked, int):
            if not 0 <= asked < len(SPEAKERS):
                raise UnitFault(SETUP_REFUSED, f"speaker {asked} is not one of 0 to {len(SPEAKERS) - 1}")
            return SPEAKERS[asked]
        if asked and asked not in self._variants:
            near = get_close_matches(asked, self._variants, n=5, cutoff=0.3) or sorted(self._variants)[:5]
            raise UnitFault(SETUP_REFUSED, f"speaker {asked!r} is none of espeak-ng's; near it are {', '.join(near)}")
        return asked
