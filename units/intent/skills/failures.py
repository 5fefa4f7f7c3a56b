"""What skills say of an action that was not done, where they have no words of their own."""

from units.intent.skills.skill import Asked, Said
from units.intent.steps import Outcome
from units.intent.wording import wording_in

_SENTENCE = "That did not work: "
"""How the daemon's sentence about a failure begins (`unitd.core.outcomes.failed`)."""


def failure(asked: Asked, outcome: Outcome) -> Said:
    """Return the answer "failed", with the reason where there are words for it in this language."""
    words = wording_in(asked.language).reason(outcome.reason, {})
    if not words and asked.language == "en":  # its words are the daemon's
        words = outcome.text.removeprefix(_SENTENCE).removesuffix(".") if outcome.text.startswith(_SENTENCE) else ""
    return Said("failed", {"reason": words} if words else {})
