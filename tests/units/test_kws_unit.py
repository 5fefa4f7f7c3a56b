"""Covers units.kws.unit, task and wake_stream: messages, events, sources, debounce, pause and bad input."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.units.kws_bench import TASK, KwsBench
from tests.support.units.spoken import RATE, joined, silence, speak
from unitd.wire.envelope import Envelope
from units.base import LATER, RUN_FAILED, SETUP_REFUSED, LoadError, UnitFault
from units.sound.wav import wav_header

pytest.importorskip("pocketsphinx", reason="pip install pocketsphinx")
pymicro_wakeword = pytest.importorskip("pymicro_wakeword", reason="pip install pymicro-wakeword")


@pytest.fixture
def bench() -> KwsBench:
    """A unit that has loaded."""
    return KwsBench()


def test_a_wake_word_wakes(bench: KwsBench) -> None:
    """From a client's upload: `true`, and what linked tasks and the log want to know."""
    bench.setup(kws="alexa")

    bench.upload(speak("alexa"))

    (event,) = bench.events()
    assert (event["task"], event["data"], event["is_wake"]) == (TASK, True, True)
    assert (event["source"], event["phrase"]) == ("upload", "alexa")
    assert 0.8 < event["score"] <= 1
    assert "heard_at" not in event
    assert bench.answers() == 1


def test_the_microphone_tells_when_it_was_heard(bench: KwsBench) -> None:
    """By the clock of the audio that decided it, whatever the period."""
    bench.setup(kws="alexa")
    word = speak("alexa")

    bench.listen(joined(silence(1), word, silence(1)), period=1600)

    (event,) = bench.events()
    assert event["source"] == "mic"
    assert 1.0 < event["heard_at"] < 1 + len(word) / RATE + 0.3


def test_json_tells_phrase_time_and_score(bench: KwsBench) -> None:
    """The time counts from the first sample that the task heard."""
    bench.setup(kws=["Alexa", "computer"], response_format="kws.json")

    bench.listen(joined(silence(2), speak("computer"), silence(1)))

    (event,) = bench.events()
    assert set(event["data"]) == {"phrase", "time", "score"}
    assert event["data"]["phrase"] == "computer"
    assert 2 < event["data"]["time"] < 3.5
    assert 0 < event["data"]["score"] <= 1


def test_several_phrases_wake_each_by_its_engine(bench: KwsBench) -> None:
    """A network hears the first, phones the others; spelling does not matter."""
    bench.setup(kws=["Hey, Jarvis!", "COMPUTER", "stackflow"])

    for text in ("stackflow", "hey jarvis", "computer"):
        bench.upload(joined(speak(text), silence(0.3)))

    assert bench.phrases() == ["stackflow", "Hey, Jarvis!", "COMPUTER"]


def test_without_kws_the_default_phrase_wakes(bench: KwsBench) -> None:
    """A client need not name one."""
    bench.setup()

    bench.upload(speak("hey jarvis"))

    assert bench.phrases() == ["hey jarvis"]


def test_the_original_clients_hello_works_and_is_warned_of(bench: KwsBench) -> None:
    """Four phones are too few to be sure."""
    bench.setup(kws="HELLO")

    bench.upload(joined(silence(0.5), speak("hello", "rms"), silence(0.5)))

    assert bench.phrases() == ["HELLO"]
    assert "kws.1000: 'HELLO' is short" in bench.host.logged()


def test_other_words_wake_nobody(bench: KwsBench) -> None:
    """A sentence goes by."""
    bench.setup(kws=["alexa", "computer", "hey jarvis"])

    bench.upload(speak("the weather is fine and the kettle is on"))

    assert bench.events() == []


def test_a_stricter_threshold_is_obeyed(bench: KwsBench) -> None:
    """Each phrase has its own."""
    bench.setup(kws=["computer", "alexa"], threshold={"alexa": 1.0})

    bench.upload(joined(speak("alexa"), silence(1), speak("computer"), silence(0.3)))

    assert bench.phrases() == ["computer"]


# Debounce and trigger


@pytest.mark.parametrize(("options", "wakes"), [({}, 2), ({"debounce": 0}, 3), ({"debounce": 30}, 1)])
def test_a_wake_is_not_told_twice_in_a_second_of_audio(bench: KwsBench, options: dict[str, Any], wakes: int) -> None:
    """Audio time: an upload may come as fast as it can. Two words stand close together, the third far off."""
    word = speak("computer")
    together = joined(word, word, silence(3), word, silence(0.5))
    bench.setup(kws="computer", **options)

    bench.upload(together)

    assert len(bench.events()) == wakes


def test_a_button_always_wakes(bench: KwsBench) -> None:
    """`trigger` counts as the first phrase and is never debounced."""
    bench.setup(kws=["alexa", "computer"], response_format="kws.json")

    bench.tell("trigger")
    bench.tell("trigger")

    first, second = bench.events()
    assert first == second
    assert (first["data"], first["source"]) == ({"phrase": "alexa", "time": 0.0, "score": 1.0}, "trigger")


