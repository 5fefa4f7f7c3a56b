"""Covers unitd.core.home.own_skill_file: what a file of a person's own skill may say."""

import tomllib
from typing import Any

import pytest

from unitd.core.config.problems import Problems
from unitd.core.home.own_skill_file import OwnAction, OwnSkill, read_own_skill

GOOD = """
[en.sentences]
go = ["go to {place} [in {minutes} minutes]"]
stay = ["stay"]

[en.answers]
stay = "I stay."

[de.sentences]
go = ["geh nach {place}"]

[slots]
minutes = "number"

[actions.go]
url = "http://walker.local:8080/go?to={{ place }}"
method = "POST"
body = "{{ minutes }}"
"""


def read(text: str) -> OwnSkill:
    """Return the skill of a text, whose templates are all fine."""
    return read_own_skill("walker", tomllib.loads(text), lambda template, names: "")


def test_a_good_file_is_read() -> None:
    """The daemon keeps the address of the action; the intent program gets the texts alone."""
    skill = read(GOOD)

    url = "http://walker.local:8080/go?to={{ place }}"
    assert skill.actions == {"go": OwnAction(url=url, method="POST", body="{{ minutes }}")}
    assert skill.as_data() == {
        "name": "walker",
        "texts": {
            "en": {
                "sentences": {"go": ["go to {place} [in {minutes} minutes]"], "stay": ["stay"]},
                "answers": {"stay": "I stay."},
            },
            "de": {"sentences": {"go": ["geh nach {place}"]}},
        },
        "slots": {"minutes": "number"},
        "actions": ["go"],
    }


@pytest.mark.parametrize(
    ("good", "bad", "key", "words"),
    [
        ("[slots]", "[Slots]", ("Slots",), "neither slots"),
        ('minutes = "number"', 'minutes = "date"', ("slots", "minutes"), "'text' or 'number'"),
        ('minutes = "number"', 'hours = "number"', ("slots", "hours"), "no sentence has {hours}"),
        ("[actions.go]", "[actions.run]", ("actions", "run"), "no language has sentences"),
        ("[actions.go]", "[actions.go]\ntopic = 'x'", ("actions", "go"), "must have one of"),
        ('method = "POST"', "payload = 'x'", ("actions", "go", "payload"), "there may be"),
        ('method = "POST"', 'method = "post"', ("actions", "go", "method"), "must be one of GET"),
        ('method = "POST"', "", ("actions", "go", "body"), "needs a method"),
        ("http://walker.local:8080/", "http://{{ place }}/", ("actions", "go", "url"), "before the third slash"),
        ("http://walker.local:8080/", "http://walker{{ place }}", ("actions", "go", "url"), "before the third slash"),
        ("http://walker.local:8080/", "http://a@{{ place }}/", ("actions", "go", "url"), "before the third slash"),
        ("http://walker.local:8080/", "file:///", ("actions", "go", "url"), "must begin like http://"),
        ('stay = "I stay."', "", ("en", "sentences", "stay"), "neither an answer nor an action"),
        ('stay = "I stay."', 'stay = "a"\nrun = "b"', ("en", "answers", "run"), "no sentences of run"),
        ('stay = ["stay"]', "stay = []", ("en", "sentences", "stay"), "a list of texts"),
        ('stay = "I stay."', "stay = 1", ("en", "answers", "stay"), "must be a text"),
        ("[en.answers]", "[en.lists]\nplace = 1\n[en.answers]", ("en", "lists", "place", ""), "a list of texts"),
        ("[en.answers]", "[en.words]\nx = 'y'\n[en.answers]", ("en", "words"), "must be one of the tables"),
    ],
)
def test_a_mistake_is_named_with_its_key(good: str, bad: str, key: tuple[Any, ...], words: str) -> None:
    """And nothing of the file is used."""
    assert good in GOOD

    with pytest.raises(Problems) as raised:
        read(GOOD.replace(good, bad, 1))

    assert [words in each.words for each in raised.value.problems if each.key == key] == [True]


def test_a_program_is_no_template() -> None:
    """Its arguments may be."""
    good = GOOD.partition("[actions.go]")[0] + '[actions.go]\nprogram = ["go", "{{ place }}"]'
    assert read(good).actions["go"].program == ("go", "{{ place }}")

    with pytest.raises(Problems, match="must be no template"):
        read(good.replace('"go", ', ""))


def test_a_file_without_sentences_is_refused() -> None:
    """A skill without sentences could never be asked for."""
    with pytest.raises(Problems, match="there are no sentences"):
        read('[en.answers]\nfailed = "x"')


def test_templates_may_use_slots_and_what_came_back() -> None:
    """A template that uses another name is named."""

    def error(template: str, names: Any) -> str:
        return "" if "I stay" in template else f"{sorted(names)}"

    with pytest.raises(Problems) as raised:
        read_own_skill("walker", tomllib.loads(GOOD.replace("[de.", '[en.rules]\nx = "y"\n[de.', 1)), error)

    assert {each.key for each in raised.value.problems} == {
        ("actions", "go", "url"),
        ("actions", "go", "method"),
        ("actions", "go", "body"),
    }
    assert all("['minutes', 'place']" in each.words for each in raised.value.problems)
