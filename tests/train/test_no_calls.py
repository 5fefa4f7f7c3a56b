"""Where nothing can or should be done, nothing is called and nothing is claimed."""

import random
from collections.abc import Callable
from functools import cache

import pytest

from train.corpus.banks import bank
from train.corpus.bare import HOME_PERSONAS, NO_TOOLS, make_bare_talk
from train.corpus.base import Scene, mentions
from train.corpus.home import make_home
from train.corpus.honest import claims, says_no
from train.corpus.refusals import make_refusals_beside_tools
from train.corpus.tools.house import Entity, House
from train.corpus.tools.no_calls import CONTRASTS, EPISODES, NO_CALLS, draw_episode, draw_first
from train.corpus.tools.not_commands import statement
from train.corpus.tools.pairs import pair
from train.corpus.tools.requests import HOW_MUCH, Asked, Place
from train.corpus.tools.skills.skill_gaps import SKILL_TOOLS, ability, missing_skill
from train.corpus.tools.talk import draw_place
from train.corpus.tools.toolbox import Tool, Toolbox, draw_toolbox
from train.corpus.tools.unclear import which
from unitd.core.home.prompt import NO_TOOLS as WRITTEN_BY_THE_DAEMON

BANKS = ("no_tools", "wishes", "not_commands", "pairs", "unclear", "aftermath", "abilities", "idioms", "device_facts")


@cache
def _places(split: str = "train") -> list[Place]:
    rng = random.Random(11)
    return [draw_place(rng, "train" if split == "train" else "heldout") for _ in range(150)]


def _made(make: Callable[[Place], Asked | None]) -> list[Asked]:
    return [asked for place in _places() if (asked := make(place))]


def test_a_wish_without_tools_is_named_and_denied() -> None:
    rng = random.Random(3)
    turns = [make_home(rng, split, Scene())[0] for split in ("train", "composed", "heldout") for _ in range(300)]
    for turn in turns:
        assert says_no(turn.reply) and turn.check(turn.reply), (turn.user, turn.reply)
    assert len({turn.reply.split(":")[0].split(",")[0][:12] for turn in turns}) > 20


def test_what_is_claimed_is_noticed() -> None:
    assert all(map(claims, (
        "Turning on the kitchen light.", "Okay, turning it on.", "Done.", "The light is now on.",
        "I have set an alarm.", "I'll remind you.", "Sure. The table is booked.",
    )))  # fmt: skip
    assert not any(map(claims, (
        "I can't turn on the light.", "I can't see whether the light is on.", "Nothing was sent or ordered.",
        "No devices are set up here.", "No devices are connected here, so I can't open the door.",
    )))  # fmt: skip


def test_a_role_that_promises_more_tempts_to_nothing() -> None:
    """Also with the words that the daemon writes where there are no tools."""
    assert NO_TOOLS == WRITTEN_BY_THE_DAEMON
    rng = random.Random(4)
    talks = [make_bare_talk(rng) for _ in range(200)]
    prompts = [talk[0].content for talk in talks if talk[0].role == "system"]
    assert sum(prompt.endswith(NO_TOOLS) for prompt in prompts) > 80
    assert any(prompt.startswith(HOME_PERSONAS[0]) for prompt in prompts)
    assert not any(message.content.startswith("Turning") for talk in talks for message in talk)


@pytest.mark.parametrize("make", [make for make, *_ in NO_CALLS], ids=lambda make: make.__name__)
def test_no_call_is_made(make: Callable[[Place], Asked | None]) -> None:
    """Nor claimed: only what the list of devices says is stated."""
    made = _made(make)
    assert len(made) >= 5
    for asked in made:
        assert asked.calls == () and asked.results == ()
        assert asked.answer[0].isupper() and asked.answer[-1] in ".!?"
        assert "{" not in asked.text + asked.answer and "  " not in asked.text
        assert asked.kind == HOW_MUCH or not claims(asked.answer), (asked.text, asked.answer)


def test_a_pair_has_the_same_words_and_one_call() -> None:
    pairs = [both for place in _places() if (both := pair(place))]
    assert len(pairs) > 100
    for both in pairs:
        (command,) = [asked for asked in both if asked.calls]
        (other,) = [asked for asked in both if not asked.calls]
        assert len(set(command.text.lower().split()) & set(other.text.lower().split())) >= 2
        assert not claims(other.answer) or "would be" in other.answer
    contrasts = [asked for make, *_ in CONTRASTS for asked in _made(make)]
    assert {bool(asked.calls) for asked in contrasts} == {True, False}


def test_calls_of_episodes_fit_the_house() -> None:
    """Each has one result for each call, and names a device and a tool that are listed."""
    for place in _places() + _places("heldout"):
        names = {each.name for each in place.house.entities}
        tools = {tool.name for tool in place.toolbox.order}
        for asked in draw_episode(place):
            assert len(asked.calls) == len(asked.results)
            for call in asked.calls:
                assert call["name"] in tools
                assert names & set(map(str, call["arguments"].values()))


def test_every_episode_is_possible_somewhere() -> None:
    for make, _ in EPISODES:
        assert sum(make(place) is not None for place in _places()) >= 10, make


def test_one_of_several_is_asked_for_by_name() -> None:
    """And the one that is chosen is switched."""
    rng = random.Random(5)
    lamps = tuple(Entity(f"{area} lamp", "light", "lamp", area, place=area) for area in ("hall", "attic", "den"))
    boxes = iter(lambda: draw_toolbox(rng, "train", {"light"}), None)
    place = Place(rng, "train", House(lamps), next(box for box in boxes if "turn_on" in box.tools))
    for _ in range(50):
        asked, *more = which(place) or ()
        assert asked.calls == () and asked.answer.startswith("Which one do you mean")
        if ":" in asked.answer:
            assert all(lamp.name in asked.answer for lamp in lamps)
        for choice in more:
            assert not choice.calls or choice.entity in lamps


def test_first_words_without_a_device_are_asked_back() -> None:
    for place in _places():
        asked = draw_first(place)
        assert asked.calls == () and asked.answer.endswith(("?", "name.", "device."))


def test_a_skill_is_denied_only_where_its_tool_is_missing() -> None:
    tools = tuple(Tool(name.partition("(")[0], ("change",) if "volume" in name else ("what",))
                  for names in SKILL_TOOLS.values() for name in names)  # fmt: skip
    for place in _places():
        full = Place(place.rng, "train", place.house, Toolbox({}, tools))
        bare = Place(place.rng, "train", House(()), Toolbox({}, (Tool("get_state", ("entity",)),)))
        assert missing_skill(full) is None
        yes, no = ability(full), ability(bare)
        assert yes and yes.answer.startswith("Yes")
        assert no and says_no(no.answer)
        refused = missing_skill(bare)
        assert refused and says_no(refused.answer)


def test_refusals_beside_tools_leave_what_skills_answer() -> None:
    rng = random.Random(6)
    replies = {make_refusals_beside_tools(rng, "train", Scene())[0].reply for _ in range(400)}
    assert not any(mentions(reply, word) for reply in replies for word in ("clock", "weather"))


def test_held_out_phrasings_are_never_trained() -> None:
    for name in BANKS:
        for block, forms in bank(name).items():
            assert not set(forms.heldout) & set(forms.train), (name, block)
    trained = {asked.text for asked in _made(statement)}
    held = {asked.text for place in _places("heldout") if (asked := statement(place))}
    assert trained and held and not trained & held
