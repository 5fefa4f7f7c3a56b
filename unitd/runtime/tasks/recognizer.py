"""The intent program at the side of one task: it recognises the task's sentences before a model is asked."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.tasks.deaths import Part
from unitd.core.tasks.kinds import INTENT
from unitd.runtime.children.child import ChildListener
from unitd.runtime.children.supervisor import Supervisor
from unitd.runtime.futures import fail
from unitd.wire.errors import LoadFailed, UnitdError

log = logging.getLogger("unitd.tools")

CARD = Card(INTENT, INTENT, defaults={"tools": "home"}, is_bundled=True)
"""The one "model" of the intent program: the sentences come with it."""

# A sentence takes milliseconds; while the program starts, which takes a second, a sentence waits for it.
PATIENCE_SECONDS = 5.0


class Recognizer(ChildListener):
    """A place in the intent program, set up with the home, the room and the languages of one task."""

    def __init__(self, supervisor: Supervisor, work_id: str, data: Mapping[str, Any]) -> None:
        """Move into the program; `data` is its setup."""
        self._name = f"{work_id}.sentences"
        self._supervisor = supervisor
        self._data = data
        self._set_up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._child = supervisor.child_for(CARD)
        self._child.attach(self._name, self)

    async def wait_set_up(self) -> None:
        """Wait until sentences can be recognised.

        Raises:
            LoadFailed: the program does not start, or dies over the setup.
            UnitdError: it refuses the home, the room or a language.
        """
        await asyncio.shield(self._set_up)

    async def ask(self, message: str, **fields: Any) -> dict[str, Any]:
        """Return the program's answer; {} with a warning in the log when it is away."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self.wait_set_up()
                return await self._child.ask(message, task=self._name, **fields)
        except TimeoutError:
            log.warning("%s: the intent program does not answer", self._name)
        except UnitdError as error:
            log.warning("%s: the intent program is away: %s", self._name, error)
        return {}

    def close(self) -> None:
        """Leave the program, which ends with its last task."""
        self._settle(LoadFailed("the task was ended"))
        if self._child.is_ready:
            self._child.send("exit", task=self._name)
        self._child.detach(self._name)
        self._supervisor.release(self._child, for_a_while=True)

    def on_child_ready(self) -> None:
        """Ask the program for the setup."""
        public: dict[str, Any] = {"memory": None, "owner": "", "has_public_prompt": False}
        setup = self._child.ask("setup", task=self._name, data=self._data, **public)
        setup.add_done_callback(self._on_set_up)

    def on_child_lost(self, reason: str, part: Part) -> None:
        """Let sentences wait for the next program; those that the last one had are not recognised."""
        if self._set_up.done():
            self._set_up = asyncio.get_running_loop().create_future()

    def on_child_failed(self, error: LoadFailed) -> None:
        """Give up: there is no next program."""
        self._settle(error)

    def _on_set_up(self, setup: asyncio.Future[dict[str, Any]]) -> None:
        self._settle(setup.exception())

    def _settle(self, error: BaseException | None) -> None:
        if self._set_up.done():
            return
        if error is None:
            self._set_up.set_result(None)
        else:
            fail(self._set_up, error)
