"""Covers units.llm.shares and what units.llm.slots keeps apart, in an engine with the bundled model."""

import math

import pytest

from tests.support.units.engine_bench import SLOTS, Bench
from units.llm import engine, pace, shares
from units.llm.options import SamplerSpec
from units.llm.pace import Pace
from units.llm.sequence import Generation

STORY = "tell me a very long story"
SHARED = "the fox and the hen went to the old mill by the river " * 6
FOR_EVER = 1000.0


@pytest.fixture
def endless(bench: Bench) -> SamplerSpec:
    """An answer that goes on until it may not."""
    return SamplerSpec(logit_bias=tuple((token, -math.inf) for token in bench.model.end_tokens))


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long before a slot changes hands; the small model says hundreds of tokens in a second."""
    patience(monkeypatch, newcomer=0.0, shortest=0.0, turn=FOR_EVER)
    monkeypatch.setattr(engine, "LOOK_SECONDS", 0.0)


def patience(monkeypatch: pytest.MonkeyPatch, *, newcomer: float, shortest: float, turn: float) -> None:
    """How long a newcomer waits, and how long a slot is kept from it and from others."""
    monkeypatch.setattr(shares, "NEWCOMER_SECONDS", newcomer)
    monkeypatch.setattr(shares, "SHORTEST_TURN_SECONDS", shortest)
    monkeypatch.setattr(shares, "TURN_SECONDS", turn)


def steps(bench: Bench, count: int) -> None:
    """The engine works for a while."""
    for _ in range(count):
        bench.engine.step()


def test_a_newcomer_does_not_wait_for_long_answers(bench: Bench, endless: SamplerSpec) -> None:
    """It is served before any of them ends, and each of them says what it says alone."""
    bench.ask("alone", STORY, max_tokens=200, spec=endless)
    bench.run()
    alone = bench.ear.texts.pop("alone")
    for number in range(SLOTS):
        bench.ask(f"long {number}", STORY, max_tokens=200, spec=endless, client="many")
    steps(bench, 50)

    bench.ask("hello", "hello", max_tokens=5, client="one")
    bench.run()

    assert list(bench.ear.ends)[1] == "hello"
    assert all(bench.ear.texts[f"long {number}"] == alone for number in range(SLOTS))


def test_a_newcomer_waits_a_moment_for_a_slot_to_become_free(
    bench: Bench, endless: SamplerSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends soon is not moved for it."""
    patience(monkeypatch, newcomer=FOR_EVER, shortest=0.0, turn=FOR_EVER)
    for number in range(SLOTS):
        bench.ask(f"long {number}", STORY, max_tokens=60, spec=endless)
    steps(bench, 10)

    bench.ask("hello", "hello", max_tokens=5)
    bench.run()

    assert list(bench.ear.ends)[-1] == "hello"


def test_the_longest_answer_of_who_holds_most_gives_its_slot(bench: Bench, endless: SamplerSpec) -> None:
    """Whoever holds one keeps it."""
    modest = bench.ask("modest", STORY, max_tokens=200, spec=endless, client="modest")
    steps(bench, 5)
    greedy = [bench.ask(name, STORY, max_tokens=200, spec=endless, client="greedy") for name in ("first", "second")]
    steps(bench, 20)

    bench.ask("hello", "hello", max_tokens=5, client="new")
    steps(bench, 2)

    assert greedy[0].slot is None
    assert modest.slot is not None
    assert greedy[1].slot is not None


def test_an_owner_gets_no_more_by_many_connections(bench: Bench, endless: SamplerSpec) -> None:
    """The first one of another owner comes before all that wait, however many clients they say they are."""
    for number in range(SLOTS * 4):
        bench.ask(f"long {number}", STORY, max_tokens=100, spec=endless, owner="anna", client=f"client {number}")

    asked = bench.ask("hello", "hello", max_tokens=5, owner="bert", client="client")
    steps(bench, 3)

    assert asked.slot is not None or bench.ear.ends.get("hello")


