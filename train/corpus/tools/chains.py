"""Sentences with several requests: two to four actions, joined by "and", "then", a comma, or nothing."""

from __future__ import annotations

from train.corpus.tools.requests import Asked, Place, action

JOINTS = (" and ", " and ", " and ", " and then ", " then ", ", ", ", then ", " and also ", " ", ", and ",
          " after that ", " plus ", " also ", ". ", ". then ", " and please ")  # fmt: skip
OLD_JOINTS = ("and", "and", "and then", "and also")


def two_at_once(place: Place) -> Asked | None:
    """Return a request with two actions in one sentence."""
    first, second = action(place), action(place)
    if not first or not second or first.entity == second.entity:
        return None
    joint = place.rng.choice(OLD_JOINTS)
    return _joined(place, [first, second], f" {joint} ")


def chain(place: Place) -> Asked | None:
    """Return a request with two to four actions of different devices in one sentence."""
    rng = place.rng
    count = rng.choice((2, 2, 2, 3, 3, 4))
    parts = [asked for asked in (action(place) for _ in range(count)) if asked is not None]
    if len(parts) < 2 or len({each.entity for each in parts}) < len(parts):
        return None
    if len(parts) > 2 and rng.random() < 0.6:
        texts = [each.text for each in parts]
        text = f"{', '.join(texts[:-1])}{rng.choice((' and ', ', and ', ' and then ', ', '))}{texts[-1]}"
        return _joined(place, parts, "", text)
    return _joined(place, parts, rng.choice(JOINTS))


def _joined(place: Place, parts: list[Asked], joint: str, text: str = "") -> Asked:
    calls = tuple(call for each in parts for call in each.calls)
    results = tuple(result for each in parts for result in each.results)
    return Asked("two", text or joint.join(each.text for each in parts), calls, results, "All done.")
