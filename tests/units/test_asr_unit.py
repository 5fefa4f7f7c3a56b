"""Covers units.asr.unit, units.asr.wake_phrase, units.sound.hearing and hearing_task: utterances and sleep."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.support.units.ears import Ears
from tests.support.units.spoken import RATE, joined, silence, speak
from units.asr.unit import AsrUnit
from units.asr.wake_phrase import without_wake_phrase
from units.base import SETUP_REFUSED, LoadError, UnitFault

GRAMMAR = """#JSGF V1.0;
grammar home;
public <command> = turn (on | off) the (light | lamp | radio) | what time is it | good night;
"""
AWAKE: dict[str, Any] = {"input": ["sys.pcm"], "grammar": GRAMMAR}
ASLEEP: dict[str, Any] = {"input": ["sys.pcm", "kws.1"], "grammar": GRAMMAR}
STREAM: dict[str, Any] = {"response_format": "asr.utf-8.stream"}
LIGHT = "turn on the light"


@pytest.fixture(scope="module")
def kept_ears() -> Ears:
    """The bundled engine, loaded once."""
    return Ears(AsrUnit)


@pytest.fixture
def ears(kept_ears: Ears) -> Iterator[Ears]:
    """That engine; its tasks end with the test."""
    yield kept_ears
    kept_ears.forget()


def test_an_utterance_is_one_text(ears: Ears) -> None:
    """With its dot for clients, without for a linked llm, and with the time of the audio that decided it."""
    ears.setup(**AWAKE)

    ears.hear(joined(speak(LIGHT), silence(1.5)))

    (event,) = ears.events()
    assert (event["data"], event["text"], event["source"]) == ("turn on the light.", LIGHT, "mic")
    assert 0 < ears.now - event["heard_at"] < 1.0


def test_a_text_tells_when_the_last_of_it_was_spoken(ears: Ears) -> None:
    """Within the window of the endpointer, for each utterance; an upload has no clock."""
    light, night = _trimmed(LIGHT), _trimmed("good night")
    ears.setup(**(AWAKE | {"input": ["sys.pcm", "asr"]}))

    ears.hear(joined(silence(1), light, silence(1.5), night, silence(1.7)))
    ears.upload(light.tobytes())

    ends = np.cumsum([1 + len(light) / RATE, 1.5 + len(night) / RATE])
    *heard, uploaded = ears.events()
    assert [event["speech_ended_at"] for event in heard] == pytest.approx(ends, abs=0.2)
    assert "speech_ended_at" not in uploaded


def test_a_stream_grows_and_ends(ears: Ears) -> None:
    """Cumulative, numbered, never the same text twice; the next utterance begins at 0."""
    ears.setup(**AWAKE, **STREAM)

    ears.hear(joined(speak(LIGHT), silence(1.5), speak("good night"), silence(1.5)))

    data = ears.data()
    first = data[: [each["finish"] for each in data].index(True) + 1]
    assert [each["index"] for each in first] == list(range(len(first)))
    assert first[-1]["delta"] == "turn on the light."
    assert len({each["delta"] for each in first}) == len(first) > 2
    assert (data[len(first)]["index"], data[-1]["delta"]) == (0, "good night.")


def test_the_endpoint_comes_after_the_configured_silence(ears: Ears) -> None:
    """rule2, by its long name; 0.3 s more for the endpointer's window."""
    ears.setup(**(AWAKE | {"endpoint_config.rule2.min_trailing_silence": 2.0}))

    ears.hear(joined(speak(LIGHT), silence(1.5)))
    early = ears.events()
    ears.hear(silence(1.0))

    assert early == []
    assert ears.data() == ["turn on the light."]


def test_silence_timeout_ends_the_utterance_sooner(ears: Ears) -> None:
    """In milliseconds; it counts before the rule2 that the original's clients send along."""
    ears.setup(**AWAKE, rule2=2.4, silence_timeout=400)

    ears.hear(joined(speak(LIGHT), silence(0.7)))

    assert ears.data() == ["turn on the light."]


def test_silence_says_nothing(ears: Ears) -> None:
    """Neither silence nor noise becomes a text."""
    ears.setup(**AWAKE)

    ears.hear(joined(silence(5), np.random.default_rng(1).normal(0, 300, 3 * RATE).astype(np.int16), silence(2)))

    assert ears.events() == []


def test_a_sleeper_hears_nothing_until_it_is_woken(ears: Ears) -> None:
    """One utterance, and it sleeps again."""
    ears.setup(**ASLEEP)

    ears.hear(joined(speak("good night"), silence(1.5)))
    ears.tell("wake", at=ears.now)
    ears.hear(joined(speak(LIGHT), silence(1.5), speak("what time is it"), silence(1.5)))

    assert ears.data() == ["turn on the light."]


