"""Comparison of two configurations, and a tree with some values of the new one. Pure."""

from collections.abc import Set
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from unitd.core.config.schema import Settings


def changed_keys(old: Settings, new: Settings) -> set[str]:
    """Return the keys whose values differ ("http.api_key"); an added or removed door is one key ("mqtt")."""
    return set(_changed(old, new, ""))


def with_keys_of(old: Settings, new: Settings, keys: Set[str]) -> Settings:
    """Return the old tree with the new values of these keys."""
    return cast(Settings, _merged(old, new, keys, ""))


def _changed(old: Any, new: Any, where: str) -> list[str]:
    if old == new:
        return []
    if not (is_dataclass(old) and type(old) is type(new)):
        return [where]
    prefix = f"{where}." if where else ""
    return [
        key
        for each in fields(old)
        for key in _changed(getattr(old, each.name), getattr(new, each.name), prefix + each.name)
    ]


def _merged(old: Any, new: Any, keys: Set[str], where: str) -> Any:
    if where in keys:
        return new
    if not (is_dataclass(old) and not isinstance(old, type) and type(old) is type(new)):
        return old
    prefix = f"{where}." if where else ""
    values = {
        each.name: _merged(getattr(old, each.name), getattr(new, each.name), keys, prefix + each.name)
        for each in fields(old)
    }
    return replace(old, **values)
