"""A thousand random moves on eight tasks through the whole daemon: one end for each question, nothing left behind."""

import asyncio
import random
from typing import Any

import psutil
import pytest

from tests.support.children import is_alive
from tests.support.clients.wire_client import WireClient
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.waiting import eventually

MOVES = ["ask"] * 4 + ["pause", "work", "work", "wake", "warm", "exit", "setup"]
TASKS = 8


class Player:
    """Makes random moves, and keeps count of what is owed for each question."""

    def __init__(self, client: WireClient, rng: random.Random, kws: str) -> None:
        self._client = client
        self._rng = rng
        self._kws = kws
        self.tasks: list[str] = []
        self.asked: set[str] = set()
        self.ends: dict[str, int] = {}
        self.unanswered: set[str] = set()

    async def move(self) -> None:
        """One random move."""
        work_id, action = self._rng.choice(self.tasks), self._rng.choice(MOVES)
        if action == "ask":
            text = self._rng.choice(["hello", "tell me a story", "word " * 150])
            self.asked.add(await self._client.infer(work_id, text))
        elif action == "wake":
            self.unanswered.add(await self._client.send(work_id=self._kws, action="trigger"))
        elif action == "exit":
            self.tasks.remove(work_id)
            self.unanswered.add(await self._client.send(work_id=work_id, action="exit"))
            await self.set_up()
        elif action == "setup":
            self.unanswered.add(await self._client.send(work_id=work_id, action="setup", data=self._random_setup()))
        else:
            self.unanswered.add(await self._client.send(work_id=work_id, action=action))

    async def set_up(self) -> None:
        """One more task; its reply comes among all other lines."""
        request_id = await self._client.send(work_id="llm", action="setup", data=self._random_setup())
        while (reply := await self._client.receive())["request_id"] != request_id:
            self.note(reply)
        self.tasks.append(reply["work_id"])

    def _random_setup(self) -> dict[str, Any]:
        length = self._rng.randrange(1, 40)
        return LLM_SETUP | {"max_token_len": length, "queue": 2, "input": ["llm.utf-8", self._kws]}

    def note(self, reply: dict[str, Any]) -> None:
        """One line of the daemon."""
        request_id, data = reply["request_id"], reply["data"]
        self.unanswered.discard(request_id)
        is_end = not isinstance(data, dict) or bool(data["finish"])
        if request_id in self.asked and is_end:
            self.ends[request_id] = self.ends.get(request_id, 0) + 1

    async def finish(self) -> None:
        """Lets every task go on, and reads until everything that is owed has come."""
        for work_id in self.tasks:
            self.unanswered.add(await self._client.send(work_id=work_id, action="work"))
        while self.unanswered or set(self.ends) != self.asked:
            self.note(await self._client.receive())


def llm_child() -> psutil.Process:
    """The child that holds the model."""
    return next(child for child in psutil.Process().children() if "llm" in child.cmdline())


@pytest.mark.timeout(60)
async def test_a_thousand_random_moves(client: WireClient) -> None:
    """Every question has one end, the same child serves to the last, and its memory does not grow."""
    player = Player(client, random.Random(11), await client.setup("kws", KWS_SETUP))
    for _ in range(TASKS):
        await player.set_up()
    child = await asyncio.to_thread(llm_child)

    for half in range(2):
        for _ in range(500):
            await player.move()
        await player.finish()
        if half == 0:
            memory = child.memory_info().rss

    assert set(player.ends.values()) == {1}
    assert child.memory_info().rss < memory * 1.05
    assert await asyncio.to_thread(llm_child) == child
    for work_id in player.tasks:
        await client.ask(work_id=work_id, action="exit")
    await eventually(lambda: not is_alive(child))
