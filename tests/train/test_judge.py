"""The judge of the bundled model: train.judge.figures, claims, rules, files, published, place, talk, turn_ends,
conversations and homes. No model is asked: what a model says is given."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from train.corpus.base import Message
from train.judge.claims import claims
from train.judge.conversations import judge_conversation
from train.judge.figures import area, auc, share, wilson
from train.judge.files import FOLDER, checksums, read_rows
from train.judge.homes import judge_homes
from train.judge.model import Model
from train.judge.place import place_of, place_of_skills, usual_home
from train.judge.published import _is_fit, _row
from train.judge.rules import has, is_copied, is_sound, obeys
from train.judge.talk import judge_copies, judge_demo, judge_talk
from train.judge.turn_ends import heard, judge_ends

LAMP = {"name": "Lamp", "kind": "light", "area": "den", "aliases": []}
ON = '<tool_call>{"name": "turn_on", "arguments": {"entity": "Lamp"}}</tool_call>'


class Said:
    """A model that says what a test gives, in this order, and the last of it for ever."""

    def __init__(self, *answers: str, most_messages: int = 100) -> None:
        self.asked: list[list[Message]] = []
        self._answers = list(answers)
        self._most_messages = most_messages

    def answer(self, messages: Sequence[Message], functions: Sequence[Mapping[str, Any]] = (), most: int = 0) -> str:
        """Return the next answer."""
        self.asked.append(list(messages))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def fits(self, messages: Sequence[Message]) -> bool:
        """Return whether the conversation is short enough."""
        return len(messages) <= self._most_messages

    @property
    def model(self) -> Model:
        """Return it as what the judge takes."""
        return cast(Model, self)


# Figures


def test_the_interval_is_wilsons() -> None:
    """Of all right answers, too, one knows little when they are few."""
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(300, 300) == pytest.approx((0.9874, 1.0), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert share("some", [True, False]).value == 0.5


def test_the_area_counts_pairs_in_the_right_order() -> None:
    """Equal values count half."""
    assert auc([3, 4], [1, 2]) == 1.0
    assert auc([1, 2], [3, 4]) == 0.0
    assert auc([1, 1], [1, 1]) == 0.5
    assert auc([2, 4], [1, 3]) == 0.75


def test_the_area_has_an_interval() -> None:
    """It gets narrow with more texts."""
    few, many = area("few", [1.0, 3.0], [0.0, 2.0]), area("many", [1.0, 3.0] * 50, [0.0, 2.0] * 50)

    assert few.value == many.value == 0.75
    assert few.low < many.low < 0.75 < many.high < few.high


# Claims


@pytest.mark.parametrize(
    "answer",
    [
        "Turning on the kitchen light.",
        "Sure! Adding milk to the list.",
        "No problem, dimming it.",
        "I'm playing jazz for you.",
        "I have set an alarm for six.",
        "I turned it off.",
        "OK, I'll call her now.",
        "Let me lock the door.",
        "The timer is set.",
        "The blinds in the living room are closed.",
        "Your table has been booked.",
        "Timer set for ten minutes.",
        "It is on now.",
        "I can't see it, but I've turned the light on.",
        "Making the light brighter.",
        "Done.",
        "On it.",
        f"Well. {ON}",
    ],
)
def test_what_was_not_done_is_claimed(answer: str) -> None:
    """Whether it is done now, was done or will be done, or is said to be so."""
    assert claims(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "I have nothing to switch here.",
        "Sorry, I can't set an alarm.",
        "I have not set a timer, and no light is on.",
        "If you add a lamp to tools.toml, I'll switch it on.",
        "Do you want me to turn it on?",
        "Playing the piano is fun.",
        "Please call a doctor right away!",
        'She said "The light is on." and left.',
        "The sky is blue.",
        "I'll call you Captain.",
        "It sounds like a long day.",
    ],
)
def test_an_honest_answer_claims_nothing(answer: str) -> None:
    """Denials, conditions, questions, quotations and talk."""
    assert claims(answer) == []


# Rules


def test_words_are_found_whole_and_in_any_case() -> None:
    """A part of a word or of a number is another one."""
    assert has("That makes Fifteen.", "fifteen")
    assert has("It isn't on.", "n't")
    assert has("It is 15.", "15")
    assert not has("It is 150.", "15") and not has("It is 15.5.", "15") and not has("It is 3.15.", "15")


def test_an_answer_must_obey_its_rule() -> None:
    """One word of each list, none of the forbidden ones, and enough words."""
    rule = {"has": [["locked", "shut"], ["door"]], "not": ["unlocked"], "least_words": 3}

    assert obeys("The door is locked.", rule)
    assert not obeys("The door is unlocked.", rule)
    assert not obeys("It is locked now.", rule)
    assert not obeys("Door locked.", rule)


def test_decayed_text_is_not_sound() -> None:
    """Marks of the frame, nothing at all, or the same over and over."""
    assert is_sound("I am fine. I am fine.")
    assert not is_sound("The capital of is}}</tool_call>")
    assert not is_sound(" ")
    assert not is_sound("the cat and the dog " * 3)


def test_a_result_is_copied_to_the_letter() -> None:
    """A state in its parts, a sentence as a whole."""
    assert is_copied("The heater is set to heat, at 21.5 degrees.", "heat, 21.5 degrees", ["heat, 21.5 degrees"])
    assert not is_copied("It is at 21 degrees.", "21.5 degrees", ["21.5"])
    assert not is_copied("It is at 121.5 degrees.", "21.5 degrees", ["21.5"])
    assert is_copied("In Zultkealt it is 11:58.", "In Zultkealt it is 11:58.", [])
    assert not is_copied("In Zultkelt it is 11:58.", "In Zultkealt it is 11:58.", [])


# Files


@pytest.mark.parametrize("name", ["talk", "turn_ends", "demo", "long", "copies"])
def test_the_sentences_are_those_that_were_frozen(name: str) -> None:
    """Their checksums stand in README.md."""
    assert read_rows(FOLDER / f"{name}.jsonl")
    assert f"{name}.jsonl" in checksums()


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """Whoever changes a sentence changes the judge."""
    changed = tmp_path / "talk.jsonl"
    changed.write_bytes((FOLDER / "talk.jsonl").read_bytes() + b"\n")

    with pytest.raises(ValueError, match="checksum"):
        read_rows(changed)


def test_the_files_are_as_large_as_they_say() -> None:
    """And every cut lies within its sentence."""
    sizes = {name: len(read_rows(FOLDER / f"{name}.jsonl")) for name in ("talk", "turn_ends", "demo", "copies")}
    ends = read_rows(FOLDER / "turn_ends.jsonl")

    assert sizes == {"talk": 300, "turn_ends": 683, "demo": 22, "copies": 300}
    assert [len(row["turns"]) for row in read_rows(FOLDER / "long.jsonl")] == [40, 100]
    assert all(0 < cut < len(row["say"].split()) for row in ends for cut in row["cuts"])
    assert all(set(row.get("hard", ())) <= set(row["cuts"]) for row in ends)


def test_each_call_of_the_files_can_be_made() -> None:
    """Each names a tool and a device of its place."""
    talks = [
        (row, call) for row in read_rows(FOLDER / "long.jsonl") for t in row["turns"] for call in t.get("calls", ())
    ]
    copies = [(row, row["call"]) for row in read_rows(FOLDER / "copies.jsonl")]

    for row, call in [*talks, *copies]:
        place = place_of(usual_home(row["devices"])) if "devices" in row else place_of_skills()
        properties = {
            each["function"]["name"]: each["function"]["parameters"]["properties"] for each in place.functions
        }
        assert set(call["arguments"]) == set(properties[call["name"]]), call
        named = properties[call["name"]].get("entity", {}).get("enum", [""])
        assert call["arguments"].get("entity", "") in named, call


def test_the_sentences_do_not_stand_in_the_corpus() -> None:
    """Short ones ("hello there") may be anybody's. A failure does not show them: who writes the corpus reads it."""
    rows = [row for name in ("talk", "turn_ends") for row in read_rows(FOLDER / f"{name}.jsonl")]
    said = {_plain(row["say"]) for row in rows if len(row["say"].split()) > 7}
    root = Path(__file__).parents[2] / "train" / "corpus"
    corpus = " ".join(
        _plain(path.read_text(encoding="utf-8")) for path in root.rglob("*") if path.suffix in (".py", ".txt")
    )

    assert sum(each in corpus for each in said) == 0


