"""Covers units.intent.skills.board and units.intent.skills.speech."""

import pytest

from tests.support.units.skill_talk import skill_of, talk

STATE = {
    "temperature": 48.5,
    "memory_percent": 41,
    "uptime_s": 93784,
    "addresses": ["192.168.1.20", "10.0.0.3"],
    "name": "kitchen",
    "version": "0.1.0",
}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("what is your ip address", "My address is 192.168.1.20."),
        ("What's your IP address?", "My address is 192.168.1.20."),
        ("how warm are you", "I am at 48.5 degrees Celsius."),
        ("what's the cpu temperature", "I am at 48.5 degrees Celsius."),
        ("how long have you been running", "I have been running for 1 day and 2 hours."),
        ("what's your uptime", "I have been running for 1 day and 2 hours."),
        ("how much memory do you have left", "41 percent of my memory is in use."),
        ("what is your hostname", "My name in the network is kitchen."),
        ("what version are you", "I run version 0.1.0 of unitd."),
        ("do you know your ip address", "My address is 192.168.1.20."),
        ("how hot is your cpu right now", "I am at 48.5 degrees Celsius."),
        ("how much ram is free", "41 percent of my memory is in use."),
    ],
)
def test_the_board_tells_of_itself(text: str, answer: str) -> None:
    """In English."""
    assert talk(text, board_state=STATE).answer == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("wie warm bist du", "Ich habe 48,5 Grad Celsius."),
        ("wie ist deine IP-Adresse", "Meine Adresse ist 192.168.1.20."),
        ("wie lange läufst du schon", "Ich laufe seit 1 Tag und 2 Stunden."),
    ],
)
def test_the_board_tells_of_itself_in_german(text: str, answer: str) -> None:
    """With its decimals."""
    assert talk(text, "de", board_state=STATE).answer == answer


def test_a_board_without_a_sensor_or_a_network_says_so() -> None:
    """Nothing is made up."""
    state = {**STATE, "temperature": None, "addresses": [], "uptime_s": 12}

    assert talk("how warm are you", board_state=state).answer == "This board has no sensor for its temperature."
    assert talk("what is your ip address", board_state=state).answer == "I am in no network."
    assert talk("what's your uptime", board_state=state).answer == "I have been running for less than a minute."


@pytest.mark.parametrize(
    ("text", "language", "skill"),
    [
        ("say that again", "en", "again"),
        ("can you repeat that please", "en", "again"),
        ("what did you say", "en", "again"),
        ("pardon", "en", "again"),
        ("speak slower", "en", "slower"),
        ("speak a bit more slowly please", "en", "slower"),
        ("you are talking too fast", "en", "slower"),
        ("talk faster", "en", "faster"),
        ("speak normally", "en", "normally"),
        ("sorry i misheard that", "en", "again"),
        ("could you repeat your last answer", "en", "again"),
        ("i would like you to talk a bit slower to me", "en", "slower"),
        ("increase your speaking speed", "en", "faster"),
        ("sag das noch einmal", "de", "again"),
        ("wie bitte", "de", "again"),
        ("sprich langsamer", "de", "slower"),
        ("rede etwas schneller", "de", "faster"),
        ("sprich wieder normal", "de", "normally"),
    ],
)
def test_the_voice_is_asked_for_something(text: str, language: str, skill: str) -> None:
    """To repeat itself, or for another speed."""
    assert skill_of(text, language) == f"speech.{skill}"


def test_the_last_answer_is_said_again() -> None:
    """Word for word; before the first there is nothing to say."""
    assert talk("say that again", speech_again={"text": "it is {{ 5 }} o'clock."}).answer == "It is {{ 5 }} o'clock."
    assert talk("say that again", reasons={"speech": "nothing_said"}).answer == "I have not said anything yet."


def test_the_speed_goes_in_steps_to_an_end() -> None:
    """The answer says where it does not go on."""
    slower = talk("speak slower", speech_speed={"is_changed": True})

    assert slower.calls == [("speech_speed", {"factor": 0.85})]
    assert slower.answer == "I speak slower now."
    assert talk("speak much slower", speech_speed={"is_changed": True}).calls == [("speech_speed", {"factor": 0.722})]
    assert talk("speak faster", speech_speed={"is_changed": False}).answer == "I cannot speak faster than this."
