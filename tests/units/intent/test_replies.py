"""Covers units.intent.replies: the home asks which device or room is meant, and the next sentence says it."""

from typing import Any

import pytest

from tests.support.units.intent_home import Inhabitant, device, home, state
from units.intent.replies import REMEMBERED_SECONDS

LIGHTS = [
    device("desk lamp", "light", "study", "work lamp"),
    device("floor lamp", "light", "study"),
    device("kitchen light", "light", "kitchen"),
    device("radio", "media", "kitchen"),
    device("television", "media", "living room", "tv"),
    {**device("ceiling light", "light", "hall"), "id": "hall_ceiling"},
    {**device("ceiling light", "light", "living room"), "id": "living_ceiling"},
]

IN_FIVE_LANGUAGES = {
    "en": (("reading lamp", "floor lamp", "kitchen", "study"), "turn on the lights"),
    "de": (("Leselampe", "Stehlampe", "Küche", "Büro"), "schalte das Licht ein"),
    "fr": (("lampe de lecture", "lampadaire", "cuisine", "bureau"), "allume la lumière"),
    "es": (("lámpara de lectura", "lámpara de pie", "cocina", "oficina"), "enciende la luz"),
    "zh-CN": (("阅读灯", "落地灯", "厨房", "书房"), "打开灯"),
}
"""By language the names of two lamps and of their rooms, and a sentence that does not say which room is meant."""


@pytest.fixture
def somebody() -> Inhabitant:
    """Return somebody whose board stands in no room."""
    return Inhabitant(home(LIGHTS))


@pytest.mark.parametrize(
    ("sentence", "reply", "calls"),
    [
        ("turn off the ceiling light", "the one in the hall", [("turn_off", "hall_ceiling")]),
        ("turn off the ceiling light", "the hall one", [("turn_off", "hall_ceiling")]),
        ("turn off the ceiling light", "both", [("turn_off", "hall_ceiling"), ("turn_off", "living_ceiling")]),
        ("turn off the ceiling light and the radio", "hall", [("turn_off", "radio"), ("turn_off", "hall_ceiling")]),
        ("turn on the lights", "in the study", [("turn_on", "desk lamp"), ("turn_on", "floor lamp")]),
        ("turn on the lights", "upstairs", [("turn_on", "desk lamp"), ("turn_on", "floor lamp")]),
        ("turn on the lights", "i mean the work lamp, please", [("turn_on", "desk lamp")]),
        ("turn on the lights", "the kitchen and the hall", [("turn_on", "kitchen light"), ("turn_on", "hall_ceiling")]),
        ("brighter", "the study", [("get_state", "desk lamp"), ("get_state", "floor lamp")]),
        ("set the music volume to 30", "the tv", [("set_volume", "television", 30)]),
        ("is the ceiling light on?", "the hall", [("get_state", "hall_ceiling")]),
    ],
)
def test_a_reply_completes_the_wish(somebody: Inhabitant, sentence: str, reply: str, calls: list[Any]) -> None:
    """By a device, by a room or a floor, or by all of what was asked about."""
    assert somebody.calls(sentence) == []

    assert somebody.calls(reply) == calls


@pytest.mark.parametrize(("said", "meant"), [(0, 0), (1, 1), (2, 0), (3, 1)])
@pytest.mark.parametrize("language", IN_FIVE_LANGUAGES)
def test_names_and_rooms_are_replies_in_every_language(language: str, said: int, meant: int) -> None:
    """The answer is said in it too."""
    names, sentence = IN_FIVE_LANGUAGES[language]
    lamps = [device(names[0], "light", names[2]), device(names[1], "light", names[3])]
    somebody = Inhabitant(home(lamps, languages=[language]))
    asked = somebody.recognize(sentence)

    answered = somebody.recognize(names[said])

    assert "calls" not in asked
    assert [call["arguments"]["entity"] for call in answered["calls"]] == [names[meant]]
    assert answered["language"] == language


