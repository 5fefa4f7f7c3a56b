"""A setup on trial: whether a child takes it, found out under a name of its own while the task goes on as it is."""

import asyncio
from typing import Any

from unitd.core.tasks.deaths import Part
from unitd.runtime.children.child import Child
from unitd.runtime.futures import fail
from unitd.wire.envelope import Envelope
from unitd.wire.errors import LoadFailed, Unavailable


class SetupProbe:
    """A tenant that is set up and says nothing."""

    def __init__(
        self,
        work_id: str,
        child: Child,
        setup: dict[str, Any],
        ending: asyncio.Future[None],
        *,
        owner: str,
        has_public_prompt: bool,
    ) -> None:
        """Moves in; to the unit it is one more task. `ending` is done when the task itself is being ended."""
        self._whose: dict[str, Any] = {"owner": owner, "has_public_prompt": has_public_prompt}
        self._name = f"{work_id}.trial"
        self.child = child
        self._setup = setup
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ended = Unavailable(f"{work_id} was ended while its model changed")
        self._ending = ending
        ending.add_done_callback(self._on_ending)
        child.attach(self._name, self)

    async def passed(self) -> None:
        """Waits for the child and for its judgement.

        Raises:
            LoadFailed: the model does not load, or its program dies over the setup.
            Unavailable: the task is being ended.
            UnitdError: the unit refuses a value.
        """
        await self._outcome

    def end(self) -> None:
        """Moves out."""
        self._ending.remove_done_callback(self._on_ending)
        if self.child.is_ready:
            self.child.send("exit", task=self._name)
        self.child.detach(self._name)

    def on_output(self, envelope: Envelope) -> None:
        """Nobody listens."""

    @property
    def is_suspect(self) -> bool:
        """A first attempt has no past."""
        return False

    def on_turn(self) -> None:
        """There is nothing but the setup."""

    def on_child_ready(self) -> None:
        """The question."""
        answer = self.child.ask("setup", task=self._name, data=self._setup, memory=None, **self._whose)
        answer.add_done_callback(self._decide)

    def on_child_lost(self, reason: str, part: Part) -> None:
        """Whatever it died of: the task stays where it is."""
        self._refuse(LoadFailed(f"{self.child.name} died: {reason}"))

    def on_child_failed(self, error: LoadFailed) -> None:
        """It does not load."""
        self._refuse(error)

    def _on_ending(self, _: asyncio.Future[None]) -> None:
        """However long it would still load, and also where a reset stops the child."""
        self._refuse(self._ended)

    def _decide(self, answer: asyncio.Future[dict[str, Any]]) -> None:
        if (error := answer.exception()) is not None:
            self._refuse(error)
        elif not self._outcome.done():
            self._outcome.set_result(None)

    def _refuse(self, error: BaseException) -> None:
        if not self._outcome.done():
            fail(self._outcome, error)
