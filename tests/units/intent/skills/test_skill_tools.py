"""Covers unitd.core.home.skill_tools: the skills understand the sentences for a model's calls."""

from typing import Any

import pytest

from tests.units.intent.skills.asking import NOW
from unitd.core.home.skill_tools import SKILL_TOOLS, are_said, beside, sentences_for, skill_functions, skills_among
from units.intent.skills.matcher import SkillMatcher
from units.intent.skills.registry import registered_skills
from units.intent.skills.skill import Asked
from units.intent.skills.turn import SkillTurn


@pytest.fixture(scope="module")
def matcher() -> SkillMatcher:
    return SkillMatcher("en", registered_skills())


def turn_of(matcher: SkillMatcher, name: str, arguments: dict[str, str]) -> SkillTurn:
    """Return the turn that the skills make of a call."""
    for text in sentences_for(name, arguments):
        for match in matcher.matches(text):
            asked = Asked(match.intent, match.slots, "en", "", NOW, text)
            turn = SkillTurn(1, match.skill, match.skill.handlers[match.intent], asked)
            if turn.is_meant:
                return turn
    raise AssertionError(f"no skill takes {name}{arguments}")


@pytest.mark.parametrize(
    ("name", "arguments", "call"),
    [
        ("start_timer", {"length": "60 minutes", "name": "oven"}, ("timer_start", {"seconds": 3600.0, "name": "oven"})),
        ("change_timer", {"change": "add", "length": "2 minutes", "name": "pizza"}, ("timer_list", {})),
        ("change_timer", {"change": "pause", "length": "", "name": ""}, ("timer_list", {})),
        ("cancel_timer", {"which": "all"}, ("timer_list", {})),
        ("ask_timer", {"which": "second"}, ("timer_list", {})),
        ("set_alarm", {"when": "6:30 on mondays"}, ("alarm_set", {"time": "06:30", "days": [0], "date": ""})),
        ("set_alarm", {"when": "in 20 minutes"}, ("timer_start", {"seconds": 1200.0})),
        ("cancel_alarm", {"which": "tomorrow"}, ("timer_list", {})),
        (
            "remind",
            {"what": "call mom", "when": "in an hour"},
            ("timer_start", {"seconds": 3600.0, "name": "call mom", "reminder": True}),
        ),
        ("snooze", {"length": "5 minutes"}, ("timer_snooze", {"seconds": 300.0})),
        ("stop", {}, ("timer_stop", {})),
        ("board_volume", {"change": "50 percent"}, ("volume_set", {"percent": 50.0})),
        ("board_volume", {"change": "unmute"}, ("volume_mute", {"is_muted": False})),
        ("add_to_list", {"item": "milk", "list": ""}, ("list_add", {"list": "", "items": ["milk"]})),
        (
            "remove_from_list",
            {"item": "milk", "list": "shopping"},
            ("list_remove", {"list": "shopping", "items": ["milk"], "is_done": False}),
        ),
        ("read_list", {"list": "to do"}, ("list_read", {"list": "todo"})),
        ("speak", {"change": "slower"}, ("speech_speed", {"factor": 0.85})),
        ("get_weather", {"place": "paris", "day": "tomorrow"}, ("weather_get", {"date": "2026-11-23"})),
        ("board_info", {"what": "address"}, ("board_state", {})),
    ],
)
def test_a_call_becomes_a_sentence_that_does_it(
    matcher: SkillMatcher, name: str, arguments: dict[str, str], call: tuple[str, dict[str, Any]]
) -> None:
    done = turn_of(matcher, name, arguments).calls
    assert [(each["name"], each["arguments"]) for each in done] == [call]


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("start_timer", {"length": "", "name": ""}, "For how long?"),
        ("remind", {"what": "my medicine", "when": ""}, "When should I remind you?"),
        ("get_time", {"place": "tokyo"}, "It is 1:04 AM on Monday in Tokyo."),
        ("get_date", {"day": "christmas"}, "That is Friday, December 25, 2026."),
        ("count_days", {"day": "christmas"}, "It is 33 days until Friday, December 25, 2026."),
        ("calculate", {"sum": "10% of 225"}, "That is 22.5."),
        ("convert", {"amount": "3 miles", "unit": "feet"}, "3 miles is 15,840 feet."),
    ],
)
def test_a_call_becomes_a_sentence_that_is_answered(
    matcher: SkillMatcher, name: str, arguments: dict[str, str], answer: str
) -> None:
    """A question where something is missing."""
    assert turn_of(matcher, name, arguments).answer() == answer


def test_a_sentence_names_all_arguments() -> None:
    """And no choice that the tool does not have."""
    assert sentences_for("start_timer", {"length": "", "name": "egg"}) == ["set a egg timer"]
    assert sentences_for("change_timer", {"change": "explode", "length": "", "name": ""}) == []
    assert sentences_for("snooze", {"length": 5}) == ["snooze for 5", "snooze 5"]


def test_arguments_are_words_of_the_person() -> None:
    assert are_said("start_timer", {"length": "Ten minutes", "name": "pasta"}, "the pasta takes ten minutes!")
    assert not are_said("start_timer", {"length": "12 minutes", "name": ""}, "the pasta takes ten minutes!")
    assert are_said("change_timer", {"change": "pause", "length": "", "name": ""}, "hold it")


def test_there_are_functions_where_english_is_spoken() -> None:
    assert [each["function"]["name"] for each in skill_functions(["de", "en"])] == list(SKILL_TOOLS)
    assert skill_functions("en-GB") and not skill_functions(["de"])
    change = next(each["function"] for each in skill_functions("en") if each["function"]["name"] == "change_timer")
    assert list(change["parameters"]["properties"]) == change["parameters"]["required"] == ["change", "length", "name"]
    assert change["parameters"]["properties"]["change"]["enum"] == ["add", "subtract", "pause", "resume", "restart"]


def test_a_tool_of_the_home_keeps_its_name() -> None:
    own = {"type": "function", "function": {"name": "stop", "description": "", "parameters": {}}}
    offered = [own, *beside([own], skill_functions("en"))]
    assert [each["function"]["name"] for each in offered].count("stop") == 1
    assert own not in skills_among(offered) and len(skills_among(offered)) == len(SKILL_TOOLS) - 1
