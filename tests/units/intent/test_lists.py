"""Covers units.intent.skills.lists and units.intent.values.items."""

import pytest

from tests.support.units.skill_talk import Listener, skill_of, talk
from units.intent.values.items import read_items

MILK = {"list": "shopping", "items": ["milk", "eggs"], "changed": ["milk"]}


@pytest.mark.parametrize(
    ("text", "language", "calls"),
    [
        ("add milk and eggs to the shopping list", "en", ("list_add", "shopping", ["milk", "eggs"])),
        ("Put some bread on my shopping list, please.", "en", ("list_add", "shopping", ["bread"])),
        (
            "add a tent, two mats and a lamp to the packing list",
            "en",
            ("list_add", "packing", ["tent", "two mats", "lamp"]),
        ),
        ("add call mom to my to-do list", "en", ("list_add", "todo", ["call mom"])),
        ("put milk on the list", "en", ("list_add", "", ["milk"])),
        ("remove milk", "en", ("list_remove", "", ["milk"])),
        ("i need oats added to my list of groceries", "en", ("list_add", "shopping", ["oats"])),
        ("we're all out of flour", "en", ("list_add", "shopping", ["flour"])),
        ("can you stick tea on my grocery list cause i have none", "en", ("list_add", "shopping", ["tea"])),
        ("add do the dishes to my chores list", "en", ("list_add", "todo", ["do the dishes"])),
        ("i no longer need oats on my shopping list", "en", ("list_remove", "shopping", ["oats"])),
        ("wir haben keine Butter mehr", "de", ("list_add", "shopping", ["Butter"])),
        ("take the milk off the shopping list", "en", ("list_remove", "shopping", ["milk"])),
        ("tick off milk", "en", ("list_complete", "", ["milk"])),
        ("check milk off the grocery list", "en", ("list_complete", "shopping", ["milk"])),
        ("setz Milch und Eier auf die Einkaufsliste", "de", ("list_add", "shopping", ["Milch", "Eier"])),
        ("streich Milch von der Einkaufsliste", "de", ("list_remove", "shopping", ["Milch"])),
        ("hak Milch ab", "de", ("list_complete", "", ["Milch"])),
    ],
)
def test_a_sentence_changes_a_list(text: str, language: str, calls: tuple[str, str, list[str]]) -> None:
    """Of several things, each is one of its own; articles are left out."""
    (made,) = talk(text, language, list_add=MILK, list_remove=MILK, list_complete=MILK).calls

    assert (made[0], made[1]["list"], made[1]["items"]) == calls


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("add milk to the shopping list", "I have added milk to the shopping list."),
        ("what's on my shopping list", "On the shopping list: milk and eggs."),
        ("is milk on the list", "Yes, milk is on the shopping list."),
        ("is butter on the list", "No, butter is not on the shopping list."),
        ("remove milk from the list", "I have removed milk from the shopping list."),
    ],
)
def test_the_answer_names_list_and_items(text: str, answer: str) -> None:
    """As they were said."""
    assert talk(text, list_add=MILK, list_read=MILK, list_remove=MILK).answer == answer


def test_long_and_empty_lists_are_told_shortly() -> None:
    """Nobody listens to two hundred things."""
    many = {"list": "packing", "items": [f"thing {at}" for at in range(20)], "changed": []}

    assert talk("what's on my packing list", list_read=many).answer.endswith("thing 11 and 8 more.")
    assert talk("what's on my packing list", list_read={**many, "items": []}).answer == (
        "There is nothing on the packing list."
    )


@pytest.mark.parametrize("text", ["is the panda on the endangered species list", "what's on the guest list"])
def test_a_list_without_a_thing_that_is_nobodys_is_not_meant(text: str) -> None:
    """Whose list it is, or that it has a thing, makes it one of the board's."""
    empty = {"list": "guest", "items": [], "changed": []}

    assert talk(text, list_read=empty).answer == ""


@pytest.mark.parametrize(
    ("reply", "answer", "is_cleared"),
    [("yes", "The shopping list is empty now.", True), ("No.", "All right, I leave it as it is.", False)],
)
def test_a_list_is_cleared_after_a_question(reply: str, answer: str, is_cleared: bool) -> None:
    """Without a yes it stays."""
    here = Listener()

    asked = here.talk("clear the list", list_read=MILK)
    replied = here.talk(reply, list_clear={"list": "shopping", "items": []})

    assert asked.answer == "Shall I remove all 2 items from the shopping list?"
    assert replied.answer == answer
    assert [name for name, _ in replied.calls] == (["list_clear"] if is_cleared else [])


def test_something_else_is_no_reply() -> None:
    """It is understood as what it is."""
    here = Listener()
    here.talk("clear the list", list_read=MILK)

    assert here.talk("what's on the list", list_read=MILK).answer == "On the shopping list: milk and eggs."
    assert here.talk("yes").answer == ""


def test_failures_are_told() -> None:
    """Each in its words."""
    answers = [
        talk("tick off milk", reasons={"list": reason}).answer for reason in ("unknown_item", "too_many", "not_saved")
    ]

    assert answers == [
        "There is no milk on your lists.",
        "There is too much on that list already.",
        "I could not save that.",
    ]


