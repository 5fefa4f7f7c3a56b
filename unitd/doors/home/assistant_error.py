"""What may go wrong with Home Assistant, apart from its client, which loads one of HTTP."""

from unitd.core.outcomes import Reason


class HomeAssistantError(Exception):
    """A failure, with a text for the spoken answer, and its code."""

    def __init__(self, words: str, reason: Reason = Reason.HOME_ASSISTANT_FAILED) -> None:
        super().__init__(words)
        self.reason = reason
