"""What skills say of an action that was not done, where they have no words of their own."""

from units.intent.skills.skill import Asked, Said
from units.intent.steps import Outcome
from units.intent.wording import wording_in


def failure(asked: Asked, outcome: Outcome) -> Said:
    """Return the answer "failed", with the reason where there are words for it in this language."""
    words = wording_in(asked.language).reason(outcome.reason, {})
    return Said("failed", {"reason": words} if words else {})
