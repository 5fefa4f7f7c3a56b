"""Covers units.llm.grammars, units.llm.gbnf, units.llm.tried: grammars that are meant to harm."""

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from tests.support.children import is_alive
from tests.support.units.engine_bench import BUNDLED, Bench
from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.base import LATER, RUN_FAILED, SETUP_REFUSED, UNAVAILABLE, UnitFault
from units.llm import grammars as grammars_of_models
from units.llm.gbnf import check_size
from units.llm.grammars import Grammars
from units.llm.options import SamplerSpec
from units.llm.unit import LlmUnit

LEVELS = range(24)
# 2^24 ways to say "a", each with another end.
AT_ONCE = "root ::= r0\n" + "\n".join(f'r{n} ::= r{n + 1} "x" | r{n + 1} "y"' for n in LEVELS) + '\nr24 ::= "a"'
# As many, but only behind 24 times "a b".
LATER_ON = (
    "root ::= r0\n" + "\n".join(f'r{n} ::= "a b " r{n + 1} "x" | "a b " r{n + 1} "y"' for n in LEVELS) + '\nr24 ::= "c"'
)
# Each rule leads to the next one twice, and the search for left recursion looks at all 2^40 ways.
LEADING = "root ::= r0\n" + "\n".join(f"r{n} ::= r{n + 1} | r{n + 1}" for n in range(40)) + '\nr40 ::= "a"'
COLOURS = 'root ::= "red" | "green" | "blue"'


class Program:
    """An llm unit without a daemon, and its tasks."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self.unit = LlmUnit(self.host)
        load = {"path": str(BUNDLED), "slots": 2, "context": 512, "threads": 1, "exact": True, "cache_dir": ""}
        self.unit.load(load)

    def tell(self, type_: str, task: str, text: str = "", **fields: Any) -> Any:
        """One message."""
        return self.unit.handlers[type_](Envelope(type_, {"seq": 1, "task": task, **fields}, text.encode()))

    def setup(self, task: str, **data: Any) -> Any:
        """The setup of a task; LATER while its grammar is tried."""
        usual = {"prompt": "", "temperature": 0, "max_token_len": 60}
        return self.tell("setup", task, data=usual | data, memory=None)

    def infer(self, task: str, text: str, **options: Any) -> Any:
        """An inference, not run yet."""
        return self.tell("infer", task, text, inference=1, is_text=True, options=options)

    def run(self) -> None:
        """Until nobody has anything to say."""
        while self.unit.is_busy:
            self.unit.step()

    def said(self, task: str) -> str:
        """All deltas of a task."""
        return "".join(
            fields["text"] for type_, fields in self.host.said if type_ == "delta" and fields["task"] == task
        )

    def end(self, task: str) -> dict[str, Any]:
        """The finish of a task's only inference."""
        (end,) = (fields for fields in self.host.ends() if fields["task"] == task)
        return end


@pytest.fixture
def program() -> Iterator[Program]:
    """The bundled model."""
    program = Program()
    yield program
    program.unit.close()


# The happy day


def test_a_grammar_is_tried_and_obeyed(program: Program) -> None:
    """At setup, and with one inference alone."""
    program.host.settle(program.unit, program.setup("llm.1", grammar=COLOURS))
    program.setup("llm.2")

    program.infer("llm.1", "which colour do you like")
    program.host.go_on(program.unit, program.infer("llm.2", "the weather?", grammar='root ::= "fine" | "bad"'))
    program.run()

    assert program.said("llm.1") in ("red", "green", "blue")
    assert program.said("llm.2") in ("fine", "bad")


def test_a_grammar_that_was_tried_is_remembered(program: Program) -> None:
    """The second question with the same schema does not wait for it."""
    schema = {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]}
    program.setup("llm.1")

    first = program.infer("llm.1", "on or off?", json_schema=schema)
    program.host.go_on(program.unit, first)
    program.run()
    second = program.infer("llm.1", "on or off?", json_schema=schema)
    program.run()

    assert (first, second) == (LATER, None)
    assert program.said("llm.1").count('"on"') == 2


