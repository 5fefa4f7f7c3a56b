"""Covers units.llm.policy, alone, in the engine, and over the wire."""

from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.units.engine_bench import Bench
from units.llm.policy import PausePolicy, ends_sentence, read_policy


@pytest.mark.parametrize("text", ["Hello!", "Really?", "So.", 'He said "no."', "(Yes!)", "Done. \n"])
def test_a_sentence_ends_here(text: str) -> None:
    """Closing quotes, brackets and spaces may follow."""
    assert ends_sentence(text)


@pytest.mark.parametrize("text", ["", "  ", "Hello! I", "half a sen", "a, b"])
def test_no_sentence_ends_here(text: str) -> None:
    """With this text only the end of the answer pauses it."""
    assert not ends_sentence(text)


def run_in_chunks(bench: Bench, policy: PausePolicy) -> tuple[str, list[str]]:
    """The whole text of an answer that is resumed at every stop, and its chunks."""
    generation = bench.ask("a", LONG_QUESTION, max_tokens=120)
    generation.policy = policy
    chunks: list[str] = []
    while "a" not in bench.ear.ends:
        bench.run()
        chunks.append(bench.ear.text("a")[len("".join(chunks)) :])
        if generation.is_held:
            bench.engine.resume(generation)
    return "".join(chunks), chunks


def whole_answer(bench: Bench) -> str:
    """The same answer without a policy."""
    bench.ask("whole", LONG_QUESTION, max_tokens=120)
    bench.run()
    return bench.ear.text("whole")


def test_chunks_of_tokens_make_the_whole_answer(bench: Bench) -> None:
    """Every chunk has exactly so many tokens but the last."""
    whole = whole_answer(bench)

    text, chunks = run_in_chunks(bench, PausePolicy(max_tokens=10))

    assert text == whole
    assert len(chunks) == 12
    assert set(bench.ear.pauses["a"]) == {"max_tokens"}


def test_sentences_make_the_whole_answer(bench: Bench) -> None:
    """Every chunk ends a sentence but perhaps the last; the token looked at opens the next."""
    whole = whole_answer(bench)

    text, chunks = run_in_chunks(bench, PausePolicy(sentence_boundary=True))

    assert text == whole
    assert len(chunks) > 3
    assert all(ends_sentence(chunk) for chunk in chunks[:-1])


def test_the_last_sentence_is_the_end(bench: Bench) -> None:
    """Nothing follows it, so the answer is finished, not paused."""
    generation = bench.ask("a", "hello", max_tokens=120)
    generation.policy = PausePolicy(sentence_boundary=True)
    while "a" not in bench.ear.ends:
        bench.run()
        bench.engine.resume(generation)

    assert bench.ear.ends["a"] == ["sentence_boundary_eos"]


@pytest.mark.parametrize(
    "value", [7, {"max_tokens": 0}, {"max_tokens": "ten"}, {"sentence_boundary": 1}, {"max_token": 5}]
)
def test_a_policy_of_another_shape_is_refused(value: Any) -> None:
    """The words name the key."""
    with pytest.raises(ValueError, match="pause"):
        read_policy(value)


async def paused_frame(client: WireClient, request_id: str) -> tuple[str, dict[str, Any]]:
    """The text up to the next stop, and the frame that tells it."""
    frames = [await client.receive()]
    while "paused" not in frames[-1]["data"]:
        frames.append(await client.receive())
    assert {frame["request_id"] for frame in frames} == {request_id}
    return text_of(frames), frames[-1]["data"]


async def test_a_client_reads_in_chunks(client: WireClient) -> None:
    """Ten tokens, then sentence by sentence, then to the end; together the uninterrupted answer."""
    work_id = await client.setup("llm", LLM_SETUP)
    whole = await client.answer(work_id, LONG_QUESTION)

    request_id = await client.send(
        work_id=work_id,
        action="inference",
        object="llm.utf-8",
        data=LONG_QUESTION,
        options={"pause": {"max_tokens": 10}},
    )
    first, stop = await paused_frame(client, request_id)
    resumed = await client.ask(work_id=work_id, action="work", data={"pause": {"sentence_boundary": True}})
    second, boundary = await paused_frame(client, request_id)
    await client.ask(work_id=work_id, action="work", data={"pause": {}})
    rest = text_of(await client.frames(request_id))

    assert (stop["paused"], stop["tokens"]) == ("max_tokens", 10)
    assert resumed["error"]["code"] == 0
    assert boundary["paused"] == "sentence_boundary"
    assert first + second + rest == whole


async def test_bad_options_end_the_inference_by_name(client: WireClient) -> None:
    """It was accepted, so its last frame carries the error; the task goes on."""
    work_id = await client.setup("llm", LLM_SETUP)

    for options in ({"temperature": "hot"}, {"pause": {"max_tokens": 0}}):
        frames = await client.frames(
            await client.send(work_id=work_id, action="inference", object="llm.utf-8", data="hi", options=options)
        )
        assert frames[-1]["error"]["code"] == -11
        assert next(iter(options)) in frames[-1]["error"]["message"]

    assert await client.answer(work_id, "hello")


async def test_bad_policy_at_work_leaves_the_answer_held(client: WireClient) -> None:
    """The error names the key; a good one goes on."""
    work_id = await client.setup("llm", LLM_SETUP, pause={"max_tokens": 3})
    request_id = await client.infer(work_id, LONG_QUESTION)
    await paused_frame(client, request_id)

    refused = await client.ask(work_id=work_id, action="work", data={"pause": {"max_tokens": "many"}})
    await client.ask(work_id=work_id, action="work", data={"pause": {}})

    assert refused["error"]["code"] == -11
    assert "pause.max_tokens is 'many'" in refused["error"]["message"]
    assert (await client.frames(request_id))[-1]["data"]["finish"]
