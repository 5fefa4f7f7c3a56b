"""The actions that skills ask of the daemon: a call becomes an outcome."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from unitd.core.outcomes import Outcome, Reason, SkillReason, failed

log = logging.getLogger("unitd.skills")


class Where(NamedTuple):
    """The task and the conversation in which a skill was asked."""

    area: str = ""
    """The room of the task; "" for that of the board."""

    language: str = ""
    work_id: str = ""
    grant_name: str = ""
    """The token in whose name the task runs."""

    conversation: str = ""


Action = Callable[[Mapping[str, Any], Where], Awaitable[Outcome]]
"""Does one call with its arguments; raises `ActionFailed` where it cannot."""


class ActionFailed(Exception):
    """An action cannot be done; the words are a whole sentence."""

    def __init__(self, words: str, reason: Reason | SkillReason = Reason.FAILED) -> None:
        super().__init__(words)
        self.reason = reason


class SkillActions:
    """All actions, by name."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = dict(actions)

    def add(self, actions: Mapping[str, Action]) -> None:
        """Add actions; one of the same name takes the place of the other."""
        self._actions.update(actions)

    async def do(self, name: str, arguments: Mapping[str, Any], where: Where) -> Outcome:
        """Do a call; never raises. The log has no words of the person."""
        action = self._actions.get(name)
        if action is None:
            log.warning("a skill asks for %r, which this board cannot do", name[:64])
            return Outcome(failed("this board cannot do that", ""), is_done=False, reason=Reason.FAILED)
        try:
            return await action(arguments, where)
        except ActionFailed as failure:
            log.info("%s is not done: %s", name, failure)
            return Outcome(str(failure), is_done=False, reason=failure.reason)
        except Exception:  # a bug may fail this call, not the daemon
            log.exception("%s failed", name)
            words = failed("an error in unitd, which its log describes", "")
            return Outcome(words, is_done=False, reason=Reason.FAILED)