def test_a_chime_is_asked_for_where_somebody_speaks(bench: KwsBench) -> None:
    """The microphone's wakes carry it, a client's upload and a button do not."""
    bench.setup(kws="alexa", enwake_audio=True)

    bench.upload(speak("alexa"))
    bench.listen(joined(speak("alexa"), silence(1)))
    bench.tell("trigger")

    assert [event.get("chime") for event in bench.events()] == [None, True, None]


# Sources and tasks


def test_a_microphone_and_an_upload_do_not_mix(bench: KwsBench) -> None:
    """Each has its own ears, though their pieces come in turn."""
    bench.setup(kws=["alexa", "computer"])
    spoken = joined(speak("alexa"), silence(1))
    sent = joined(speak("computer"), silence(1))

    for at in range(0, max(len(spoken), len(sent)), 1600):
        bench.listen(spoken[at : at + 1600])
        bench.tell("hear", sent[at : at + 1600].tobytes(), form="pcm", is_whole=False)

    assert {(event["phrase"], event["source"]) for event in bench.events()} == {
        ("alexa", "mic"),
        ("computer", "upload"),
    }


def test_tasks_hear_their_own_phrases(bench: KwsBench) -> None:
    """Three in one program, two of them at the microphone."""
    names = ("alexa", "computer", "hey jarvis")
    for number, name in enumerate(names):
        bench.setup(f"kws.{number}", kws=name)

    for name in names:
        bench.listen(joined(speak(name), silence(1)), tasks=("kws.0", "kws.1"))

    assert [(event["task"], event["phrase"]) for event in bench.events()] == [("kws.0", "alexa"), ("kws.1", "computer")]


def test_a_word_at_the_end_of_one_upload_and_the_start_of_the_next_are_two(bench: KwsBench) -> None:
    """A whole utterance ends all that was before it."""
    bench.setup(kws="alexa")

    for _ in range(3):
        bench.upload(speak("alexa"))

    assert len(bench.events()) == 3


@pytest.mark.parametrize(
    ("phrase", "said"), [("hey_jarvis", "hey jarvis"), ("ok_nabu", "okay nabu"), ("hey_computer", "hey computer")]
)
def test_a_phrase_may_be_written_as_satellites_write_it(bench: KwsBench, phrase: str, said: str) -> None:
    """With underscores; a wake tells it as it was written."""
    bench.setup(kws=phrase, response_format="kws.json")

    bench.upload(joined(silence(1), speak(said), silence(0.3)))

    assert bench.phrases() == [phrase]


def test_an_uploaded_file_may_have_any_rate(bench: KwsBench) -> None:
    """48 kHz in odd pieces."""
    samples = np.repeat(joined(speak("alexa"), silence(0.5)), 3)
    data = wav_header(len(samples), 48000) + samples.tobytes()
    bench.setup(kws="alexa")

    for at in range(0, len(data), 9999):
        bench.tell("hear", data[at : at + 9999], form="wav", is_whole=at + 9999 >= len(data))

    assert bench.phrases() == ["alexa"]


# Pause, work, exit


