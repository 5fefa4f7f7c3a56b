"""Covers the adapter that is for prompts with pictures alone, and what is loaded with the first picture."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.models.gguf_files import write_adapter
from tests.support.pictures import file_of, part, square, text
from tests.support.units.seeing import Seeing

RED, BLUE = (part(file_of(square(color))) for color in ("red", "blue"))
ASKED = text("what is this? ")
Turn = dict[str, Any]
HELLO: Turn = {"role": "user", "content": "hello there"}
ANSWERED: Turn = {"role": "assistant", "content": "Hello! How can I help?"}
SHOWN: Turn = {"role": "user", "content": [RED, ASKED]}
TOLD: Turn = {"role": "assistant", "content": "A red square."}
NEXT: Turn = {"role": "user", "content": "tell me a story of a king"}


@pytest.fixture
def seeing(tmp_path: Path) -> Iterator[Seeing]:
    """A program whose model has such an adapter."""
    program = Seeing(tmp_path, lora=write_adapter(tmp_path / "lora.gguf"))
    program.set_up()
    yield program
    program.close()


def said(program: Seeing, number: int, messages: list[Turn], task: str = "llm.1") -> str:
    """Return the answer to a conversation."""
    program.ask(number, "", task, messages=messages)
    program.run(lambda: program.end_of(task, number))
    return program.text_of(task, number)


def alone(tmp_path: Path, messages: list[Turn]) -> str:
    """Return the answer of a program that was never asked anything else."""
    program = Seeing(tmp_path, lora=tmp_path / "lora.gguf")
    program.set_up()
    try:
        return said(program, 1, messages)
    finally:
        program.close()


def reads(program: Seeing) -> list[int]:
    """Return a list of how many tokens each batch from now on has."""
    found: list[int] = []
    context: Any = program.unit._context

    def counted(decode: Callable[[Any], bool], size: Callable[[Any], int]) -> Callable[[Any], bool]:
        def decode_counted(batch: Any) -> bool:
            found.append(size(batch))
            return decode(batch)

        return decode_counted

    context.decode = counted(context.decode, len)
    context.decode_rows = counted(context.decode_rows, lambda rows: len(rows.values))
    return found


def test_the_adapter_acts_for_prompts_with_pictures(seeing: Seeing, tmp_path: Path) -> None:
    """Another answer to a picture than without it; a text gets the one of a model without vision."""
    bare = Seeing(tmp_path)
    blind = Seeing(tmp_path, is_blind=True)
    for program in (bare, blind):
        program.set_up()

    before = said(seeing, 1, [NEXT])
    assert said(seeing, 2, [SHOWN]) != said(bare, 1, [SHOWN])
    assert before == said(seeing, 3, [NEXT]) == said(blind, 1, [NEXT]) != ""
    bare.close()
    blind.close()


def test_a_conversation_gets_a_picture_and_loses_it_again(seeing: Seeing, tmp_path: Path) -> None:
    """Each answer is that of a program that read its conversation alone: nothing is kept of the other weights."""
    conversations = (
        [HELLO],
        [HELLO, ANSWERED, SHOWN],
        [HELLO, ANSWERED, SHOWN, TOLD, NEXT],
        [HELLO, ANSWERED, NEXT],
        [HELLO, ANSWERED, SHOWN, TOLD, HELLO],
    )

    answers = [said(seeing, number, messages) for number, messages in enumerate(conversations, 1)]

    assert answers == [alone(tmp_path, messages) for messages in conversations]
    assert len(set(answers[1:4])) == 3


def test_a_history_that_forgets_its_picture_is_text_again(seeing: Seeing) -> None:
    """The task's own history; a context of 150 tokens holds one picture with its answer."""
    seeing.set_up(history=True, context=150, max_token_len=20)
    seeing.ask(1, "what is this?", images=[{"image": RED["image"]}])
    seeing.run(lambda: seeing.end_of("llm.1", 1))
    blends = []
    for number in range(2, 7):
        seeing.ask(number, f"tell me a story of {number} kings and of the queens that they had")
        seeing.run(lambda: seeing.generation_of("llm.1"))
        if (generation := seeing.generation_of("llm.1")) is not None:
            blends.append(len(generation.blend))
            assert bool(generation.blend) == any(token < 0 for token in generation.prompt)
        seeing.run(partial(seeing.end_of, "llm.1", number))

    assert blends[0] == 1
    assert blends[-1] == 0