@pytest.mark.parametrize(
    ("language", "reply", "count"),
    [
        ("en", "the one in the kitchen", 1),
        ("en", "all of them", 2),
        ("de", "die in der Küche", 1),
        ("de", "ich meine die Leselampe", 1),
        ("de", "die Leselampe und die Stehlampe", 2),
        ("de", "alle beide", 2),
        ("fr", "celle de la cuisine", 1),
        ("fr", "le lampadaire, s'il te plaît", 1),
        ("fr", "les deux", 2),
        ("es", "la de la cocina", 1),
        ("es", "la lámpara de pie", 1),
        ("es", "las dos", 2),
        ("zh-CN", "厨房的那个", 1),
        ("zh-CN", "我说的是落地灯", 1),
        ("zh-CN", "两个都要", 2),
    ],
)
def test_replies_are_said_in_many_ways(language: str, reply: str, count: int) -> None:
    """With an article, with the words around a room, and for both."""
    names, sentence = IN_FIVE_LANGUAGES[language]
    lamps = [device(names[0], "light", names[2]), device(names[1], "light", names[3])]
    somebody = Inhabitant(home(lamps, languages=[language]))
    somebody.recognize(sentence)

    assert len(somebody.calls(reply)) == count


def test_a_language_without_sentences_of_ours_takes_names() -> None:
    """Italian, say."""
    lamps = [device("lampada da tavolo", "light", "studio"), device("piantana", "light", "cucina")]
    somebody = Inhabitant(home(lamps, languages=["it"]))
    question = somebody.recognize("accendi le luci")

    assert "calls" not in question
    assert [call[1] for call in somebody.calls("cucina")] == ["piantana"]


def test_a_reply_that_leaves_two_is_asked_about_again() -> None:
    """Music is played on one device."""
    speakers = [device("radio", "media", "kitchen"), device("speaker", "media", "kitchen"), LIGHTS[4]]
    somebody = Inhabitant(home(speakers))
    somebody.recognize("set the music volume to 30")

    _, question = somebody.say("in the kitchen")

    assert question == "Which one do you mean: the radio or the speaker?"
    assert somebody.calls("the speaker") == [("set_volume", "speaker", 30)]


def test_a_command_for_later_is_completed_too(somebody: Inhabitant) -> None:
    """When it is due, the command and the reply are understood again."""
    question = somebody.recognize("turn on the lights in 5 minutes")

    later = somebody.recognize("the  study")
    for text in later["command"].splitlines():
        due = somebody.calls(text)

    assert "Which one" in question["answer"]
    assert (later["after_seconds"], later["command"]) == (300, "turn on the lights\nthe study")
    assert due == [("turn_on", "desk lamp"), ("turn_on", "floor lamp")]


def test_the_answer_is_about_what_the_reply_named(somebody: Inhabitant) -> None:
    """One light, or those of the room."""
    somebody.say("turn on the lights")
    one = somebody.say("the desk lamp")
    somebody.say("turn on the lights")
    room = somebody.say("the study")

    assert one[1] == "Turned on the light"
    assert room[1] == "Turned on the lights"


def test_a_question_is_answered_once(somebody: Inhabitant) -> None:
    """A second name has no wish to complete."""
    somebody.say("turn on the lights")
    somebody.say("the desk lamp")

    assert somebody.calls("the floor lamp") == []


@pytest.mark.parametrize("other", ["turn off the desk lamp", "tell me a joke", "never mind", "the radio", "both"])
def test_any_other_sentence_forgets_the_question(somebody: Inhabitant, other: str) -> None:
    """It means what it always means; a device that was not asked about is no reply."""
    expected = Inhabitant(home(LIGHTS)).recognize(other)
    somebody.recognize("turn on the lights")

    assert somebody.recognize(other).get("answer") == expected.get("answer")
    assert somebody.calls("the desk lamp") == []


