"""Requests for skills: the sentence as it was written, the calls whose arguments are its words, and the answer.

A block of phrasings is named after its tool, and the value of a parameter that is one of a few words; "two" begins a
block of sentences that need two calls.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from train.corpus.banks import bank
from train.corpus.base import Phrasings, Split
from train.corpus.tools.requests import Asked, Place
from train.corpus.tools.skills.skill_fillers import slots_of
from train.corpus.tools.skills.skill_results import NO_REASON, result_of, strange_result
from train.corpus.tools.skills.skill_spans import Draw, Part, arguments_of, parts_of, shifted, spell, told_of
from train.corpus.tools.skills.skill_tools import CHOICES, LACKING, SIGNATURES
from train.corpus.tools.toolbox import Call
from train.corpus.tools.words import REASONS

BANKS = ("skill_timers", "skill_alarms", "skill_clock", "skill_sums", "skill_lists", "skill_others")
SHARES: Mapping[str, float] = {
    "start_timer": 12, "change_timer": 6, "cancel_timer": 5, "ask_timer": 5, "set_alarm": 9, "cancel_alarm": 4,
    "ask_alarm": 4, "remind": 11, "snooze": 2, "stop": 2, "get_time": 5, "get_date": 5, "count_days": 4, "calculate": 8,
    "convert": 8, "board_volume": 7, "add_to_list": 9, "remove_from_list": 5, "read_list": 4, "clear_list": 2,
    "speak": 4, "get_weather": 6, "get_calendar": 4, "board_info": 5,
}  # fmt: skip
"""How frequent the requests are in training; those that are hard to copy are more frequent."""

LATER_NAMES = {("start_timer", "which"): "name", ("cancel_alarm", "when"): "which", ("cancel_alarm", "name"): "which"}
"""A word of the sentence may be a parameter of another name in the second of two calls."""

TOPICS = {
    "alarms worry": "set_alarm", "list talk": "add_to_list", "memory talk": "remind", "cooking talk": "start_timer",
    "number talk": "calculate", "volume talk": "board_volume", "weather talk": "get_weather",
}  # fmt: skip
"""Talk whose answers mention a skill."""

KEPT = {"remind": "when"}
"""Arguments of which the preposition is a part: "remind me at 5" has "at 5", "wake me at 5" has "5"."""

JOINTS = (
    " and ",
    " and ",
    " and also ",
    " and then ",
    ", and ",
    " and please ",
    ", then ",
    " plus ",
    ", also ",
    " and ",
)
STARTS = (
    "hey ", "hey, ", "ok ", "okay, ", "hi, ", "so ", "um, ", "well, ", "hey unitd, ", "unitd, ", "ok unitd, ", "now ",
    "alright, ", "hmm, ", "oh, ", "hello, ", "excuse me, ", "listen, ", "assistant, ", "right, ", "computer, ",
    "oh hey, ",
    "quickly, ", "quick, ", "yo, ", "dear unitd, ", "sorry, ", "ah, ", "one more thing, ", "good morning, ",
    "good evening, ",
)  # fmt: skip
ENDS = (
    " please", ", please", " thanks", ", thanks", ", thank you", ", will you", ", buddy", ", would you", " if you can",
    ", my friend", " if that's possible", ", please and thank you", ", ok", " thx", ", dear", " if you don't mind",
)  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """A sentence in parts, and its calls: the tool and the value of its parameter that is one of a few words."""

    parts: tuple[Part, ...]
    calls: tuple[tuple[str, str], ...]
    kind: str

    def arguments(self, words: Sequence[str], number: int) -> dict[str, str]:
        """Return the arguments of a call, in the order of its tool."""
        tool, choice = self.calls[number]
        said = arguments_of(self.parts, words, number)
        said = {LATER_NAMES.get((tool, name), name) if name not in SIGNATURES[tool] else name: each
                for name, each in said.items()}  # fmt: skip
        chosen = dict.fromkeys(CHOICES.get(tool, ()), choice)
        return {name: chosen.get(name, said.get(name, "")) for name in SIGNATURES[tool]}

    def told(self, number: int) -> dict[str, str]:
        """Return the arguments of a call in the words of answers."""
        tool, choice = self.calls[number]
        return told_of(self.parts, number) | dict.fromkeys(CHOICES.get(tool, ()), choice)


@dataclass(frozen=True)
class SkillAsked(Asked):
    """A request that is written already: its spelling must not be changed again."""

    is_written: bool = True
    told: tuple[Mapping[str, str], ...] = ()
    wish: Wish | None = None


@cache
def blocks() -> Mapping[str, Phrasings]:
    """Return all phrasings of requests, by the name of their block."""
    return {name: forms for each in BANKS for name, forms in bank(each).items()}


def calls_of(block: str) -> tuple[tuple[str, str], ...]:
    """Return the calls of a block from its name."""
    words = block.removeprefix("two ").split()
    calls: list[tuple[str, str]] = []
    while words:
        tool = words.pop(0)
        calls.append((tool, words.pop(0) if tool in CHOICES and words else ""))
        if words and words[0] == "story":
            words.pop(0)
    return tuple(calls)


@cache
def _blocks_of(tool: str) -> tuple[str, ...]:
    return tuple(name for name in blocks() if not name.startswith("two ") and calls_of(name)[0][0] == tool)


def make_wish(rng: random.Random, split: Split, block: str, forms: Phrasings | None = None, kind: str = "") -> Wish:
    """Return a request with a phrasing of a block."""
    calls = calls_of(block)
    template = (forms or blocks()[block]).pick(rng, split)
    # A held-out phrasing may have words of training and the other way round.
    words: Split = "heldout" if split != "train" and rng.random() < 0.6 else "train"
    parts = parts_of(template, Draw(rng, words, {}), slots_of(calls[0][0]), KEPT.get(calls[0][0], ""))
    return Wish(tuple(parts), calls, kind or calls[0][0])


def _single(rng: random.Random, split: Split, offered: Sequence[str]) -> Wish:
    tool = rng.choices(offered, [SHARES[each] for each in offered])[0]
    names = _blocks_of(tool)
    return make_wish(rng, split, rng.choices(names, [len(blocks()[name].train) ** 0.6 for name in names])[0])


def joined(rng: random.Random, first: Wish, second: Wish) -> Wish:
    """Return two requests in one sentence."""
    joint = Part(rng.choice(JOINTS))
    parts = (*first.parts, joint, *shifted(second.parts, len(first.calls)))
    return Wish(parts, first.calls + second.calls, "two")


def _pair(rng: random.Random, split: Split, offered: Sequence[str]) -> Wish:
    if rng.random() < 0.55:
        possible = [name for name in blocks() if name.startswith("two ")
                    and {tool for tool, _ in calls_of(name)} <= set(offered)]  # fmt: skip
        if possible:
            weights = [len(blocks()[name].train) for name in possible]
            return make_wish(rng, split, rng.choices(possible, weights)[0], kind="two")
    return joined(rng, _single(rng, split, offered), _single(rng, split, offered))


def _surrounded(rng: random.Random, split: Split, wish: Wish) -> Wish:
    """Return the request with what people say around it: an address, thanks, a reason."""
    chance = rng.random()
    topic = bank("skill_reasons").get(wish.kind)
    parts = wish.parts
    if chance < 0.1 and topic:
        parts = (Part(topic.pick(rng, split) + rng.choice((", ", ", so ", ", "))), *parts)
    elif chance < 0.2:
        parts = (Part(rng.choice(STARTS)), *parts)
    if 0.17 < chance < 0.28:
        parts = (*parts, Part(rng.choice(ENDS)))
    elif 0.28 < chance < 0.32 and topic:
        parts = (*parts, Part(f", {topic.pick(rng, split)}"))
    return replace(wish, parts=parts)


def written(rng: random.Random, wish: Wish, is_plain: bool = False) -> SkillAsked:
    """Return the request as it is written, with the calls whose arguments were read from it."""
    text, words = spell(rng, wish.parts, is_plain)
    calls: list[Call] = [
        {"name": tool, "arguments": wish.arguments(words, number)} for number, (tool, _) in enumerate(wish.calls)
    ]
    told = tuple(wish.told(number) for number in range(len(wish.calls)))
    return SkillAsked(wish.kind, text, tuple(calls), (), "", told=told, wish=wish)


def answered(rng: random.Random, asked: SkillAsked, is_usual: bool = False) -> SkillAsked:
    """Return the request with the results of its calls and the answer after them."""
    results, answers = [], []
    for call, told in zip(asked.calls, asked.told, strict=True):
        result, answer = _outcome(rng, call["name"], told, is_usual)
        results.append(result)
        answers.append(answer)
    return replace(asked, results=tuple(results), answer=" ".join(dict.fromkeys(answers)))


def _outcome(rng: random.Random, tool: str, told: Mapping[str, str], is_usual: bool) -> tuple[str, str]:
    chance = rng.random()
    if is_usual or chance < 0.78:
        said = result_of(rng, tool, told)
        return said, said
    if chance < 0.85:
        said = strange_result(rng)
        return said, said
    if chance < 0.9:
        return rng.choice(("done", "ok", "done")), "Done."
    if chance < 0.93:
        return NO_REASON, NO_REASON
    reason = rng.choice(REASONS)
    result = f"error: {reason}" if rng.random() < 0.7 else json.dumps({"error": reason})
    return result, f"I'm sorry, that did not work: {reason}."


def skills_of(place: Place) -> list[str]:
    """Return the names of the skills among the tools of a place."""
    names = {tool.name for tool in place.toolbox.order if tool.parameters == SIGNATURES.get(tool.name)}
    return [name for name in SHARES if name in names]


def _is_clear(place: Place, wish: Wish) -> bool:
    """Return whether a request for the volume cannot mean a device of the house."""
    if not place.house.entities or all(tool != "board_volume" for tool, _ in wish.calls):
        return True
    said = "".join(part.said for part in wish.parts).lower()
    own = ("your", "speak", "you", "voice")
    return any(word in said for word in (own if place.house.of("media") else (*own, "volume", "mute")))


def skill_request(place: Place) -> SkillAsked | None:
    """Return a request for one skill."""
    offered = skills_of(place)
    if not offered:
        return None
    wish = _single(place.rng, place.split, offered)
    if not _is_clear(place, wish):
        return None
    return answered(place.rng, written(place.rng, _surrounded(place.rng, place.split, wish)))


def two_skills(place: Place) -> SkillAsked | None:
    """Return a request for two calls in one sentence."""
    offered = skills_of(place)
    if not offered:
        return None
    wish = _pair(place.rng, place.split, offered)
    if not _is_clear(place, wish) or {"stop", "snooze"} & {tool for tool, _ in wish.calls}:
        return None
    return answered(place.rng, written(place.rng, wish))


def lacking_skill(place: Place) -> SkillAsked | None:
    """Return a request for a skill that is not offered, where others are."""
    offered = skills_of(place)
    tools = {tool.name for tool in place.toolbox.order}
    missing = [name for name in LACKING if name not in tools]
    if not offered or not missing or place.house.of("media", "sensor"):
        return None
    wish = _single(place.rng, place.split, missing)
    asked = written(place.rng, _surrounded(place.rng, place.split, wish))
    return replace(asked, kind="no skill", calls=(), told=(), answer=LACKING[wish.kind], wish=None)


def small_talk(place: Place) -> SkillAsked | None:
    """Return talk about timers, lists and the like that wants nothing done, or that no tool can do."""
    if not skills_of(place):
        return None
    talk = bank("skill_talk")
    offered = skills_of(place)
    names = [name for name in talk if not name.endswith(" answers") and TOPICS.get(name, offered[0]) in offered]
    name = place.rng.choices(names, [len(talk[each].train) for each in names])[0]
    if place.split != "train":
        name = place.rng.choice([each for each in names if talk[each].heldout])
    wish = Wish((Part(talk[name].pick(place.rng, place.split)),), (), "no wish")
    answer = talk[f"{name} answers"]
    return replace(written(place.rng, wish), answer=place.rng.choice(answer.train + answer.heldout))
