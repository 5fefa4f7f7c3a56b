"""What a model has read before its answer, through the whole daemon: history, long prompts, usage, a warm prefix."""

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from unitd.app import App

# About 3,000 tokens: the bundled model reads for some seconds.
LONG_PROMPT = "the fox and the hen went to the old mill by the river " * 230


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


async def test_history_remembers_and_reset_forgets(client: WireClient) -> None:
    """With "history" a second question is read after the first; the word `reset` clears that."""
    forgetful = await client.setup("llm", LLM_SETUP, usage=True)
    mindful = await client.setup("llm", LLM_SETUP, usage=True, history=True)

    async def prompt_tokens(work_id: str) -> int:
        frames = await client.frames(await client.infer(work_id, "hello"))
        return int(frames[-1]["data"]["usage"]["prompt_tokens"])

    once, twice = await prompt_tokens(mindful), await prompt_tokens(mindful)
    said = await client.answer(mindful, "reset")

    assert twice > once
    assert said == "Context has been reset."
    assert await prompt_tokens(mindful) == once
    assert await prompt_tokens(forgetful) == await prompt_tokens(forgetful)


async def test_history_is_trimmed_by_whole_turns(client: WireClient) -> None:
    """A conversation longer than the context goes on, without an error and within the context."""
    work_id = await client.setup("llm", LLM_SETUP, history=True, usage=True, context=256, max_token_len=40)

    totals = []
    for _ in range(12):
        frames = await client.frames(await client.infer(work_id, "what can you do"))
        assert frames[-1]["error"]["code"] == 0
        totals.append(frames[-1]["data"]["usage"]["total_tokens"])

    assert max(totals) <= 256
    assert totals[-1] > totals[0]


async def test_history_ends_where_the_models_training_ended(client: WireClient) -> None:
    """The context of the bundled model holds more than it was trained on; a long talk stays within what it knows."""
    work_id = await client.setup("llm", LLM_SETUP, prompt="Be kind.", history=True, usage=True, max_token_len=40)
    totals = []

    for _ in range(7):
        frames = await client.frames(await client.infer(work_id, "tell me a story about a bear and a bird " * 16))
        totals.append(frames[-1]["data"]["usage"]["total_tokens"])

    assert 700 < max(totals) <= 1000


async def test_one_long_prompt_is_computed_with_a_warning(client: WireClient, caplog: pytest.LogCaptureFixture) -> None:
    """What was asked for at once is not shortened; the log says, once, that the model knows less."""
    work_id = await client.setup("llm", LLM_SETUP, usage=True, max_token_len=5)

    for _ in range(2):
        frames = await client.frames(await client.infer(work_id, "hello " * 1200))
        assert frames[-1]["data"]["usage"]["prompt_tokens"] > 1200

    warnings = [record.getMessage() for record in caplog.records if "was trained on 1000" in record.getMessage()]
    assert len(warnings) == 1


async def test_usage_is_told_only_to_who_asks(client: WireClient) -> None:
    """Without "usage" the last frame is exactly the document's."""
    plain = await client.setup("llm", LLM_SETUP)
    counted = await client.setup("llm", LLM_SETUP, usage=True, max_token_len=5)

    last = (await client.frames(await client.infer(plain, "hello")))[-1]["data"]
    counted_last = (await client.frames(await client.infer(counted, LONG_QUESTION)))[-1]["data"]

    assert set(last) == {"delta", "finish", "index"}
    assert counted_last["finish_reason"] == "length"
    assert counted_last["usage"]["completion_tokens"] == 5


@pytest.mark.own_daemon
async def test_warm_answers_when_the_prefix_is_read(client: WireClient) -> None:
    """Warming changes no word of the answer."""
    work_id = await client.setup("llm", LLM_SETUP)
    cold = await client.answer(work_id, "hello")
    other = await client.setup("llm", LLM_SETUP)

    reply = await client.ask(work_id=other, action="warm")

    assert reply["error"]["code"] == 0
    assert await client.answer(other, "hello") == cold
