"""The skill of lists: for shopping, for things to do, and of any name."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from units.intent.skills.failures import failure
from units.intent.skills.list_wish import SHOPPING, TODO, ListWish, Wishes, read_wish
from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import read_texts
from units.intent.skills.timer_phrase import read_phrase
from units.intent.steps import Outcome
from units.intent.values.items import read_items
from units.intent.wording import wording_in

TEXTS = read_texts(Path(__file__).with_suffix(".toml"))

MOST_READ = 12
"""So many items are read out; of more, their number is said, too."""

_MOST_WORDS_ALONE = 2
"""Without the name of a list, only so few words are something to be removed: "remove milk"."""

_MOST_WORDS_REPLIED = 4
"""Of more words one thing in a reply does not consist: it is another sentence."""


_OWN = re.compile(r"\b(?:my|our|mine|called|named)\b", re.IGNORECASE)


def _do(asked: Asked) -> Said | Steps | None:
    """Do what is wanted; the sentence is read again, as the words of a slot have no commas."""
    wishes: Wishes = read_wish(asked.words, asked.language) or asked.slots["wish"]
    return _each(asked, wishes) if len(wishes) > 1 else _work(asked, wishes[0])


def _work(asked: Asked, wish: ListWish) -> Said | Steps | None:
    return _WORKS[wish.do](asked._replace(slots={"wish": wish}))


def _each(asked: Asked, wishes: Wishes) -> Steps:
    """Do one wish after the other, and tell what became of each."""
    told, texts = list[str](), TEXTS[asked.language].answers
    for wish in wishes:
        done = _work(asked, wish)
        if isinstance(done, Generator) and (said := (yield from done)) is not None:
            told.append(wording_in(asked.language).said(texts[said.key], said.values))
    return Said("each", {"told": " ".join(told)})


def _add(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("list_add", {"list": _list_of(asked), "items": _items(asked)})]
    if not outcome.is_done:
        return _failed(asked, outcome)
    changed = outcome.data["changed"]
    return _said(asked, outcome, "added" if changed else "there", changed or _items(asked))


def _remove(asked: Asked) -> Steps:
    return _take_off(asked, "list_remove", is_done=False)


def _remove_alone(asked: Asked) -> Steps | None:
    is_timer = any(read_phrase(each, asked.language) is not None for each in _items(asked))
    return _remove(asked) if _is_plain(asked) and not is_timer else None


def _tick_off(asked: Asked) -> Steps:
    return _take_off(asked, "list_complete", is_done=True)


def _take_off(asked: Asked, action: str, *, is_done: bool) -> Steps:
    arguments = {"list": _list_of(asked), "items": _items(asked), "is_done": is_done}
    (outcome,) = yield [SkillCall(action, arguments)]
    if not outcome.is_done:
        return _failed(asked, outcome)
    return _said(asked, outcome, "ticked" if is_done else "removed", outcome.data["changed"])


def _read(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("list_read", {"list": _list_of(asked)})]
    if not outcome.is_done:
        return _failed(asked, outcome)
    items = outcome.data["items"]
    if not items and _is_of_others(asked):
        return None
    return _said(asked, outcome, "read" if items else "empty", items)


def _is_on(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("list_read", {"list": _list_of(asked)})]
    if not outcome.is_done:
        return _failed(asked, outcome)
    if not outcome.data["items"] and _is_of_others(asked):
        return None
    there = {each.casefold() for each in outcome.data["items"]}
    missing = [each for each in _items(asked) if each.casefold() not in there]
    return _said(asked, outcome, "is_missing" if missing else "is_on", missing or _items(asked))


def _clear(asked: Asked) -> Steps:
    """Ask first: nobody gets a list back."""
    (outcome,) = yield [SkillCall("list_read", {"list": _list_of(asked)})]
    if not outcome.is_done:
        return _failed(asked, outcome)
    return _shall_clear(asked, outcome) if outcome.data["items"] else _said(asked, outcome, "empty", [])


def _shall_clear(asked: Asked, outcome: Outcome) -> Said:
    def reply(answer: Asked) -> Any:
        words = re.sub(r"[^\w\s]", "", answer.words.casefold()).strip()
        texts = TEXTS[answer.language].lists["reply"]
        if words in texts["no"]:
            return Said("kept")
        return _cleared(answer, _list_of(asked)) if words in texts["yes"] else None

    said = _said(asked, outcome, "clear", outcome.data["items"])
    return Said(said.key, said.values, reply)


def _cleared(asked: Asked, name: str) -> Steps:
    (outcome,) = yield [SkillCall("list_clear", {"list": name})]
    return _said(asked, outcome, "cleared", []) if outcome.is_done else _failed(asked, outcome)


def _make(asked: Asked) -> Said | Steps:
    """Ask for the first thing, as a list begins with it; or ask whether what is on the list is to go."""
    return _begin(asked) if _list_of(asked) else Said("make_any")


def _begin(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("list_read", {"list": _list_of(asked)})]
    if outcome.is_done and outcome.data["items"]:
        return _shall_clear(asked, outcome)
    return _ask(asked, "make", ListWish("add", _list_of(asked)))


def _lists(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("list_read", {"list": ""})]
    if not outcome.is_done:
        return _failed(asked, outcome)
    names = [_called(asked, each) for each in outcome.data.get("lists", ())]
    return Said("lists" if names else "no_lists", {"lists": _row(names, asked.language)})


def _ask_add(asked: Asked) -> Said:
    return _ask(asked, "what_add", ListWish("add", _list_of(asked)))


def _ask_remove(asked: Asked) -> Said:
    return _ask(asked, "what_remove", ListWish("remove", _list_of(asked)))


def _ask(asked: Asked, key: str, wish: ListWish) -> Said:
    """Ask what a wish is about; the reply are the things alone."""

    def reply(answer: Asked) -> Said | Steps | None:
        items = read_items(answer.words.strip(" .!"), answer.language) or []
        starts = TEXTS[answer.language].lists["reply"]["other"]
        is_other = not items or any(len(each.split()) > _MOST_WORDS_REPLIED for each in items)
        if is_other or answer.words.casefold().split()[0].strip(",.!?") in starts:
            return None
        return _work(answer, replace(wish, items=tuple(items)))

    return Said(key, {"list": _called(asked, _list_of(asked) or SHOPPING)}, reply)


def _list_of(asked: Asked) -> str:
    """Return the list that is meant; "" if none was named."""
    return str(asked.slots["wish"].name)


def _items(asked: Asked) -> list[str]:
    return list(asked.slots["wish"].items)


def _is_plain(asked: Asked) -> bool:
    items = _items(asked)
    articles = TEXTS[asked.language].lists["reply"]["article"]
    has_article = any(f" {each} " in f" {asked.words.casefold()} " for each in articles)
    return not has_article and all(len(each.split()) <= _MOST_WORDS_ALONE for each in items)


def _said(asked: Asked, outcome: Outcome, key: str, items: Sequence[str]) -> Said:
    name = outcome.data["list"]
    return Said(key, {"list": _called(asked, name), "items": _row(items, asked.language), "count": len(items)})


def _called(asked: Asked, name: str) -> str:
    """Return how a list is called: the shopping list."""
    answers = TEXTS[asked.language].answers
    return answers[f"list_{name}"] if name in (SHOPPING, TODO) else answers["list_other"].replace("NAME", name)


def _is_of_others(asked: Asked) -> bool:
    """Return whether a list without a thing may be none of the board's: "the endangered species list"."""
    is_own = _list_of(asked) in ("", SHOPPING, TODO) or _OWN.search(asked.words) is not None
    return asked.language == "en" and not is_own


def _row(items: Sequence[str], language: str) -> str:
    answers = TEXTS[language].answers
    shown = list(items[:MOST_READ])
    if len(items) > MOST_READ:
        shown.append(answers["more"].replace("COUNT", str(len(items) - MOST_READ)))
    return answers["and"].join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else ""


def _failed(asked: Asked, outcome: Outcome) -> Said:
    if outcome.reason == "unknown_item":
        return Said("unknown_item", {"items": _row(_items(asked), asked.language)})
    return Said(outcome.reason) if outcome.reason in ("too_many", "not_saved") else failure(asked, outcome)


_WORKS: Mapping[str, Callable[[Asked], Said | Steps | None]] = {
    "add": _add,
    "remove": _remove,
    "remove_alone": _remove_alone,
    "tick": _tick_off,
    "read": _read,
    "is_on": _is_on,
    "clear": _clear,
    "make": _make,
    "lists": _lists,
    "ask_add": _ask_add,
    "ask_remove": _ask_remove,
}

SKILL = Skill("lists", TEXTS, {"wish": _do}, {"wish": read_wish})
