"""Covers units.llm.adapters, and what they are to units.llm.engine, slots and unit, with the bundled model."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.models.gguf_files import write_adapter
from tests.support.units.engine_bench import BUNDLED, SLOTS, Bench
from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.base import UnitFault
from units.llm import reading_ahead
from units.llm.adapters import Adapters
from units.llm.unit import LlmUnit

TALE = "the fox and the hen went to the old mill by the river " * 6


@pytest.fixture
def adapters(bench: Bench) -> Iterator[Adapters]:
    """Of the bench's model."""
    adapters = Adapters(bench.model, bench.context)
    yield adapters
    adapters.keep([])


def named(path: Path, scale: float = 1.0) -> list[dict[str, Any]]:
    """What the daemon makes of `lora` at setup."""
    return [{"path": str(path), "scale": scale}]


def test_each_speaker_says_what_it_says_alone(bench: Bench, adapters: Adapters, tmp_path: Path) -> None:
    """Two adapters and the bare model in one context, at the same time."""
    one, two = (adapters.blend(named(write_adapter(tmp_path / f"{n}.gguf", seed=n))) for n in (1, 2))
    asked = {"bare": (), "one": one, "two": two}
    alone = {}
    for task, blend in asked.items():
        bench.ask(task, "tell me a story", blend=blend)
        bench.run()
        alone[task] = bench.ear.texts.pop(task)
        bench.engine.release(task)

    for task, blend in asked.items():
        bench.ask(task, "tell me a story", blend=blend)
    bench.run()

    assert bench.ear.texts == alone
    assert len({"".join(said) for said in alone.values()}) == len(asked)


def test_speakers_with_other_adapters_are_in_other_batches(bench: Bench, adapters: Adapters, tmp_path: Path) -> None:
    """Those with the same are computed together, in neighbouring sequences."""
    blend = adapters.blend(named(write_adapter(tmp_path / "one.gguf")))
    for task in ("a", "bare", "b"):
        bench.ask(task, "tell me a story", max_tokens=20, blend=() if task == "bare" else blend)
    bench.run()

    mixed = [batch for batch in bench.context.batches if len(set(batch)) == SLOTS]
    together = [batch for batch in bench.context.batches if len(set(batch)) == 2]
    assert not mixed
    assert together


def test_a_beginning_read_with_other_adapters_is_read_again(bench: Bench, adapters: Adapters, tmp_path: Path) -> None:
    """Only what was computed with the same ones is kept or copied."""
    blend = adapters.blend(named(write_adapter(tmp_path / "one.gguf")))
    bench.ask("bare", TALE + "why?", max_tokens=1)
    bench.run()

    before = bench.context.computed
    first = bench.ask("a", TALE + "and then?", max_tokens=1, blend=blend)
    bench.run()
    between = bench.context.computed
    bench.ask("b", TALE + "and then?", max_tokens=1, blend=blend)
    bench.run()

    assert between - before >= len(first.prompt)
    assert bench.context.computed - between < len(first.prompt) / 2


def test_the_scale_counts(bench: Bench, adapters: Adapters, tmp_path: Path) -> None:
    """Nothing of an adapter is the bare model, more of it says something else."""
    path = write_adapter(tmp_path / "one.gguf")
    for task, scale in (("bare", 0.0), ("none", 0.0), ("half", 0.5), ("whole", 1.0)):
        bench.ask(task, "tell me a story", blend=() if task == "bare" else adapters.blend(named(path, scale)))
        bench.run()

    assert bench.ear.text("none") == bench.ear.text("bare")
    assert len({bench.ear.text(task) for task in ("bare", "half", "whole")}) == 3


def test_a_held_answer_gets_its_adapter_back(bench: Bench, adapters: Adapters, tmp_path: Path) -> None:
    """Saved for others, restored in another slot: not a word is different."""
    blend = adapters.blend(named(write_adapter(tmp_path / "one.gguf")))
    bench.ask("a", "tell me a story", blend=blend)
    bench.run()
    alone = bench.ear.texts.pop("a")
    bench.engine.release("a")

    held = bench.ask("a", "tell me a story", blend=blend)
    while held.generated < 5:
        bench.engine.step()
    held.is_held = True
    for n in range(SLOTS):
        bench.ask(f"other {n}", "hello")
    bench.run()
    bench.engine.resume(held)
    bench.run()

    assert bench.ear.texts["a"] == alone