def test_the_same_picture_again_reads_only_what_is_new(seeing: Seeing) -> None:
    """The conversation goes on in the cache, and a text in between does not take it."""
    first = said(seeing, 1, [SHOWN])
    batches = reads(seeing)
    said(seeing, 2, [SHOWN, {"role": "assistant", "content": first}, HELLO])
    assert 16 not in batches
    whole = max(batches)

    seeing.set_up("llm.2")
    said(seeing, 1, [NEXT], "llm.2")
    batches.clear()
    said(seeing, 3, [SHOWN, {"role": "assistant", "content": first}, HELLO])

    assert max(batches) <= whole
    assert 16 not in batches


def test_texts_and_pictures_at_once_say_what_they_say_alone(seeing: Seeing) -> None:
    """In batches of their own; the end of one task does not take the adapter from another."""
    asked = {"llm.2": [RED, ASKED], "llm.3": [text("tell me a story")], "llm.4": [BLUE, ASKED]}
    expected = {}
    for number, (task, parts) in enumerate(asked.items()):
        seeing.set_up(f"llm.{20 + number}", f"owner {number}")
        expected[task] = seeing.answer(1, parts, f"llm.{20 + number}")
    for task, parts in asked.items():
        seeing.set_up(task, task)
        seeing.show(1, parts, task)
    seeing.run(lambda: seeing.text_of("llm.2", 1))
    seeing.send("exit", task="llm.1", seq=1)
    seeing.run(lambda: all(seeing.end_of(task, 1) for task in asked))

    assert {task: seeing.text_of(task, 1) for task in asked} == expected


def test_a_task_with_an_adapter_of_its_own_has_both(seeing: Seeing, tmp_path: Path) -> None:
    """Its own is the first."""
    own = write_adapter(tmp_path / "own.gguf", seed=3)
    seeing.set_up(lora=[{"path": str(own), "scale": 0.5}])
    seeing.show(1, [RED, ASKED])
    seeing.run(lambda: seeing.generation_of("llm.1"))
    generation = seeing.generation_of("llm.1")
    assert generation is not None

    assert [scale for _, scale in generation.blend] == [0.5, 1.0]
    seeing.run(lambda: seeing.end_of("llm.1", 1))
    assert seeing.text_of("llm.1", 1)


def test_an_adapter_that_is_none_ends_the_answer(tmp_path: Path) -> None:
    """With its name; texts are answered."""
    broken = tmp_path / "lora.gguf"
    broken.write_bytes(b"GGUF and nothing else")
    program = Seeing(tmp_path, lora=broken)
    program.set_up()

    assert "lora.gguf cannot be used with this model" in program.error_of(1, [RED, ASKED])
    assert said(program, 2, [NEXT])
    program.close()


def test_a_projector_that_is_none_ends_the_answer(tmp_path: Path) -> None:
    """Each time, with the reason; texts are answered."""
    (tmp_path / "mmproj.gguf").write_bytes(b"GGUF and nothing else")
    program = Seeing(tmp_path)
    program.set_up()

    for number in (1, 2):
        words = program.error_of(number, [ASKED, RED])
        assert words.startswith("messages[0].content[1] is an image; its projector cannot be loaded: mmproj.gguf")
    assert said(program, 3, [NEXT])
    program.close()


def test_nothing_is_loaded_before_the_first_picture(seeing: Seeing) -> None:
    """Neither the projector, nor the adapter, nor a program that reads pictures."""

    def programs() -> list[str]:
        return [each.cmdline()[-2] for each in psutil.Process().children() if "units.llm.vision" in each.cmdline()]

    said(seeing, 1, [NEXT])
    assert (seeing.unit._vision._sight, seeing.unit._adapters._loaded, programs()) == (None, {}, [])

    said(seeing, 2, [SHOWN])
    assert seeing.unit._vision._sight is not None
    assert len(seeing.unit._adapters._loaded) == 1
    assert programs() == ["units.llm.vision"]
