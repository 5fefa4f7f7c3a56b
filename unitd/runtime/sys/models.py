"""The actions of `sys` on models: list them, suggest one for this board, download one, remove one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from unitd.core.models.forecast import Speed, best_of
from unitd.core.models.progress import FAILED, Progress
from unitd.runtime.dispatcher import Answer, Begun, Call, Handler
from unitd.runtime.models.downloads import Download, Downloads, card_to_pull, folder_for
from unitd.runtime.models.inventory import Inventory, ModelInfo
from unitd.runtime.models.measuring import prospect_of
from unitd.runtime.models.store import ModelStore
from unitd.runtime.tasks.manager import TaskManager
from unitd.wire.errors import BadField, Unavailable
from unitd.wire.messages import Reply

WHOLE = "all"
"""What `data` of lsmode is for the whole catalogue."""

SHORT_LIST_BYTES = 8_000
"""Of the rows of lsmode without it: with its frame the reply stays under 8 KB, which take 0.7 s at 115,200 baud. The
original's clients wait two seconds."""

_SHORT_ROW = ("mode", "type", "capabilities", "card", "model", "installed")
"""What is left of a row where the list would be longer."""


class ModelActions:
    """The handlers of lsmode, suggest_model, rmmode and pull_model."""

    def __init__(
        self,
        model_store: ModelStore,
        inventory: Inventory,
        downloads: Downloads,
        manager: TaskManager,
        measure: Callable[[], Awaitable[Speed]],
    ) -> None:
        """`measure` returns how fast this board is; it raises Unavailable when the board cannot be measured."""
        self._model_store = model_store
        self._inventory = inventory
        self._downloads = downloads
        self._manager = manager
        self._measure = measure
        self._is_measuring = asyncio.Lock()

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return the handlers by action."""
        return {
            "lsmode": self._lsmode,
            "suggest_model": lambda call: Begun(self._suggest(call)),
            "rmmode": self._rmmode,
            "pull_model": self._pull_model,
        }

    async def _lsmode(self, call: Call) -> Reply:
        catalog = await self._model_store.catalog()
        stock = {each.card.name: each for each in await self._inventory.take(catalog.cards)}
        under_way = self._downloads.under_way
        is_whole = call.request.data == WHOLE
        rows = catalog.listing(is_whole=is_whole)
        for row in rows:
            if row["mode"] == row["card"]:  # once for each model: a serial line carries all of this
                row |= _figures(stock[row["card"]], under_way.get(row["card"]))
        return call.ok(object="sys.lsmode", data=rows if is_whole else _shortened(rows))

    async def _suggest(self, call: Call) -> Reply:
        """Measure the board anew for each request: what was measured while it was busy must not stay."""
        catalog = await self._model_store.catalog()
        stock = await self._inventory.take(catalog.cards)
        async with self._is_measuring:  # two at a time would slow each other down
            speed = await self._measure()
        best = best_of(prospect_of(each, speed) for each in stock)
        if best is None or best.forecast is None:
            return call.ok(object="sys.suggest_model", data={"model": None})
        figures = {"tokens_per_s": best.forecast.tokens_per_s, "first_token_s": best.forecast.first_token_s}
        return call.ok(object="sys.suggest_model", data={"model": best.card.name} | figures)

    async def _rmmode(self, call: Call) -> Reply:
        """Remove a model; of one that is being downloaded, cancel the download and remove what has come."""
        name = _name_in(call.request.data)
        card = (await self._model_store.catalog()).find(name)
        if card is not None and await self._downloads.cancel(card.name):
            await self._model_store.remove_incoming(card.name)
            return call.ok()
        if any(runner.child.card.name == name for runner in self._manager.runners):
            raise Unavailable(f"the model {name} is in use")
        await self._model_store.remove(name)
        return call.ok()

    def _pull_model(self, call: Call) -> Answer:
        """Download a model; later requests of the client do not wait for that."""
        data = call.request.data
        return Begun(self._tell(call, _name_in(data.get("model") if isinstance(data, dict) else data)))

    async def _tell(self, call: Call, name: str) -> Reply | None:
        """Send as many frames as the client takes; when the client leaves, the download goes on."""
        pull, index = await self._start(name), 0
        async for progress in pull.follow(call.client.frame_interval):
            if progress.state == FAILED:
                raise Unavailable(progress.reason)
            if call.client.is_gone:
                break
            frame = {"index": index, "delta": str(progress), "finish": progress.is_last} | _state(progress)
            call.client.send(call.ok(object="sys.pull_model.stream", data=frame, is_droppable=not progress.is_last))
            index += 1
            await call.client.wait_for_room()
        return None

    async def _start(self, name: str) -> Download:
        card = card_to_pull(await self._model_store.catalog(), name)
        return self._downloads.start(card.name, await asyncio.to_thread(folder_for, self._model_store.folders))


def _shortened(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows for a serial line: if they are too many, the last ones come without their details."""
    excess = len(orjson.dumps(rows)) - SHORT_LIST_BYTES
    shown = []
    for row in reversed(rows):
        short = {key: row[key] for key in _SHORT_ROW}
        shown.append(short if excess > 0 else row)
        excess -= len(orjson.dumps(row)) - len(orjson.dumps(short))
    return shown[::-1]


def _name_in(data: Any) -> str:
    if not isinstance(data, str) or not data:
        raise BadField("data must be the name of a model")
    return data


def _figures(stock: ModelInfo, progress: Progress | None) -> dict[str, Any]:
    """Return what a row of lsmode has beyond the original's."""
    figures: dict[str, Any] = {"size": stock.size, "fits": stock.fits, "bundled": stock.card.is_bundled}
    if progress is not None:
        figures["download"] = _state(progress)
    return figures


def _state(progress: Progress) -> dict[str, Any]:
    keys = ("state", "file", "bytes", "total", "bytes_per_s", "seconds_left")
    return {key: getattr(progress, key) for key in keys}