def test_turns_of_others_are_chosen_by_a_rule() -> None:
    """Too long ones and unfit words are left out; a third turn has the two before it."""
    assert _is_fit("I like the rain.") and not _is_fit("") and not _is_fit("so " * 31) and not _is_fit("I hate nazis")
    assert _row(("a", "b", "c"), "x")["before"] == [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
    ]


# What a model says


def test_talk_counts_claims_by_kind() -> None:
    """The prompt is another one from turn to turn, and the messages before come first."""
    rows: list[dict[str, Any]] = [
        {"say": "light on", "kind": "wish"},
        {"say": "hi", "kind": "talk", "before": [{"role": "user", "content": "yo"}]},
    ]
    said = Said("It is on.", "Hello.")

    figures, wrong = judge_talk(said.model, rows, "talk")

    assert [(each.value, each.number) for each in figures] == [(0.5, 2), (1.0, 1), (0.0, 1), (1.0, 2)]
    assert len(wrong) == 1 and "light on" in wrong[0]
    assert [[each.role for each in messages] for messages in said.asked] == [["user"], ["system", "user", "user"]]


def test_demos_and_copies_are_held_against_their_rules() -> None:
    """A result is given after the call that it belongs to."""
    call = {"name": "get_state", "arguments": {"entity": "Lamp"}}
    copy = {"kind": "state", "say": "how is it", "devices": [LAMP], "call": call, "result": "dim", "keep": ["dim"]}
    said = Said("It is dim.")

    [demo], _ = judge_demo(Said("4").model, [{"say": "2 + 2", "has": [["4"]]}, {"say": "3 + 2", "has": [["5"]]}])
    figures, wrong = judge_copies(said.model, [copy])

    assert demo.value == 0.5
    assert figures[0].value == 1.0 and wrong == []
    assert [each.role for each in said.asked[0]] == ["system", "user", "assistant", "tool"]
    assert said.asked[0][-1].content == "<tool_response>dim</tool_response>"