@pytest.mark.parametrize("late", [0.0, 0.3, 0.6])
def test_what_is_said_in_one_breath_with_the_wake_word_is_heard(ears: Ears, late: float) -> None:
    """The wake comes late, its time says where the word ended; the word itself is no part of the text."""
    ears.setup(**ASLEEP)
    word = _trimmed("computer")
    speech = joined(silence(1), word, _trimmed(LIGHT), silence(1.5))
    ended = RATE + len(word) + int(0.1 * RATE)
    arrives = ended + int(late * RATE)

    ears.hear(speech[:arrives])
    ears.tell("wake", at=ended / RATE)
    ears.hear(speech[arrives:])

    assert ears.data() == ["turn on the light."]


def test_nobody_speaks_after_a_wake(ears: Ears) -> None:
    """After rule1 a stream ends empty, and it sleeps."""
    ears.setup(**(ASLEEP | STREAM), rule1=1.5)

    ears.tell("wake", at=0.0)
    ears.hear(joined(silence(2), speak(LIGHT), silence(1.5)))

    assert ears.data() == [{"delta": "", "finish": True, "index": 0}]
    assert "text" not in ears.events()[0]


def test_nobody_speaks_and_there_is_no_stream(ears: Ears) -> None:
    """An empty text tells so, and it sleeps."""
    ears.setup(**ASLEEP)

    ears.tell("wake", at=0.0)
    ears.hear(joined(silence(3), speak(LIGHT), silence(1.5)))

    assert ears.data() == [""]


@pytest.mark.parametrize("chimes", [False, True])
def test_the_board_says_that_it_heard_nothing_when_it_said_that_it_woke(ears: Ears, chimes: bool) -> None:
    """Who wants no sound at a wake wants none after it."""
    ears.setup(**ASLEEP)

    ears.tell("wake", at=0.0, chimes=chimes)
    ears.hear(silence(3))

    assert [event.get("is_unheard", False) for event in ears.events()] == [chimes]


