"""Shopping lists, to-do lists and lists of any name: kept by the board, or elsewhere where somebody keeps them.

A change is on the disk before it is told. The items of a list are told apart by their words, whatever their case.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from unitd.core.outcomes import Outcome, SkillReason
from unitd.runtime.skills.actions import Action, ActionFailed, Where
from unitd.runtime.skills.kept_values import KeptValues

MOST_LISTS, MOST_ITEMS, MOST_CHARACTERS = 32, 200, 200
"""What a board keeps: more nobody listens to."""

USUAL = "shopping"
"""The list that is meant where none is named."""


class Lists(Protocol):
    """Somebody who keeps lists; each method raises ActionFailed where it cannot do its work."""

    async def has(self, name: str) -> bool:
        """Return whether this list is kept here."""

    async def names(self) -> Sequence[str]:
        """Return the names of all lists."""

    async def items(self, name: str) -> Sequence[str]:
        """Return the items of a list that are not done."""

    async def add(self, name: str, items: Sequence[str]) -> None:
        """Add items to a list; one that is there already stays once."""

    async def remove(self, name: str, items: Sequence[str], *, is_done: bool) -> None:
        """Take items off a list, or tick them off; all of them are on it."""


class OwnLists:
    """The lists of the board itself."""

    def __init__(self, kept: KeptValues) -> None:
        self._kept = kept

    async def has(self, name: str) -> bool:
        """Return True: a list that is kept nowhere else may begin here."""
        return True

    async def names(self) -> Sequence[str]:
        """Return the names of all lists that have items."""
        return list(self._all)

    async def items(self, name: str) -> Sequence[str]:
        """Return the items of a list; none of a list that there is not."""
        return self._all.get(name, [])

    async def add(self, name: str, items: Sequence[str]) -> None:
        """Add items; raise ActionFailed when there are too many, or when they cannot be saved."""
        before = self._all.get(name, [])
        if len(before) + len(items) > MOST_ITEMS or (not before and len(self._all) >= MOST_LISTS):
            raise ActionFailed("There are too many already.", SkillReason.TOO_MANY)
        if any(len(each) > MOST_CHARACTERS for each in (name, *items)):
            raise ActionFailed("That is too long.", SkillReason.TOO_MANY)
        await self._kept.change(lists={**self._all, name: [*before, *items]})

    async def remove(self, name: str, items: Sequence[str], *, is_done: bool) -> None:
        """Take items off, those that are done as well as those that are not wanted; a list without items is gone."""
        changed = {**self._all, name: [each for each in self._all[name] if each not in items]}
        await self._kept.change(lists={key: rest for key, rest in changed.items() if rest})

    @property
    def _all(self) -> Mapping[str, list[str]]:
        kept = self._kept["lists"] if isinstance(self._kept["lists"], dict) else {}
        return {name: [str(each) for each in items] for name, items in kept.items() if isinstance(items, list)}


class ListActions:
    """`list_add`, `list_remove`, `list_complete`, `list_read` and `list_clear`."""

    def __init__(self, own: Lists) -> None:
        self._own = own
        self._changing = asyncio.Lock()
        """Held from the look at a list to its change: of two changes at the same time none may be lost."""

        self.elsewhere: Lists | None = None
        """Who keeps the lists that the board does not keep; None if there is nobody."""

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        return {
            "list_add": partial(self._alone, self._add),
            "list_remove": partial(self._alone, self._remove),
            "list_complete": partial(self._alone, self._remove),
            "list_read": self._read,
            "list_clear": partial(self._alone, self._clear),
        }

    async def _alone(self, change: Action, arguments: Mapping[str, Any], where: Where) -> Outcome:
        async with self._changing:
            return await change(arguments, where)

    async def _keeper(self, name: str) -> Lists:
        is_elsewhere = self.elsewhere is not None and await self.elsewhere.has(name)
        return self.elsewhere if is_elsewhere and self.elsewhere is not None else self._own

    async def _names(self) -> Sequence[str]:
        """Return the names of all lists, those that are kept elsewhere first."""
        elsewhere = await self.elsewhere.names() if self.elsewhere is not None else []
        return list(dict.fromkeys([*elsewhere, *await self._own.names()]))

    async def _add(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        name = str(arguments["list"] or USUAL)
        lists = await self._keeper(name)
        there = {each.casefold() for each in await lists.items(name)}
        wanted = {each.casefold(): each for each in arguments["items"]}
        if new := [each for key, each in wanted.items() if key not in there]:
            await lists.add(name, new)
        return _told(name, await lists.items(name), changed=new)

    async def _remove(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        wanted = [each.casefold() for each in arguments["items"]]
        names = [str(arguments["list"])] if arguments["list"] else await self._names()
        for name in names:
            lists = await self._keeper(name)
            there = {each.casefold(): each for each in await lists.items(name)}
            if found := [there[each] for each in wanted if each in there]:
                await lists.remove(name, found, is_done=bool(arguments.get("is_done")))
                return _told(name, await lists.items(name), changed=found)
        raise ActionFailed("There is no such item.", SkillReason.UNKNOWN_ITEM)

    async def _read(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        name = str(arguments["list"] or USUAL)
        lists = await self._keeper(name)
        told = _told(name, await lists.items(name))
        return replace(told, data={**told.data, "lists": list(await self._names())})

    async def _clear(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        name = str(arguments["list"] or USUAL)
        lists = await self._keeper(name)
        if items := await lists.items(name):
            await lists.remove(name, items, is_done=False)
        return _told(name, [], changed=items)


def _told(name: str, items: Sequence[str], changed: Sequence[str] = ()) -> Outcome:
    return Outcome("", is_done=True, data={"list": name, "items": list(items), "changed": list(changed)})
