"""Covers units.intent.skills: matcher, skills and turn; how a skill that fails is kept from hurting others."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from units.intent.skills import skills as skills_module
from units.intent.skills.matcher import SkillMatcher
from units.intent.skills.skill import Asked, Handler, Reader, Said, Skill, SkillCall, Steps
from units.intent.skills.skills import Heard, Skills
from units.intent.skills.texts import Texts
from units.intent.steps import Outcome

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
TEXTS = Texts({"go": ["go [to {place}]"]}, {"gone": "I go.", "to": "I go to {{ place }}."})


def a_skill(name: str, handler: Handler, readers: dict[str, Reader] | None = None, texts: Texts = TEXTS) -> Skill:
    """Return a skill for "go" in English."""
    return Skill(name, {"en": texts}, {"go": handler}, readers or {})


def breaks(*_: Any) -> Any:
    """Fail as the code of somebody else may."""
    raise ZeroDivisionError


def goes(asked: Asked) -> Said:
    """Answer."""
    return Said("to", asked.slots) if asked.slots else Said("gone")


def breaks_later(asked: Asked) -> Steps:
    """Fail when the outcomes are known."""
    yield [SkillCall("look")]
    raise ZeroDivisionError


@pytest.fixture
def with_skills(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Skills]:
    """Make the skills of a board on which these are installed."""

    def made(*installed: Skill) -> Skills:
        monkeypatch.setattr(skills_module, "registered_skills", lambda: installed)
        skills = Skills(lambda: 0.0, lambda: NOW, count(1))
        skills.prepare({("en", b"")})
        return skills

    return made


def answer(skills: Skills, text: str) -> str:
    """Return what is said at once; "" if no skill takes the sentence."""
    turn = next(skills.turns(text, Heard("en")), None)
    return "" if turn is None else str(turn.reply()["answer"])


@pytest.mark.parametrize(
    "broken",
    [
        a_skill("broken", breaks),
        a_skill("broken", lambda asked: Said("unknown")),
        a_skill("broken", lambda asked: Said("to", {})),
        a_skill("broken", goes, texts=Texts({"go": ["go [to"]}, {})),
        a_skill("broken", goes, texts=Texts({"go": ["go <nowhere>"]}, {})),
    ],
    ids=["raises", "no answer", "no value", "no template", "no rule"],
)
def test_a_skill_that_fails_leaves_the_sentence_to_the_next(with_skills: Callable[..., Skills], broken: Skill) -> None:
    """The other one answers as if it were alone."""
    skills = with_skills(broken, a_skill("good", goes))

    assert answer(skills, "go") == "I go."


def test_a_sentence_that_only_a_broken_skill_takes_is_for_none(
    with_skills: Callable[..., Skills], caplog: pytest.LogCaptureFixture
) -> None:
    """So that a model gets it; the log names the skill."""
    with caplog.at_level(logging.ERROR):
        assert answer(with_skills(a_skill("broken", breaks)), "go") == ""

    assert "the skill broken failed" in caplog.text


def test_a_reader_that_fails_reads_nothing(with_skills: Callable[..., Skills]) -> None:
    """The reading is given up, the sentence without the slot is understood."""
    skills = with_skills(a_skill("broken", goes, {"place": breaks}), a_skill("good", goes))

    assert answer(skills, "go to rome") == "I go to rome."
    assert answer(skills, "go") == "I go."


def test_a_skill_that_fails_after_its_calls_says_so(with_skills: Callable[..., Skills]) -> None:
    """They are done, so that nobody else may have the sentence."""
    turn = next(with_skills(a_skill("late", breaks_later)).turns("go", Heard("en")))

    turn.take([Outcome(True, "")])

    assert turn.reply()["answer"] == "The skill late failed."


def test_of_two_skills_for_a_sentence_the_first_answers() -> None:
    """As their order says, not their names."""
    matcher = SkillMatcher("en", [a_skill("z", goes), a_skill("a", goes)])

    assert [match.skill.name for match in matcher.matches("go")] == ["z", "a"]