def test_nobody_takes_from_who_has_less(bench: Bench, endless: SamplerSpec) -> None:
    """A client that has two slots gets a third one only when it is free."""
    small = bench.ask("small", STORY, max_tokens=100, spec=endless, client="small")
    for number in range(6):
        bench.ask(f"big {number}", STORY, max_tokens=40, spec=endless, client="big")

    bench.run()

    assert not small.is_returning


def test_an_answer_comes_back_before_later_newcomers(
    bench: Bench, endless: SamplerSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are always newcomers it would else wait its whole ten seconds for each of them."""
    monkeypatch.setattr(shares, "RETURN_SECONDS", 0.0)
    longs = [bench.ask(f"long {n}", STORY, max_tokens=200, spec=endless, client=f"{n}") for n in range(SLOTS)]
    steps(bench, 10)
    bench.ask("hello", "hello", max_tokens=20, client="new")
    steps(bench, 2)
    patience(monkeypatch, newcomer=FOR_EVER / 2, shortest=FOR_EVER, turn=FOR_EVER)
    assert longs[0].is_returning

    later = [bench.ask(f"later {n}", "hello", max_tokens=5, client=f"later {n}") for n in range(3)]
    bench.run()

    assert bench.ear.ends["hello"]
    assert longs[0].turn_began < min(each.turn_began for each in later)


def test_answers_take_turns(bench: Bench, endless: SamplerSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the first one has come to its end, the others have said about as much; none is lost on the way."""
    patience(monkeypatch, newcomer=0.0, shortest=0.0, turn=0.01)
    names = [f"task {number}" for number in range(SLOTS + 1)]
    asked = [bench.ask(name, STORY, max_tokens=120, spec=endless, client=name) for name in names]

    while not bench.ear.ends:
        bench.engine.step()

    assert min(generation.generated for generation in asked) > 40
    bench.run()
    assert len({bench.ear.text(name) for name in names}) == 1


@pytest.mark.parametrize("is_held", [False, True])
def test_what_cannot_be_kept_is_computed_again_to_the_letter(bench: Bench, endless: SamplerSpec, is_held: bool) -> None:
    """Memory is set aside for one sequence: that of an answer that has no room is forgotten, but not what it said."""
    questions = {f"task {number}": f"tell me about the number {number}" for number in range(SLOTS)}
    alone = {}
    for task, question in questions.items():
        bench.ask(task, question, max_tokens=200, spec=endless)
        bench.run()
        alone[task] = bench.ear.texts.pop(task)
    asked = [bench.ask(task, question, max_tokens=200, spec=endless) for task, question in questions.items()]
    steps(bench, 175)
    computed = bench.context.computed
    for generation in asked:
        generation.is_held = is_held

    for number in range(SLOTS):
        bench.ask(f"short {number}", "hello", max_tokens=20, spec=endless, client=f"client {number}")
    steps(bench, 10)
    for generation in asked:
        generation.is_held = False
    bench.run()

    assert {task: bench.ear.texts[task] for task in questions} == alone
    assert bench.context.computed - computed > 175 + SLOTS * (25 + 20)
    assert all(len(ends) == 1 for task, ends in bench.ear.ends.items() if task.startswith("short"))


def test_who_speaks_waits_for_nobody(bench: Bench, endless: SamplerSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """A background job gives its slot up at once, and takes none back from the one that speaks."""
    patience(monkeypatch, newcomer=FOR_EVER, shortest=FOR_EVER, turn=FOR_EVER)
    for number in range(SLOTS):
        bench.ask(f"long {number}", STORY, max_tokens=100, spec=endless, client="background")
    steps(bench, 10)

    spoken = bench.ask("spoken", "hello", max_tokens=50, spec=endless, client="voice", priority=1)
    steps(bench, 1)
    patience(monkeypatch, newcomer=0.0, shortest=0.0, turn=FOR_EVER)
    bench.ask("new", "hello", max_tokens=5, client="background")
    bench.run()

    assert not spoken.is_returning
    assert list(bench.ear.ends)[:2] == ["new", "spoken"]


def test_an_answer_may_end_while_it_waits_for_its_return(bench: Bench, endless: SamplerSpec) -> None:
    """Once, and its room is another one's."""
    asked = [bench.ask(f"long {each}", STORY, max_tokens=200, spec=endless, client="many") for each in range(SLOTS)]
    steps(bench, 20)
    bench.ask("hello", "hello", max_tokens=40, spec=endless, client="one")
    steps(bench, 3)
    gone = next(each for each in asked if each.slot is None)

    bench.engine.end(gone, "interrupted")
    bench.run()

    assert bench.ear.ends[gone.task] == ["interrupted"]
    assert all(bench.ear.ends[each.task] == ["length"] for each in asked if each is not gone)


@pytest.mark.parametrize("long_prompts", [SLOTS - 1, SLOTS])
def test_a_short_question_does_not_wait_for_long_prompts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, long_prompts: int
) -> None:
    """Also where they have all slots; they are read to their ends later."""
    monkeypatch.setattr(pace, "ALONE_SECONDS", 0.0)
    monkeypatch.setattr(pace, "SMALLEST_ALONE", 64)
    for number in range(long_prompts):
        bench.ask(f"long {number}", f"{number} " + "word " * 400, max_tokens=1)
    steps(bench, 2)

    asked = bench.ask("short", "word " * 80, max_tokens=1, client="new")
    steps(bench, 3)

    assert 64 < len(asked.prompt) <= 128
    assert list(bench.ear.ends) == ["short"]
    bench.run()
    assert len(bench.ear.ends) == long_prompts + 1


def test_a_long_prompt_is_read_in_pieces() -> None:
    """Of about the same size, each about a second long; a question that comes meanwhile waits for one of them."""
    slow = Pace(8)

    assert slow.chunk_alone(1024, 512) == 128
    slow.note_read(seconds=0.5, tokens=128, has_company=False)
    assert [slow.chunk_alone(unread, 512) for unread in (1024, 600, 300, 20)] == [256, 300, 300, 20]
    for _ in range(50):
        slow.note_read(seconds=10.0, tokens=128, has_company=False)
    assert slow.chunk_alone(1024, 512) == 128


def test_the_end_of_a_prompt_makes_no_chunk_smaller() -> None:
    """A few tokens take longer each; so do the small chunks beside other answers."""
    pace = Pace(8)
    pace.note_read(seconds=1.0, tokens=500, has_company=False)

    pace.note_read(seconds=0.1, tokens=8, has_company=False)
    pace.note_read(seconds=0.1, tokens=8, has_company=True)

    assert pace.chunk_alone(1024, 512) == 512


# Whose words


def computed_for(bench: Bench, asked: Generation) -> int:
    """How many tokens of a prompt had to be computed."""
    before = bench.context.computed
    bench.run()
    return bench.context.computed - before - asked.generated


def test_what_another_owner_asked_is_not_known(bench: Bench) -> None:
    """The time to an answer does not tell it, neither while the other task is there nor behind its end."""
    bench.ask("a", SHARED + "why?", max_tokens=1, owner="anna")
    bench.run()

    first = bench.ask("b", SHARED + "why?", max_tokens=1, owner="bert")
    assert computed_for(bench, first) >= len(first.prompt) - 1

    for task in ("a", "b"):
        bench.engine.release(task)
    second = bench.ask("c", SHARED + "why?", max_tokens=1, owner="carl")
    assert computed_for(bench, second) >= len(second.prompt) - 1


def test_an_owner_s_own_beginnings_are_known(bench: Bench) -> None:
    """A prompt's beginning is reused for every client of the same owner."""
    bench.ask("a", SHARED + "why?", max_tokens=1, owner="anna", client="one")
    bench.run()

    asked = bench.ask("b", SHARED + "and then?", max_tokens=1, owner="anna", client="other")

    assert computed_for(bench, asked) < len(asked.prompt) / 2


def test_the_board_s_own_beginning_is_everybody_s(bench: Bench) -> None:
    """And no token more of what somebody has said behind it."""
    asked = bench.ask("a", SHARED + "my number is 4711", max_tokens=1, owner="anna")
    asked.public = len(asked.prompt) // 2
    bench.run()

    other = bench.ask("b", SHARED + "my number is 4711", max_tokens=1, owner="bert")

    assert len(other.prompt) / 2 - 1 <= computed_for(bench, other) <= len(other.prompt) / 2 + 16
