"""The words of the home: many for each meaning, and what they lead to in houses as people have them."""

import random
import re
from collections.abc import Iterator
from itertools import product

import pytest

from train.corpus.base import CHOICE, normal
from train.corpus.tools.follow import follow_up
from train.corpus.tools.homes import MOST_DEVICES, draw_home
from train.corpus.tools.house import Entity, House, is_of
from train.corpus.tools.mentions import free_mention, is_clear
from train.corpus.tools.relative import relative, step_of
from train.corpus.tools.requests import MOST_CALLS, WHERE, WHICH, Asked, Maker, Place
from train.corpus.tools.sets import all_except, all_of_a_kind, room_off
from train.corpus.tools.states import which_are
from train.corpus.tools.talk import draw_place, make_home_probes, make_tool_talk
from train.corpus.tools.toolbox import draw_toolbox
from train.corpus.tools.unnamed import the_ones
from train.corpus.tools.words import FORMS

FREQUENT = (
    "turn_on", "turn_off", "open", "close", "lock", "unlock", "brightness", "color", "temperature", "volume", "play",
    "scene", "position", "state", "shut", "heating", "brighter", "darker", "warmer", "cooler", "louder", "quieter",
)  # fmt: skip


def _sentences(template: str) -> Iterator[str]:
    """Every sentence of a template."""
    parts = [part.split("|") for part in re.split(CHOICE, template)]
    return (" ".join("".join(chosen).lower().replace(",", "").split()) for chosen in product(*parts))


def _asked(make: Maker, count: int, seed: int = 1) -> list[tuple[Place, Asked]]:
    """Requests of one kind in wide houses."""
    rng = random.Random(seed)
    found: list[tuple[Place, Asked]] = []
    while len(found) < count:
        place = draw_place(rng, "train", is_wide=True)
        if asked := make(place):
            found.append((place, asked))
    return found


def _entities(place: Place, asked: Asked) -> list[Entity]:
    """The devices that are called."""
    names = {each.name: each for each in place.house.entities}
    return [names[value] for call in asked.calls for value in call["arguments"].values() if value in names]


def _lit(room: str = "", *, names: tuple[tuple[str, str], ...]) -> Place:
    """A house of lamps with all tools."""
    rng = random.Random(5)
    entities = tuple(Entity(name, "light", "lamp", area, place=area) for name, area in names)
    boxes = iter(lambda: draw_toolbox(rng, "train", {"light"}, is_wide=True), None)
    wanted = {"turn_on", "turn_off", "brightness", "color", "state"}
    return Place(
        rng, "train", House(entities, room), next(box for box in boxes if wanted <= set(box.tools)), is_wide=True
    )


@pytest.mark.parametrize("meaning", FREQUENT)
def test_a_frequent_meaning_has_many_phrasings(meaning: str) -> None:
    assert len(FORMS[meaning].train) + len(FORMS[meaning].heldout) >= 150


def test_no_held_out_phrasing_is_a_trained_one_in_other_brackets() -> None:
    for meaning, forms in FORMS.items():
        trained = {sentence for template in forms.train for sentence in _sentences(template)}
        assert not trained & {sentence for template in forms.heldout for sentence in _sentences(template)}, meaning


def test_houses_are_as_the_daemon_lists_them() -> None:
    """At most fourteen devices, each with names of its own and of the split, sometimes a room and floors."""
    rng = random.Random(2)
    houses = [draw_home(rng, "train") for _ in range(300)]
    for house in houses:
        names = [normal(name) for each in house.entities for name in (each.name, *each.aliases)]
        assert 0 < len(house.entities) <= MOST_DEVICES
        assert len(names) == len(set(names))
        assert all(is_of("train", "entity", name) for name in names)
        assert not house.room or house.room in {each.area for each in house.entities}
    assert 60 < sum(bool(house.room) for house in houses) < 200
    assert sum(any(each.floor for each in house.entities) for house in houses) > 30


