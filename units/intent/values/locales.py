"""The locales of babel for our languages; babel and its data are loaded when the first is asked for."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale


@cache
def locale_of(language: str) -> "Locale":
    """Return the locale of a language of home_assistant_intents; English for one that babel does not know."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale("en")
