"""What a setup's data makes of a task: the model that serves it, its settings, its inputs and the tools it may use."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from unitd.core.models.catalog import Card
from unitd.core.models.stand_in import fitted
from unitd.core.tasks.kinds import INTENT, MAX_INPUTS, Output, UnitKind
from unitd.runtime.models.adapters import with_files
from unitd.runtime.models.store import ModelStore
from unitd.runtime.tasks.board_tools import Toolbox
from unitd.runtime.tasks.recognizer import CARD
from unitd.runtime.tasks.skill_toolbox import SKILLS
from unitd.runtime.tasks.tool_loop import AUTO
from unitd.wire.cameras import source_of
from unitd.wire.errors import BadField, LoadFailed
from unitd.wire.framing import MAX_NAME_BYTES, is_too_long

MAX_SOURCE_CHARACTERS = 4096
"""The length of a path on Linux."""


class Plan(NamedTuple):
    """What a task is made of."""

    card: Card
    raw_setup: dict[str, Any]
    setup: dict[str, Any]
    inputs: list[str]
    toolbox: Toolbox | None
    queue_limit: int
    warning: str
    """What the model that stands in for another leaves out of the setup; "" if nothing."""

    def settings(self, kind: UnitKind) -> dict[str, Any]:
        """Return the fields that a task has from its setup."""
        return {
            "model": self.setup.get("model", ""),
            "response_format": self.setup.get("response_format", f"{kind.name}.utf-8"),
            "enoutput": self.setup.get("enoutput", True),
            "setup": self.setup,
            "raw_setup": self.raw_setup,
            "has_public_prompt": self.has_public_prompt,
            "served_by": self.card.name,
            "substitution": self.card.substitution,
        }

    @property
    def has_public_prompt(self) -> bool:
        """True when a client said nothing of what a prompt begins with, or only what the model's card says itself."""
        raw_setup, own = self.raw_setup, self.card.defaults
        has_tools = isinstance(raw_setup.get("tools"), list)  # else they are the board's, or none
        keys = ("prompt", "system_prompt", "messages")
        return not has_tools and not any(raw_setup.get(key) and raw_setup[key] != own.get(key) for key in keys)


class Planner:
    """Makes plans with the models and the tools of this board."""

    def __init__(self, model_store: ModelStore, queue_limit: int) -> None:
        """`queue_limit` is that of a setup that does not say how many prompts may wait."""
        self._model_store = model_store
        self._queue_limit = queue_limit
        self._toolboxes: dict[str, Toolbox] = {}

    @property
    def toolboxes(self) -> Mapping[str, Toolbox]:
        """The board's own tools, by the name under which a setup asks for them."""
        return self._toolboxes

    def add_tools(self, toolboxes: Mapping[str, Toolbox]) -> None:
        """Offer tools to the setups that follow."""
        self._toolboxes |= toolboxes

    async def plan(self, kind: UnitKind, data: dict[str, Any]) -> Plan:
        """Return what a setup makes of a task; raise UnitdError when a model is missing or a value cannot be used."""
        card = await self._card_for(kind, data)
        tools = (card.defaults | data).get("tools") if kind.output is Output.ANSWER else None
        toolbox = await self._toolbox_of(tools) if isinstance(tools, str) else None
        raw_setup = {**card.defaults, **(toolbox.defaults if toolbox else {}), **data}
        setup, warning = fitted(card, setup_data(kind, raw_setup))
        if toolbox is not None:
            prepared = await toolbox.prepare(setup, sees=card.has_vision, calls_skills=card.calls_skills)
            setup = setup | toolbox.recognition(setup) if kind.name == INTENT else prepared
        if kind.output is Output.ANSWER and "lora" in setup:
            setup = await with_files(setup, self._model_store.folders)
        inputs = [] if kind.reads_source else _inputs(setup.get("input"))
        queue_limit = _queue_limit(setup, self._queue_limit)
        return Plan(card, data, setup, inputs, toolbox, queue_limit, warning)

    async def _card_for(self, kind: UnitKind, data: dict[str, Any]) -> Card:
        """Return the card that serves a setup; a unit that needs no model (a third party's, say) runs without one."""
        if kind.name == INTENT:
            return CARD
        if "model" not in kind.required and "model" not in data:
            return Card(kind.name, kind.name, is_bundled=True)
        return await self._model_store.resolve(kind.serving, data["model"])

    async def _toolbox_of(self, name: str) -> Toolbox | None:
        """Return the tools that a setup names; raise LoadFailed for an unknown name.

        "auto" are those with devices, else skills alone: also while Home Assistant cannot be reached.
        """
        if name == AUTO:
            found = [each for each in self._toolboxes.values() if await each.listing()]
            return next(iter(found), self._toolboxes[SKILLS])
        if name not in self._toolboxes:
            raise LoadFailed(f"there are no tools {name!r} here; [home] tools names a file of them")
        return self._toolboxes[name]


def setup_data(kind: UnitKind, data: Any) -> dict[str, Any]:
    """The data of a setup, with the types that every unit needs.

    Raises:
        BadField: there is no data object.
        LoadFailed: a required key is missing or of the wrong type.
    """
    if not isinstance(data, dict):
        raise BadField(f"setup of {kind.name} needs a data object")
    for key in kind.required:
        if key not in data:
            raise LoadFailed(f"{key} is missing")
    for key, wanted in (("model", str), ("response_format", str), ("enoutput", bool), ("temporary", bool)):
        if key in data and type(data[key]) is not wanted:
            raise LoadFailed(f"{key} must be {'true or false' if wanted is bool else 'a text'}, it is {data[key]!r}")
        if wanted is str and is_too_long(data.get(key, "")):
            raise LoadFailed(f"{key} may have {MAX_NAME_BYTES} bytes")
    _inputs(data.get("input"))
    if kind.reads_source and not 0 < len(source_of(data)) <= MAX_SOURCE_CHARACTERS:
        raise LoadFailed("input must be one device, address or file")
    if data.get("on_pause", "hold") not in ("hold", "stop"):
        raise LoadFailed('on_pause must be "hold" or "stop"')
    _queue_limit(data, 0)
    interval = data.get("frame_interval_ms", 0)
    if type(interval) not in (int, float) or not 0 <= interval <= 1000:
        raise LoadFailed(f"frame_interval_ms must be a number from 0 to 1000, it is {interval!r}")
    return data


def _queue_limit(data: dict[str, Any], default: int) -> int:
    limit = data.get("queue", default)
    if type(limit) is not int or not 0 <= limit <= 1024:
        raise LoadFailed(f"queue must be a whole number from 0 to 1024, it is {limit!r}")
    return limit


def _inputs(value: Any) -> list[str]:
    """Return `input`, a text or a list of texts, as a list."""
    entries = [] if value is None else [value] if isinstance(value, str) else value
    if isinstance(entries, list) and len(entries) > MAX_INPUTS:
        raise LoadFailed(f"input may name {MAX_INPUTS} sources, it names {len(entries)}")
    if not isinstance(entries, list) or not all(isinstance(each, str) for each in entries):
        raise LoadFailed("input must be a text or a list of texts")
    return list(dict.fromkeys(entries))