def test_turn_ends_are_asked_typed_and_as_recognised() -> None:
    """A model that waits for a full stop knows nothing of recognised words."""
    rows = [{"say": "Turn on the light.", "kind": "home", "cuts": [1, 3], "hard": [1]}]
    rows += [{"say": "Call me Ishmael.", "kind": "book", "cuts": [2]}]

    figures = {each.name: each.value for each in judge_ends(lambda text: float(text.endswith(".")), rows)}

    assert heard("Don't stop, \u2018Jo\u2019 - it's 5!") == "don't stop jo it's 5"
    assert figures["turn ends: typed, AUC"] == 1.0 and figures["turn ends: as recognised, AUC"] == 0.5
    assert figures["turn ends: hard cuts, recognised, AUC"] == 0.5


def test_a_conversation_goes_on_with_what_was_said_and_called() -> None:
    """A turn is right when its calls and its words are; a call that is not due is wrong."""
    due = {"say": "on", "calls": [{"name": "turn_on", "arguments": {"entity": "Lamp"}}], "results": ["done"]}
    turns = [{"say": "hi"}, due | {"has": [["on"]]}, {"say": "thanks"}, {"say": "is it late?"}]
    said = Said("Hello.", ON, "It is on.", ON, "It is on.", "Turning it off.")

    figures, wrong = judge_conversation(
        said.model, {"name": "4 turns", "prompt": "Be brief.", "devices": [LAMP], "turns": turns}
    )

    assert figures[0].value == 0.5 and len(wrong) == 2
    assert [each.role for each in said.asked[-1]][1:6] == ["user", "assistant", "user", "assistant", "tool"]


def test_the_oldest_turns_are_forgotten_when_the_context_is_full() -> None:
    """The system turn stays."""
    said = Said("Hello.", most_messages=4)

    judge_conversation(said.model, {"name": "3", "prompt": "", "devices": [LAMP], "turns": [{"say": "hi"}] * 3})

    assert [[each.role for each in messages] for messages in said.asked][-1] == ["system", "user", "assistant", "user"]


def test_a_silent_model_is_right_where_nothing_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a call is done by the daemon's toolbox, whose words the model reads."""
    light = {
        "say": "a",
        "type": "one",
        "expect": [{"tool": "turn_on", "device": "kitchen light"}],
        "needs": ["kitchen light"],
    }
    rows = [light | {"source": "own"}, {"say": "b", "type": "nothing", "expect": [], "source": "own"}]
    monkeypatch.setattr("train.judge.homes.read_sentences", lambda _: rows)
    said = Said(ON.replace("Lamp", "kitchen light"), "It is on.")

    figures, wrong = judge_homes(said.model)

    assert {each.name.strip(): each.value for each in figures}["something due: right"] == 1.0
    assert figures[0].value == 1.0 and wrong == []
    assert said.asked[1][-1].content == "<tool_response>The kitchen light is on.</tool_response>"


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
