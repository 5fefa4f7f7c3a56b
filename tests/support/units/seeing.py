"""The llm unit with a projector of random weights, and the means to show pictures to it."""

import queue
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.models.projector import SMALL, TEXT_WIDTH, Eye, write_projector
from tests.support.units.engine_bench import BUNDLED
from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.llm.sequence import Generation
from units.llm.unit import LlmUnit

LIMIT_SECONDS = 60.0
Parts = list[dict[str, Any]]


class Seeing:
    """A unit program with vision, without a daemon."""

    def __init__(
        self,
        folder: Path,
        eye: Eye = SMALL,
        *,
        context: int = 1024,
        is_blind: bool = False,
        model: Path = BUNDLED,
        lora: Path | None = None,
    ) -> None:
        """Start it with this folder for what it keeps; a blind one has no projector. `lora` is for pictures alone."""
        path = folder / "mmproj.gguf"
        if not path.exists():
            write_projector(path, TEXT_WIDTH, eye=eye)
        self.host = FakeHost()
        self.unit = LlmUnit(self.host)
        load = {"engine": "llama", "path": str(model), "slots": 3, "context": context, "threads": 1, "exact": True}
        vision = {"projector": "" if is_blind else str(path), "vision_lora": str(lora or "")}
        self.unit.load(load | vision | {"cache_dir": str(folder / "cache")})

    @property
    def encoded(self) -> int:
        """Return how many pictures were encoded since the start."""
        return self.unit._vision.encoded

    def generation_of(self, task: str) -> Generation | None:
        """Return the answer of a task that is being computed, or None."""
        return self.unit._tasks[task].generation

    @property
    def is_encoding(self) -> bool:
        """Return True while the encoder has a picture."""
        return self.unit._vision.is_encoding

    def set_up(self, task: str = "llm.1", owner: str = "", **data: Any) -> None:
        """Set a task up that answers greedily."""
        settings = {"prompt": "", "temperature": 0, "max_token_len": 30} | data
        self.send("setup", task=task, data=settings, memory=None, owner=owner)

    def send(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Give the unit one message, first to `alert`, as the reader's thread does."""
        envelope = Envelope(type_, fields, payload)
        self.unit.alert(envelope)
        self.unit.calm()
        self._handle(envelope)

    def show(self, number: int, parts: Parts, task: str = "llm.1", **options: Any) -> None:
        """Begin an answer to a message with pictures."""
        messages = [{"role": "user", "content": parts}]
        self.ask(number, "", task, messages=messages, **options)

    def ask(self, number: int, question: str, task: str = "llm.1", **options: Any) -> None:
        """Begin an answer."""
        self.send("infer", question.encode(), task=task, inference=number, is_text=True, options=options)

    def step(self) -> bool:
        """Do what is to be done now; return False when only a message could go on."""
        while not self.host.posted.empty():
            self._handle(self.host.posted.get())
        if self.unit.is_busy:
            self.unit.step()
            return True
        return False

    def _handle(self, envelope: Envelope) -> None:
        self.host.carry_out(envelope, lambda: self.unit.handlers[envelope.type](envelope))

    def run(self, is_over: Callable[[], object]) -> None:
        """Go on until that is so."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while not is_over():
            assert time.monotonic() < deadline
            if not self.step() and not is_over():
                with suppress(queue.Empty):
                    self._handle(self.host.posted.get(timeout=0.01))

    def answer(self, number: int, parts: Parts, task: str = "llm.1", **options: Any) -> str:
        """Return the whole answer to a message with pictures."""
        self.show(number, parts, task, **options)
        self.run(lambda: self.end_of(task, number))
        return self.text_of(task, number)

    def text_of(self, task: str, number: int) -> str:
        """Return what an answer has said."""
        return "".join(
            fields["text"]
            for type_, fields in self.host.said
            if type_ == "delta" and (fields["task"], fields["inference"]) == (task, number)
        )

    def end_of(self, task: str, number: int) -> dict[str, Any] | None:
        """Return the finish of an answer; None while there is none."""
        ends = (end for end in self.host.ends() if (end["task"], end["inference"]) == (task, number))
        return next(ends, None)

    def error_of(self, number: int, parts: Parts, **options: Any) -> str:
        """Return the error with which a message with pictures is refused."""
        self.answer(number, parts, **options)
        end = self.end_of("llm.1", number)
        assert end is not None
        assert end["reason"] == "error"
        return str(end["message"])

    def close(self) -> None:
        """End its processes."""
        self.unit.close()