def test_a_wake_word_inside_the_question_begins_it_anew(ears: Ears) -> None:
    """It is told as a repeat, which does not wake a sleeper."""
    ears.setup(**ASLEEP)
    word, light = _trimmed("computer"), _trimmed(LIGHT)
    ended = 1 + (len(word) + RATE // 10) / RATE

    ears.tell("wake", at=0.0)
    ears.hear(joined(silence(1), word, light[: RATE // 2]))
    ears.tell("wake", at=ended, is_repeat=True)
    ears.hear(joined(light[RATE // 2 :], silence(1.5)))
    ears.tell("wake", at=ears.now, is_repeat=True)
    ears.hear(joined(speak("good night"), silence(1.5)))

    assert ears.data() == ["turn on the light."]


def test_a_wake_phrase_that_was_written_down_is_left_out(ears: Ears) -> None:
    """It was said twice, and the second time nobody noticed; the question that follows counts."""
    ears.setup(input=["sys.pcm", "kws.1"], **STREAM)

    ears.tell("wake", at=0.0, phrase="Computer!")
    ears.hear(joined(silence(0.5), speak("computer", "rms"), speak("what time is it", "rms"), silence(1.5)))

    assert ears.data()[-1]["delta"].endswith("what time is it.")
    assert not any("computer" in each["delta"] for each in ears.data())


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("hey jarvis turn on the light", "turn on the light"),
        ("Hey, Jarvis. Hey Jarvis, turn on the light", "turn on the light"),
        ("hey jarvis", ""),
        ("is hey jarvis a name", "is hey jarvis a name"),
        ("hey jarvison", "hey jarvison"),
        ("", ""),
    ],
)
def test_the_question_follows_the_wake_phrase(text: str, question: str) -> None:
    """Whatever marks the engine writes."""
    assert without_wake_phrase(text, "Hey Jarvis") == question
    assert without_wake_phrase(text, "") == text


def test_a_cough_after_a_wake_does_not_send_it_to_sleep(ears: Ears) -> None:
    """What is no command ends nothing before rule1."""
    ears.setup(**ASLEEP)

    ears.tell("wake", at=0.0)
    ears.hear(joined(speak("elephants never forget"), silence(1.5), speak(LIGHT), silence(1.5)))

    assert ears.data() == ["turn on the light."]


def test_a_late_link_lets_an_utterance_end_first(ears: Ears) -> None:
    """And an unlink wakes for good."""
    ears.setup(**AWAKE)
    ears.hear(speak(LIGHT))

    ears.tell("linked", source="kws.9")
    ears.hear(joined(silence(1.5), speak("good night"), silence(1.5)))
    ears.tell("unlinked", source="kws.9")
    ears.hear(joined(speak("what time is it"), silence(1.5)))

    assert ears.data() == ["turn on the light.", "what time is it."]


def test_a_linked_vad_ends_the_recording(ears: Ears) -> None:
    """Pauses do not, however long."""
    ears.setup(response_format="asr.utf-8", input=["sys.pcm", "vad.3"], grammar=GRAMMAR)

    ears.hear(joined(speak(LIGHT), silence(3)))
    early = ears.events()
    ears.tell("speech", is_speech=False, at=ears.now)
    ears.drain()

    assert early == []
    assert ears.data() == ["turn on the light."]


def test_pause_keeps_still_and_work_begins_anew(ears: Ears) -> None:
    """What was half said is gone, what is said afterwards is whole."""
    ears.setup(**AWAKE)
    ears.hear(speak("good night")[: RATE // 2])

    ears.tell("pause")
    ears.hear(joined(speak(LIGHT), silence(1.5)))
    during = ears.events()
    ears.tell("work")
    ears.hear(joined(speak(LIGHT), silence(1.5)))

    assert during == []
    assert ears.data() == ["turn on the light."]


def test_what_is_said_behind_a_gap_is_understood(ears: Ears) -> None:
    """All that waited went at once, so that the next sentence is whole."""
    ears.setup(**AWAKE)

    ears.hear(joined(speak("good night"), silence(1.5)), is_slow=True)
    ears.hear(silence(0.1))
    ears.hear(joined(speak(LIGHT), silence(1.5)))

    assert "were dropped" in ears.host.logged()
    assert ears.data() == ["turn on the light."]


def test_a_unit_that_falls_behind_sheds_whole_periods() -> None:
    """Counted, and told once a second at most."""
    now = [100.0]
    ears = Ears(lambda host: AsrUnit(host, lambda: now[0]))
    ears.setup(**AWAKE)

    ears.hear(silence(5), is_slow=True)
    ears.drain()
    ears.hear(silence(3), is_slow=True)
    ears.drain()
    told = ears.host.logged()
    now[0] += 1.0
    ears.hear(silence(0.1))

    assert told == "asr.1 cannot keep up, 202 microphone periods were dropped"
    assert ears.host.logged() == told + "asr.1 cannot keep up, 102 microphone periods were dropped"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"rule1": "soon"}, "rule1 is 'soon'"),
        ({"rule2": -1}, "rule2 is -1"),
        ({"rule3": float("nan")}, "rule3 is nan"),
        ({"endpoint_config.rule3.min_utterance_length": True}, "endpoint_config.rule3.min_utterance_length is True"),
        ({"awake_delay": []}, "awake_delay is"),
        ({"silence_timeout": "1000"}, "silence_timeout is '1000', it must be a number from 1 to 60000"),
        ({"silence_timeout": 0}, "silence_timeout is 0"),
        ({"silence_timeout": -5}, "silence_timeout is -5"),
        ({"silence_timeout": True}, "silence_timeout is True"),
        ({"silence_timeout": None}, "silence_timeout is None"),
        ({"response_format": 7}, "response_format must be a text"),
        ({"input": 7}, "input must be"),
        ({"language": "zh"}, "language is 'zh'"),
        ({"grammar": "turn on"}, "grammar is no JSGF"),
        ({"grammar": GRAMMAR.replace("lamp", "blorptify")}, "not in the dictionary: blorptify"),
        ({"grammar": GRAMMAR.replace(")", "")}, r"grammar, line 3: unexpected ';', expecting '\|' or '\)'"),
        ({"grammar": GRAMMAR.replace(" =", "", 1)}, "grammar, line 3: unexpected word, expecting '='"),
        ({"grammar": GRAMMAR + "<more> = on\n"}, "grammar, line 4: unexpected end of the grammar"),
        ({"grammar": GRAMMAR.replace("home;", "home")}, "grammar, line 3: unexpected word"),
        ({"grammar": "/* a\n b */\n" + GRAMMAR.replace("the (", "the <room> (")}, "line 5: there is no rule <room>"),
        ({"grammar": GRAMMAR + "<more> = on <nothing>;"}, "line 4: there is no rule <nothing>"),
        ({"grammar": GRAMMAR.replace("the (", "<command> the (")}, "line 3: the rule <command> uses itself"),
        ({"grammar": GRAMMAR.replace("public ", "")}, 'no rule that begins with "public"'),
        ({"grammar": GRAMMAR.replace("home;", "home;\nimport <other.*>;")}, "line 3: imports are not supported"),
    ],
)
def test_bad_values_are_refused_by_name(ears: Ears, data: dict[str, Any], words: str) -> None:
    """The words become the setup's error."""
    with pytest.raises(UnitFault, match=words) as fault:
        ears.setup(**data)

    assert fault.value.code == SETUP_REFUSED


def test_messages_to_nobody_harm_nobody(ears: Ears) -> None:
    """A task may have ended while they were on their way."""
    ears.hear(silence(0.1), ("asr.7",))
    for type_ in ("wake", "speech", "linked", "unlinked", "exit"):
        ears.tell(type_, task="asr.7", at=0.0, source="kws.1", is_speech=False)

    assert ears.host.said == []


def test_an_unknown_engine_does_not_load() -> None:
    """The card is wrong."""
    with pytest.raises(LoadError, match="no asr engine 'ears'"):
        Ears(AsrUnit, engine="ears")


def _trimmed(text: str) -> Any:
    """What flite says without the silence around it."""
    spoken = speak(text)
    loud = np.flatnonzero(np.abs(spoken) > 300)
    return spoken[loud[0] : loud[-1] + 1]