Refused = Callable[[Path], Path]


def missing(path: Path) -> Path:
    return path


def text(path: Path) -> Path:
    path.write_text("I am no adapter\n")
    return path


def cut_short(path: Path) -> Path:
    path.write_bytes(write_adapter(path).read_bytes()[:100_000])
    return path


def of_another_model(path: Path) -> Path:
    return write_adapter(path, width=512)


def a_model(path: Path) -> Path:
    path.symlink_to(BUNDLED)
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (missing, "pirate.gguf cannot be read: No such file or directory"),
        (text, "pirate.gguf is no GGUF file"),
        (cut_short, "pirate.gguf cannot be used with this model: "),
        (of_another_model, "has incorrect shape"),
        (a_model, "pirate.gguf cannot be used with this model: "),
    ],
)
def test_what_is_no_adapter_of_this_model_is_refused(
    bench: Bench, adapters: Adapters, tmp_path: Path, make: Refused, words: str
) -> None:
    """In one sentence, and the others speak on."""
    good = adapters.blend(named(write_adapter(tmp_path / "good.gguf")))
    bench.ask("a", "tell me a story", blend=good)
    bench.engine.step()

    with pytest.raises(UnitFault) as refused:
        adapters.blend(named(make(tmp_path / "pirate.gguf")))
    bench.run()

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert bench.ear.ends["a"] == bench.ear.ends["a"][:1]


def test_a_replaced_file_is_another_adapter(bench: Bench, adapters: Adapters, tmp_path: Path) -> None:
    """To the next task; the one that speaks keeps what it has."""
    path = tmp_path / "one.gguf"
    old = adapters.blend(named(write_adapter(path)))
    new = adapters.blend(named(write_adapter(path, seed=2, strength=0.21)))
    for task, blend in (("old", old), ("new", new)):
        bench.ask(task, "tell me a story", blend=blend)
    bench.run()

    assert old != new
    assert bench.ear.text("old") != bench.ear.text("new")


# Through the unit


@pytest.fixture
def host() -> FakeHost:
    """Whom the unit talks to."""
    return FakeHost()


@pytest.fixture
def program(host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmUnit]:
    """The unit with its bundled model; it keeps what it has read on disk."""
    monkeypatch.setattr(reading_ahead, "WORTH_KEEPING_SECONDS", 0.0)
    program = LlmUnit(host)
    load = {"engine": "llama", "path": str(BUNDLED), "slots": 2, "context": 1024, "threads": 1, "exact": True}
    program.load(load | {"cache_dir": str(tmp_path / "cache")})
    yield program
    program.close()


def tell(program: LlmUnit, type_: str, text: str = "", **fields: Any) -> None:
    """One message, and all work that comes of it."""
    program.handlers[type_](Envelope(type_, {"task": "llm.1"} | fields, text.encode()))
    while program.is_busy:
        program.step()


def test_prompts_are_kept_apart_by_adapter(program: LlmUnit, tmp_path: Path) -> None:
    """A system prompt that was read with an adapter is nothing to a task without."""
    lora = named(write_adapter(tmp_path / "one.gguf"))
    data = {"prompt": TALE, "temperature": 0}

    tell(program, "setup", data=data)
    tell(program, "setup", task="llm.2", data=data | {"lora": lora})
    tell(program, "exit", task="llm.2")
    tell(program, "setup", task="llm.3", data=data | {"lora": lora})

    for thread in threading.enumerate():
        if thread.name == "snapshot":
            thread.join()
    assert len(list((tmp_path / "cache").glob("*.kv"))) == 2


def test_one_inference_cannot_choose_an_adapter(program: LlmUnit, host: FakeHost, tmp_path: Path) -> None:
    """Its file would not have been looked at."""
    tell(program, "setup", data={"prompt": ""})
    options = {"lora": named(write_adapter(tmp_path / "one.gguf"))}

    tell(program, "infer", "hello", inference=1, is_text=True, options=options)

    assert "lora is for the setup of a task" in host.ends()[0]["message"]
