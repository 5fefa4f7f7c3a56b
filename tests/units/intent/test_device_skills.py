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
    ("text", "answer"),
    [
        ("say that again", "It is late."),
        ("can you repeat that please", "It is late."),
        ("what did you say", "It is late."),
        ("pardon", "It is late."),
        ("sorry i misheard that", "It is late."),
        ("could you repeat your last answer", "It is late."),
        ("i couldn't make out the last part, repeat it please", "It is late."),
        ("would you mind saying that once more", "It is late."),
        ("speak slower", "I speak slower now."),
        ("speak a bit more slowly please", "I speak slower now."),
        ("you are talking too fast", "I speak slower now."),
        ("your voice is way too quick for me, slow it down", "I speak slower now."),
        ("stop speaking so rapidly", "I speak slower now."),
        ("i would like you to talk a bit slower to me", "I speak slower now."),
        ("talk faster", "I speak faster now."),
        ("why do you talk so slowly", "I speak faster now."),
        ("increase your speaking speed", "I speak faster now."),
        ("speak normally", "I speak at my usual speed again."),
    ],
)
def test_the_voice_is_asked_for_something(text: str, answer: str) -> None:
    """To repeat itself, or for another speed; "too fast" asks for a slower one."""
    talked = talk(text, speech_again={"text": "It is late."}, speech_speed={"is_changed": True})

    assert (talked.answer, len(talked.calls)) == (answer, 1)


@pytest.mark.parametrize(
    ("text", "skill"),
    [
        ("sag das noch einmal", "again"),
        ("wie bitte", "again"),
        ("sprich langsamer", "slower"),
        ("rede etwas schneller", "faster"),
        ("sprich wieder normal", "normally"),
    ],
)
def test_the_voice_is_asked_for_something_in_german(text: str, skill: str) -> None:
    """With the same intents."""
    assert skill_of(text, "de") == f"speech.{skill}"


@pytest.mark.parametrize(
    "text", ["play the song faster", "thanks again", "how do i speak faster", "slow and fast", "i missed you"]
)
def test_other_speeds_are_not_the_voice(text: str) -> None:
    """Nor is every "again" a wish to hear it again."""
    assert talk(text).answer == ""


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
    assert talk("talk twice as fast", speech_speed={"is_changed": True}).calls == [("speech_speed", {"factor": 2.0})]
    assert talk("halve your speed", speech_speed={"is_changed": True}).calls == [("speech_speed", {"factor": 0.5})]
    assert talk("speak 30 percent faster", speech_speed={"is_changed": True}).calls == [
        ("speech_speed", {"factor": 1.3})
    ]
    assert talk("speak faster", speech_speed={"is_changed": False}).answer == "I cannot speak faster than this."


@pytest.mark.parametrize(
    "text", ["thanks again!", "thank you once more", "hello again", "good morning again", "try again"]
)
def test_a_greeting_again_repeats_nothing(text: str) -> None:
    """What was done again is not what was said."""
    assert talk(text).calls == []