def test_what_is_said_while_paused_is_not_heard(bench: KwsBench) -> None:
    """From both sources, half words included; after `work` it hears as before."""
    bench.setup(kws="alexa")
    word = speak("alexa")
    bench.listen(word[: len(word) // 2])

    bench.tell("pause")
    bench.listen(joined(word[len(word) // 2 :], silence(1), word))
    bench.upload(word)
    bench.tell("work")

    assert bench.events() == []
    bench.listen(joined(silence(1), word, silence(1)))
    assert bench.phrases() == ["alexa"]


@pytest.mark.parametrize("action", ["pause", "exit"])
def test_a_recording_that_waits_is_refused_when_the_task_stops(bench: KwsBench, action: str) -> None:
    """It is not heard any more, and its sender waits for no answer; a piece has none."""
    bench.setup(kws="alexa")
    fields = {"task": TASK, "form": "pcm"}
    for number, is_whole in enumerate((False, True)):
        envelope = Envelope("hear", {"seq": number, "is_whole": is_whole, **fields}, speak("alexa").tobytes())
        assert bench.unit.handlers["hear"](envelope) is LATER

    bench.tell(action)

    piece, recording = bench.results()
    assert piece == {}
    assert recording["code"] == RUN_FAILED and "was stopped" in recording["message"]
    assert (bench.events(), bench.unit.is_busy) == ([], False)


def test_a_bad_recording_is_refused_in_its_turn(bench: KwsBench) -> None:
    """After the answer to the one before it."""
    bench.setup(kws="alexa")
    for form, sound in (("pcm", speak("good night").tobytes()), ("wav", b"ID3\x04" + bytes(500))):
        envelope = Envelope("hear", {"seq": 1, "task": TASK, "form": form, "is_whole": True}, sound)
        bench.unit.handlers["hear"](envelope)

    bench.drain()

    assert [type_ for type_, _ in bench.host.said] == ["event", "result", "result"]
    assert "MP3" in bench.results()[-1]["message"]


def test_a_long_upload_delays_nobody(bench: KwsBench) -> None:
    """Half a second of it is heard between two messages."""
    bench.setup("kws.1", kws="alexa")
    bench.setup("kws.2", kws="alexa")
    fields = {"seq": 7, "task": "kws.1", "form": "pcm", "is_whole": True}
    bench.unit.handlers["hear"](Envelope("hear", fields, silence(2).tobytes()))

    bench.unit.step()

    assert bench.unit.is_busy
    assert bench.answers() == 0
    bench.listen(joined(speak("alexa"), silence(0.5)), tasks=("kws.2",))
    assert bench.answers() == 1
    assert bench.phrases() == ["alexa"]


def test_a_task_that_has_ended_is_passed_over(bench: KwsBench) -> None:
    """A period that was on its way to it."""
    bench.setup(kws="alexa")
    bench.tell("exit")

    bench.listen(speak("alexa"))

    assert bench.events() == []
    with pytest.raises(UnitFault, match=r"no task kws\.1000"):
        bench.upload(speak("alexa"))


# Bad input


def test_audio_that_cannot_be_used_is_an_error_and_the_next_is_heard(bench: KwsBench) -> None:
    """An MP3, then a word."""
    bench.setup(kws="alexa")

    bench.tell("hear", b"ID3\x04" + bytes(1000), form="wav", is_whole=True)
    bench.upload(speak("alexa"))

    refusal = bench.results()[0]
    assert refusal["code"] == RUN_FAILED and "MP3" in refusal["message"]
    assert bench.phrases() == ["alexa"]


@pytest.mark.parametrize("period", [1, 319, 321, 5000])
def test_odd_periods_are_heard(bench: KwsBench, period: int) -> None:
    """Nothing is lost at the borders."""
    bench.setup(kws="alexa")

    bench.listen(joined(speak("alexa"), silence(0.3)), period=period)

    assert bench.phrases() == ["alexa"]


def test_silence_noise_and_clipping_are_only_sound(bench: KwsBench) -> None:
    """Nobody wakes and nothing breaks."""
    bench.setup(kws=["alexa", "computer"])
    noise = np.random.default_rng(3).integers(-32768, 32768, 2 * RATE).astype(np.int16)

    for sound in (silence(0), silence(2), noise, np.full(RATE, 32767, np.int16), noise[:1]):
        bench.upload(sound)
        bench.listen(sound)

    assert bench.events() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"kws": ["alexa", 7]}, "kws must be a phrase"),
        ({"kws": "你好"}, "'你好' of kws cannot be pronounced"),
        ({"kws": "wake 42"}, "'42' of kws cannot be pronounced"),
        ({"kws": "?!"}, "'?!' of kws has no words"),
        ({"threshold": 7}, "threshold is 7"),
    ],
)
def test_a_setup_that_cannot_be_is_refused(bench: KwsBench, data: dict[str, Any], words: str) -> None:
    """With the key or the word, and no task is left."""
    with pytest.raises(UnitFault) as fault:
        bench.setup(**data)

    assert fault.value.code == SETUP_REFUSED
    assert words in str(fault.value)
    with pytest.raises(UnitFault, match="no task"):
        bench.tell("trigger")


# Loading


MODELS = Path(pymicro_wakeword.__file__).parent / "models"


def own_model(folder: Path) -> Path:
    """Somebody's own network, which hears "alexa" and is called "wake up"."""
    config = json.loads((MODELS / "alexa.json").read_text())
    (folder / "own.json").write_text(json.dumps(config | {"wake_word": "Wake Up", "model": "own.tflite"}))
    shutil.copy(MODELS / "alexa.tflite", folder / "own.tflite")
    return folder


@pytest.mark.parametrize("file", ["", "own.json", "own.tflite"])
def test_a_network_of_ones_own_is_used(tmp_path: Path, file: str) -> None:
    """The card's file may be the folder or one of the two."""
    bench = KwsBench(path=str(own_model(tmp_path) / file))
    bench.setup(kws=["wake up", "computer"])

    bench.upload(speak("alexa"))
    bench.upload(joined(speak("computer"), silence(0.3)))

    assert bench.phrases() == ["wake up", "computer"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("own.json", b"{no json", "own.json is no wake word"),
        ("own.json", b'{"wake_word": "x"}', "own.json is no wake word"),
        ("own.tflite", b"not a network", "own.tflite is no TensorFlow Lite file"),
    ],
)
def test_a_broken_network_does_not_load(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """The error names the file."""
    (own_model(tmp_path) / name).write_bytes(content)

    with pytest.raises(LoadError, match=words):
        KwsBench(path=str(tmp_path))


def test_a_folder_without_networks_does_not_load(tmp_path: Path) -> None:
    """An engine of an unknown name does not load either."""
    with pytest.raises(LoadError, match="no wake word of microWakeWord"):
        KwsBench(path=str(tmp_path))
    with pytest.raises(LoadError, match="no engine 'axera'"):
        KwsBench(engine="axera")