# The damage


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the time that grammars have."""
    monkeypatch.setattr(grammars_of_models, "COMPILING_SECONDS", 0.5)
    monkeypatch.setattr(grammars_of_models, "STEP_SECONDS", 0.2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"grammar": AT_ONCE}, "too complex: to compile it takes more than 3 s or 64 MiB"),
        ({"grammar": LEADING}, "too complex"),
        ({"grammar": 'root ::= "' + 2**20 * "a" + '"'}, "more than 1048576 bytes"),
        ({"grammar": "root ::= " + 300 * '("a" "b"){0,1999} '}, "become 599700 parts, they may be 200000"),
        ({"grammar": 'root ::= "a"{99999999999999999999}'}, "too large: its repetitions become"),
        ({"grammar": 'root ::= root "x"'}, "left recursion"),
        ({"grammar": 'root ::= "a" (\n"b"\n"c"'}, r"grammar does not compile: (line 3: )?expecting '\)'"),
        ({"grammar": 'root ::= "a"\nnext ::= "b" foo-1'}, "grammar does not compile: line 2: there is no rule 'foo-1'"),
        ({"grammar": 'root ::= "a"\nnext ::= "\\q"'}, "line 2: unknown escape before"),
        ({"grammar": 'first ::= "a"'}, "it has no rule 'root'"),
        ({"grammar": 'root ::= "a\0"'}, "zero byte"),
        ({"json_schema": {"type": "string", "pattern": "^" + 20_000 * "[a-z]?" + "$"}}, "too complex|too large"),
        ({"json_schema": {"$ref": "https://127.0.0.1/schema"}}, "json_schema cannot be used"),
    ],
    ids=[
        "at once", "leading", "long", "repeated", "counted", "left", "open", "rule", "escape", "root", "zero",
        "pattern", "remote",
    ],
)  # fmt: skip
def test_a_grammar_that_would_harm_is_refused(hasty: None, program: Program, data: dict[str, Any], words: str) -> None:
    """At its setup, with the reason; the program takes the next one."""
    with pytest.raises(UnitFault, match=words) as fault:
        program.host.settle(program.unit, program.setup("llm.9", **data))
    program.host.settle(program.unit, program.setup("llm.1", grammar=COLOURS))

    assert fault.value.code == SETUP_REFUSED


def test_while_a_grammar_is_tried_others_answer(hasty: None, program: Program) -> None:
    """A trial of seconds keeps nobody waiting; the inference it is for ends with the reason."""
    program.setup("llm.1")
    program.setup("llm.2")

    trial = program.infer("llm.1", "hello", grammar=AT_ONCE)
    program.infer("llm.2", "hello")
    program.run()
    heard = program.said("llm.2")
    program.host.go_on(program.unit, trial)

    assert heard
    assert (program.end("llm.1")["reason"], program.end("llm.1")["code"]) == ("error", RUN_FAILED)
    assert "too complex" in program.end("llm.1")["message"]


@pytest.mark.timeout(60)
def test_a_grammar_that_grows_with_each_token_ends_its_own_answer(hasty: None, bench: Bench) -> None:
    """It is harmless at first and has 2^20 stacks later; the neighbour says the same as alone, while it thinks."""
    bench.ask("alone", "tell me a story")
    bench.run()

    growing = bench.ask("a", "hello", spec=SamplerSpec(grammar=LATER_ON), max_tokens=400)
    while not (growing.sampler.is_choosing and growing.generated > 20):
        bench.engine.step()
    bench.ask("b", "tell me a story")
    while "b" not in bench.ear.ends:
        bench.engine.step()
    ended_meanwhile = list(bench.ear.ends)
    bench.run()

    assert bench.ear.text("b") == bench.ear.text("alone")
    assert ended_meanwhile == ["alone", "b"]
    assert bench.ear.ends["a"] == ["error"]
    assert bench.ear.text("a").startswith("a b a b a b ")


def test_a_cut_takes_an_answer_out_of_its_trial(program: Program) -> None:
    """It finishes as interrupted, at once; what comes of the trial later is nothing to anybody."""
    program.setup("llm.1")
    trial = program.infer("llm.1", "hello", grammar=AT_ONCE)

    program.tell("cancel", "llm.1", inference=1)
    end = program.end("llm.1")
    program.host.go_on(program.unit, trial)
    program.host.said.clear()
    program.infer("llm.1", "hello")
    program.run()

    assert end["reason"] == "interrupted"
    assert program.end("llm.1")["reason"] == "stop"


def test_a_task_that_ends_in_its_trial_is_no_task(program: Program) -> None:
    """Its setup is answered, and nothing is left behind."""
    trial = program.setup("llm.1", grammar=AT_ONCE)

    program.tell("exit", "llm.1")
    program.host.go_on(program.unit, trial)

    assert [fields["code"] for type_, fields in program.host.said if type_ == "result"] == [UNAVAILABLE]


def test_an_answer_that_is_paused_in_its_trial_waits(program: Program) -> None:
    """No word of it follows the pause."""
    program.setup("llm.1")
    trial = program.infer("llm.1", "which colour?", grammar=COLOURS)

    program.tell("pause", "llm.1")
    program.host.go_on(program.unit, trial)
    program.run()
    held = program.said("llm.1")
    program.tell("work", "llm.1")
    program.run()

    assert held == ""
    assert program.said("llm.1") in ("red", "green", "blue")


def test_a_killed_process_ends_one_answer(bench: Bench) -> None:
    """The kernel may take any process when memory is short; the next grammar begins anew."""
    bench.ask("a", "hello", spec=SamplerSpec(grammar='root ::= [a-z ]+ "."'), max_tokens=400)
    while len(bench.ear.text("a")) < 10:
        bench.engine.step()

    processes = psutil.Process().children(recursive=True)
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
    while any(is_alive(each) for each in processes):
        os.sched_yield()  # a killed process is there until it has been scheduled once more
    bench.run()
    bench.ask("b", "which colour do you like", spec=SamplerSpec(grammar=COLOURS))
    bench.run()

    assert bench.ear.ends["a"] == ["error"]
    assert bench.ear.text("b") in ("red", "green", "blue")


def test_a_grammar_takes_memory_up_to_its_limit(hasty: None, grammars: Grammars) -> None:
    """Whatever it asks for, the process that it has is all that can grow."""
    before = psutil.Process().memory_info().rss
    grammar = grammars.begin(SamplerSpec(grammar=AT_ONCE), is_trial=True)

    largest = 0
    while not grammar.connection.poll(0.05):
        sizes = [each.memory_info().rss for each in psutil.Process().children(recursive=True)]
        largest = max(largest, *sizes)
    grammar.close()

    assert largest < before + 100 * 2**20
    assert psutil.Process().memory_info().rss < before + 10 * 2**20


@pytest.mark.parametrize(
    "text",
    ['root ::= "' + "a" * 10**6, '"' * 10**6, "[" * 10**6, "root ::= a" + " " * 10**6, "{1" * 500_000, "(" * 10**6],
    ids=["text", "quotes", "classes", "blanks", "counts", "parentheses"],
)
def test_counting_takes_no_time(text: str) -> None:
    """Also where marks are missing: 0.1 to 0.3 s for a megabyte on a PC."""
    began = time.process_time()
    try:
        check_size(text)
    except ValueError as error:
        assert "grammar" in str(error)

    assert time.process_time() - began < 3


def test_a_hundred_tools_are_no_attack(program: Program) -> None:
    """With ten texts each: a home with all that it has."""
    properties = {f"value {number}": {"type": "string", "maxLength": 100} for number in range(10)}
    tools = [
        {"type": "function", "function": {"name": f"tool_{number}", "parameters": {"properties": properties}}}
        for number in range(100)
    ]

    answer = program.setup("llm.1", tools=tools)

    assert program.host.settle(program.unit, answer) == {}