@pytest.mark.parametrize(
    "text", ["remove the battery", "remove the stain from my shirt", "delete all my photos", "delete everything"]
)
def test_what_is_removed_elsewhere_is_not_for_a_list(text: str) -> None:
    """Without the name of a list, only a few plain words are."""
    assert talk(text).answer == ""


@pytest.mark.parametrize(
    "text",
    [
        "what is a list",
        "add sugar to my coffee",
        "we are out of time",
        "put it on the list",
        "what's on the list of world heritage sites",
        "go ahead and order everything on my shopping list",
    ],
)
def test_other_lists_are_not_meant(text: str) -> None:
    """A model may know them."""
    assert skill_of(text) == ""


def test_a_row_of_things_has_a_limit() -> None:
    """What is longer was not meant for a list."""
    assert read_items(" and ".join(map(str, range(21))), "en") is None
    assert read_items(" ".join(["word"] * 13), "en") is None
    assert read_items("milk", "xx") is None


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("please put soap on my shopping list", [("list_add", "shopping", ["soap"])]),
        ("i want to know what's on my shopping list", [("list_read", "shopping", [])]),
        ("is salt on the grocery list, if not add it", [("list_add", "shopping", ["salt"])]),
        ("put rice on my list unless it is on there already", [("list_add", "", ["rice"])]),
        ("we ran out of jam so put that on the shopping list", [("list_add", "shopping", ["jam"])]),
        ("i mowed the lawn already, what is left to do", []),
        ("what is left to do this week", [("list_read", "todo", [])]),
        ("i already bought soap, take it off the shopping list", [("list_remove", "shopping", ["soap"])]),
        ("make sure that soap is on my shopping list", [("list_add", "shopping", ["soap"])]),
        ("add hammer to the list called workshop", [("list_add", "workshop", ["hammer"])]),
        (
            "take tea off my shopping list and add coffee",
            [("list_remove", "shopping", ["tea"]), ("list_add", "shopping", ["coffee"])],
        ),
        (
            "replace butter with oil on my grocery list",
            [("list_remove", "shopping", ["butter"]), ("list_add", "shopping", ["oil"])],
        ),
        (
            "add plums and remove pears from my shopping list",
            [("list_add", "shopping", ["plums"]), ("list_remove", "shopping", ["pears"])],
        ),
    ],
)
def test_what_is_said_around_a_wish_is_understood(text: str, calls: list[tuple[str, str, list[str]]]) -> None:
    """Reasons, conditions, and a second wish for the same list."""
    made = talk(text, list_add=MILK, list_remove=MILK, list_read=MILK).calls

    assert [(name, given["list"], given.get("items", [])) for name, given in made] == calls


@pytest.mark.parametrize(
    "text",
    [
        "don't add soap to my list",
        "never put soap on my list again",
        "should i add soap to my shopping list",
        "how do i add soap to my shopping list",
        "order everything on my shopping list",
        "remove the second item from my list",
        "clear my list except soap",
        "make a list of the largest countries",
        "set a timer for 5 minutes and add soap to my list",
        "cancel the alarm and add soap to my shopping list",
        "i have to buy soap and call my aunt",
        "what should i do",
    ],
)
def test_what_is_no_wish_changes_no_list(text: str) -> None:
    """Nor what is understood only in part."""
    assert talk(text, list_add=MILK, list_remove=MILK, list_read=MILK).calls == []


def test_a_new_list_begins_with_the_reply() -> None:
    """Another sentence is no reply."""
    here, empty = Listener(), {"list": "party", "items": [], "changed": []}

    asked = here.talk("create a list called party", list_read=empty)
    replied = here.talk("chips and dip", list_add={**empty, "changed": ["chips", "dip"]})

    assert asked.answer == "What is to be on the party list? Say it, and I add it."
    assert replied.answer == "I have added chips and dip to the party list."
    assert here.talk("create a list called party", list_read=empty).answer
    assert here.talk("turn on the lights").calls == []


@pytest.mark.parametrize("thing", ["something", "a new item", "another thing", "more items", "items"])
def test_a_thing_without_a_name_is_asked_for(thing: str) -> None:
    """No list gets a "new item"."""
    answer = Listener().talk(f"add {thing} to my shopping list").answer

    assert answer == "What shall I add to the shopping list?"


def test_what_is_missing_is_asked() -> None:
    """The reply are the things alone."""
    here = Listener()

    assert here.talk("add something to my shopping list").answer == "What shall I add to the shopping list?"
    assert here.talk("soap", list_add=MILK).calls == [("list_add", {"list": "shopping", "items": ["soap"]})]
    assert here.talk("take that off my to-do list").answer == "What shall I remove from the to-do list?"


def test_all_lists_are_named() -> None:
    """Those with something on them."""
    assert talk("what lists do i have", list_read={**MILK, "lists": ["shopping", "party"]}).answer == (
        "There is something on the shopping list and the party list."
    )
    assert talk("what lists do i have", list_read={**MILK, "lists": []}).answer == "There is nothing on any list."
