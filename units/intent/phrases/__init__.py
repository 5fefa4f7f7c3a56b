"""The phrases by which five languages ask, refuse, point, agree and wish.

They decide what may be done, not what is meant: recognising a wish is the recogniser's part.
"""

from units.intent.phrases.chinese import CHINESE
from units.intent.phrases.english import ENGLISH
from units.intent.phrases.french import FRENCH
from units.intent.phrases.german import GERMAN
from units.intent.phrases.language import Language
from units.intent.phrases.spanish import SPANISH

LANGUAGES: dict[str, Language] = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH, "zh": CHINESE}

__all__ = ["LANGUAGES", "Language"]