@pytest.mark.parametrize(("seconds", "count"), [(REMEMBERED_SECONDS, 1), (REMEMBERED_SECONDS + 1, 0)])
def test_a_question_is_forgotten_after_a_while(somebody: Inhabitant, seconds: float, count: int) -> None:
    """A name is then no command."""
    somebody.recognize("turn on the lights")
    somebody.now += seconds

    assert len(somebody.calls("the desk lamp")) == count


def test_each_conversation_has_its_own_question(somebody: Inhabitant) -> None:
    """A name in another room's conversation completes nothing, and forgets nothing."""
    somebody.recognize("turn on the lights", conversation="anna")

    elsewhere = somebody.calls("the desk lamp", conversation="ben")

    assert elsewhere == []
    assert somebody.calls("the desk lamp", conversation="anna") == [("turn_on", "desk lamp")]


def test_a_conversation_goes_on_in_another_task_of_the_same_home(somebody: Inhabitant) -> None:
    """Home Assistant's pipeline has a task for each sentence; where the devices have changed, nothing is completed."""
    somebody.recognize("turn on the lights", conversation="anna")
    somebody.tell("setup", data={"home": home(LIGHTS)}, task="intent.2")
    same_home = somebody.calls("the desk lamp", conversation="anna", task="intent.2")
    somebody.recognize("turn on the lights", conversation="anna")
    somebody.tell("setup", data={"home": home(LIGHTS[:3])}, task="intent.3")

    assert same_home == [("turn_on", "desk lamp")]
    assert somebody.calls("the desk lamp", conversation="anna", task="intent.3") == []


def test_a_wish_that_cannot_be_done_is_not_asked_about(somebody: Inhabitant) -> None:
    """One part is unclear, the other cannot be: no reply makes the sentence whole."""
    somebody.recognize("turn on the lights and set the heater in the hall to 20 degrees")

    assert somebody.calls("the desk lamp") == []


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [
        ("en", "yes, please", "no"),
        ("de", "ja", "nein"),
        ("fr", "oui", "non"),
        ("es", "sí", "no"),
        ("zh-CN", "是的", "不是"),
    ],
)
def test_a_question_about_one_room_is_answered_with_yes_or_no(language: str, yes: str, no: str) -> None:
    """The board stands in none, and one room has a lamp."""
    names, sentence = IN_FIVE_LANGUAGES[language]
    somebody = Inhabitant(home([device(names[0], "light", names[2])], languages=[language]))
    _, question = somebody.say(sentence)

    agreed = somebody.calls(yes)
    somebody.say(sentence)
    declined = somebody.recognize(no)

    assert names[2] in question
    assert agreed == [("turn_on", names[0])]
    assert "calls" not in declined
    assert declined["intent"] == "HassNevermind"


def test_a_question_about_one_device_is_answered_with_yes() -> None:
    """In the kitchen there is no lock, and nothing is unlocked on a guess."""
    somebody = Inhabitant(home([device("front door", "lock", "hall"), LIGHTS[2]], area="kitchen"))
    _, question = somebody.say("unlock the door")

    assert question == "Do you mean the front door?"
    assert somebody.calls("yes") == [("unlock", "front door")]


@pytest.mark.parametrize(
    ("reply", "players"),
    [("the radio", ["radio"]), ("both", ["radio", "speaker"]), ("radio and speaker", ["radio", "speaker"])],
)
def test_a_question_after_the_states_were_read_is_answered_too(reply: str, players: list[str]) -> None:
    """Both play, and the sentence is about one."""
    speakers = [device(name, "media", "study") for name in ("radio", "speaker")]
    somebody = Inhabitant(home(speakers, area="study"))
    somebody.states = {name: state("playing", volume=20) for name in ("radio", "speaker")}
    _, question = somebody.say("volume up")

    calls, answer = somebody.say(reply)

    assert question == "Which one do you mean: the radio or the speaker?"
    assert [call for call in calls if call[0] == "set_volume"] == [("set_volume", name, 30) for name in players]
    assert "Which" not in answer