def test_what_people_say_instead_of_a_name_means_one_device() -> None:
    rng = random.Random(3)
    said = 0
    for _ in range(80):
        house = draw_home(rng, "train")
        for entity in house.entities:
            if words := free_mention(rng, house, entity):
                said += 1
                assert is_clear(house, entity, re.sub("^(the|my|that) ", "", words))
    assert said > 200


def test_a_relative_wish_reads_the_state_and_then_sets_another_value() -> None:
    """Up is more, down is less, and nothing leaves its bounds."""
    changed = 0
    for place, asked in _asked(relative, 300):
        reads = {call["name"] for call in asked.calls}
        assert reads <= ({place.toolbox.tools["state"].name} if "state" in place.toolbox.tools else set())
        for more in asked.rounds:
            changed += 1
            assert len(more.calls) == len(more.results) <= len(asked.calls)
            numbers = [
                value for call in more.calls for value in call["arguments"].values() if not isinstance(value, str)
            ]
            assert all(0 <= value <= 100 for value in numbers)
    assert changed > 100


@pytest.mark.parametrize(
    ("quantity", "text", "step"),
    [("brightness", "a bit brighter", 10), ("brightness", "brighter", 20), ("volume", "much louder", 40),
     ("temperature", "slightly warmer", 1), ("temperature", "it's way too hot", 4), ("temperature", "i'm cold", 2)],
)  # fmt: skip
def test_the_words_say_how_much_more(quantity: str, text: str, step: int) -> None:
    assert step_of(quantity, text) == step


def test_a_set_is_called_one_by_one_and_without_its_exceptions() -> None:
    for make in (all_of_a_kind, room_off, all_except):
        for place, asked in _asked(make, 50):
            called = _entities(place, asked)
            assert 0 < len(called) == len(asked.calls) <= MOST_CALLS
            assert len(set(called)) == len(called)
    for place, asked in _asked(all_except, 50, seed=2):
        (kind,) = {each.kind for each in _entities(place, asked)}
        assert len(_entities(place, asked)) < len(place.house.of(kind))


def test_the_lights_are_those_of_the_boards_room() -> None:
    lamps = (("desk lamp", "study"), ("tall boy", "study"), ("night light", "nursery"))
    place = _lit("study", names=lamps)
    requests = [asked for _ in range(300) if (asked := the_ones(place)) and asked.calls]
    assert requests
    for asked in requests:
        assert {each.place for each in _entities(place, asked)} == {"study"}


def test_without_a_room_the_assistant_asks_and_understands_the_answer() -> None:
    place = _lit(names=(("desk lamp", "study"), ("tall boy", "study"), ("night light", "nursery")))
    requests = [asked for _ in range(300) if (asked := the_ones(place))]
    assert {asked.kind for asked in requests} <= {WHICH, WHERE}
    assert not any(asked.calls for asked in requests)

    then = [later for asked in requests for _ in range(3) if (later := follow_up(place, asked))]
    assert then
    assert all(later.calls for later in then)


def test_a_question_about_several_devices_is_answered_from_their_states() -> None:
    answered = 0
    for place, asked in _asked(which_are, 150):
        assert len(asked.calls) == len(asked.results) <= 6
        if len(asked.calls) > 1:
            answered += 1
            named = [each.name for each in _entities(place, asked) if each.name in asked.answer]
            assert named or asked.answer.startswith("All of them are ")
    assert answered > 20


def test_no_question_of_the_wide_evaluation_is_trained() -> None:
    probes = make_home_probes(number=10)
    rng, banned = random.Random(11), frozenset(probe.asked for probe in probes)
    trained = {normal(m.content) for _ in range(80) for m in make_tool_talk(rng, banned) if m.role == "user"}
    assert {probe.kind for probe in probes} == {"one", "set", "question", "relative", "here", "nothing"}
    assert all(bool(probe.calls) == (probe.kind != "nothing") for probe in probes)
    assert not banned & trained
