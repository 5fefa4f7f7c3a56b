"""Covers units.llm.engine, units.llm.llama, units.llm.prompt with the bundled model."""

import random
from pathlib import Path

import pytest

from tests.support.units.engine_bench import BUNDLED, SLOTS, Bench, CountingContext, Ear
from units.base import LoadError
from units.llm.context import Alarm
from units.llm.engine import SMALLEST_EXACT_CHUNK, Engine
from units.llm.grammars import Grammars
from units.llm.llama import Model
from units.llm.options import SamplerSpec
from units.llm.pace import Pace
from units.llm.prompt import PromptMaker
from units.llm.sequence import Generation
from units.llm.task import Turn, conversation


def test_an_answer_ends_once(bench: Bench) -> None:
    """Text, then one end."""
    bench.ask("a", "hello")
    bench.run()

    assert bench.ear.text("a")
    assert len(bench.ear.ends["a"]) == 1


def test_a_reused_beginning_changes_no_word(bench: Bench) -> None:
    """The second time most of the prompt is in the cache already."""
    for task in ("a", "a"):
        bench.ask(task, "tell me a story about a fox and a hen")
        bench.run()

    text = bench.ear.text("a")
    assert text[: len(text) // 2] == text[len(text) // 2 :]


def test_a_shared_beginning_is_read_once(bench: Bench) -> None:
    """The second task copies what the first has read, and says what it says without that."""
    shared = "the fox and the hen went to the old mill by the river " * 6
    bench.ask("b", shared + "and then?")
    bench.run()
    alone = bench.ear.texts.pop("b")
    bench.engine.release("b")

    bench.ask("a", shared + "why?", max_tokens=1)
    bench.run()
    before = bench.context.computed
    asked = bench.ask("b", shared + "and then?")
    bench.run()

    assert bench.ear.texts["b"] == alone
    assert bench.context.computed - before < len(asked.prompt) / 2 + asked.generated


def test_a_prompt_read_in_the_smallest_chunks_changes_no_word(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine tokens that are missing are one chunk: one token that is computed alone is rounded differently."""
    question, spec = "tell me a story about a cat and a forest", SamplerSpec(repeat_penalty=1.1)
    bench.ask("alone", question, spec=spec)
    bench.run()

    monkeypatch.setattr(Pace, "chunk", lambda *_: SMALLEST_EXACT_CHUNK)
    monkeypatch.setattr(Pace, "chunk_alone", lambda *_: SMALLEST_EXACT_CHUNK)
    for task, known in (("a", "tell me a story about a king"), ("b", "tell me a story of old"), ("c", "who are you")):
        bench.ask(task, known, max_tokens=1)
        bench.run()
        bench.ask(task, question, spec=spec)
        bench.run()
        assert bench.ear.texts[task][-len(bench.ear.texts["alone"]) :] == bench.ear.texts["alone"]


def test_speakers_are_computed_in_the_order_of_their_sequences(bench: Bench) -> None:
    """In any other order llama.cpp computes them one by one: eight answers at the speed of four."""
    for task in ("a", "b", "c"):
        bench.ask(task, "hello", max_tokens=1)
    bench.run()
    for task in ("c", "a", "b"):
        bench.ask(task, "tell me a story", max_tokens=30)

    batches = set()
    while bench.engine.is_busy:
        bench.engine.step()
        batches.add(bench.context.sequences)

    assert (0, 1, 2) in batches
    assert not {batch for batch in batches if len(batch) == 3 and len(set(batch)) == 3} - {(0, 1, 2)}


def test_who_joins_gets_a_place_beside_those_at_work(bench: Bench) -> None:
    """What lay there moves to where nobody misses anything, and is still known."""
    tale = "the fox and the hen went to the old mill by the river " * 3
    for task in ("a", "b", "c", "b"):
        asked = bench.ask(task, f"{task}: {tale}", max_tokens=9)
        bench.run()
    for task in ("a", "d"):
        bench.ask(task, f"what is {task}")
    bench.run()
    computed = bench.context.computed
    again = bench.ask("b", f"b: {tale}", max_tokens=9)
    bench.run()

    assert (0, 1) in bench.context.batches
    assert bench.context.sequences == (2,)
    assert again.tokens == asked.tokens
    assert bench.context.computed - computed < len(again.prompt) / 2 + again.generated


def test_an_urgent_prompt_is_read_first(bench: Bench) -> None:
    """Somebody who speaks does not wait for a background job."""
    bench.ask("background", "word " * 80, max_tokens=1)
    bench.ask("spoken", "word " * 80, max_tokens=1).priority = 1

    bench.run()

    assert list(bench.ear.ends) == ["spoken", "background"]


def test_more_tasks_than_slots_all_get_their_own_words(bench: Bench) -> None:
    """Every task gets the answer that it gets when it is alone."""
    questions = {f"task {n}": f"tell me about the number {n}" for n in range(SLOTS * 2)}
    alone = {}
    for task, question in questions.items():
        bench.ask(task, question)
        bench.run()
        alone[task] = bench.ear.texts.pop(task)

    for task, question in questions.items():
        bench.ask(task, question)
    bench.run()

    assert bench.ear.texts == alone


def test_a_seed_makes_sampling_repeatable(bench: Bench) -> None:
    """The same seed the same words, another seed others."""
    for task, seed in (("a", 1), ("b", 1), ("c", 2)):
        bench.ask(task, "tell me a story", spec=SamplerSpec(temperature=1.0, seed=seed))
        bench.run()

    assert bench.ear.text("a") == bench.ear.text("b")
    assert bench.ear.text("a") != bench.ear.text("c")


def test_a_cut_before_the_batch_costs_no_batch(bench: Bench) -> None:
    """The engine sees the flag before it computes; ended, the others go on."""
    cut = bench.ask("a", "word " * 200)
    bench.ask("b", "hello")

    bench.engine.cut("a")
    bench.engine.step()
    bench.engine.end(cut, "interrupted")
    bench.engine.cut_handled("a")
    bench.run()

    assert bench.ear.ends == {"a": ["interrupted"], "b": bench.ear.ends["b"]}
    assert bench.ear.text("b")


def test_an_aborted_decode_is_taken_back(model: Model) -> None:
    """The alarm rings during a batch: it reports so, and computed again it gives the same token."""
    alarm = Alarm()
    context = CountingContext(model, alarm, slots=1, context=512, threads=1, exact=True)
    engine, ear = Engine(model, context, alarm, slots=1, is_exact=True), Ear()
    bench = Bench(model, Grammars(model), engine, ear, context)
    bench.ask("a", "hello")
    bench.run()
    undisturbed = ear.texts.pop("a")

    bench.ask("a", "hello")
    alarm.ring()
    engine.step()
    assert "a" not in ear.texts
    alarm.silence()
    bench.run()

    assert ear.texts["a"] == undisturbed
    context.close()


def test_a_thousand_random_moves_leave_no_slot_behind(bench: Bench) -> None:
    """Start, hold, go on, end, release in any order: every generation ends once, then all slots serve again."""
    rng = random.Random(7)
    live: dict[str, Generation] = {}
    started = 0
    for _ in range(1000):
        task = f"task {rng.randrange(8)}"
        move = rng.choice(["start", "hold", "go on", "end", "release", "step", "step", "step"])
        if task in bench.ear.ends and live.get(task) and len(bench.ear.ends[task]) == live[task].number:
            del live[task]
        if move == "start" and task not in live:
            live[task] = bench.ask(task, f"number {rng.randrange(3)}", max_tokens=rng.randrange(1, 12))
            live[task].number = len(bench.ear.ends.get(task, [])) + 1
            started += 1
        elif move in ("hold", "go on") and task in live:
            live[task].is_held = move == "hold"
        elif move == "end" and task in live:
            bench.engine.end(live[task], "interrupted")
        elif move == "release":
            bench.engine.release(task)
        elif move == "step":
            bench.engine.step()
    for generation in live.values():
        generation.is_held = False
    bench.run()

    assert sum(map(len, bench.ear.ends.values())) == started
    test_more_tasks_than_slots_all_get_their_own_words(
        Bench(bench.model, bench.grammars, bench.engine, Ear(), bench.context)
    )


def test_history_stands_before_the_question(model: Model) -> None:
    """ChatML, as the model's own template writes it."""
    prompts = PromptMaker(model)

    tokens = prompts.make(conversation("Be kind.", [Turn("hi", "hello")], "bye"), context=512, thinks=False)

    text = "".join(model.special_text(token) for token in tokens)
    assert text == (
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
        "<|im_start|>assistant\nhello<|im_end|>\n<|im_start|>user\nbye<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.parametrize("damage", ["missing", "empty", "text", "truncated"])
def test_a_file_that_is_no_model_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    """The reason is one sentence."""
    path = tmp_path / "broken.gguf"
    contents = {"empty": b"", "text": b"hello, I am no model\n", "truncated": BUNDLED.read_bytes()[:100_000]}
    if damage != "missing":
        path.write_bytes(contents[damage])

    with pytest.raises(LoadError, match=r"broken\.gguf"):
        Model(str(path), lambda fraction: None)
