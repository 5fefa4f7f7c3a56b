"""How likely somebody has finished speaking, through the whole daemon: the action `turn_end` of llm."""

from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from unitd.app import App


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


async def ends(client: WireClient, work_id: str, words: Any) -> dict[str, Any]:
    """Return the reply to `turn_end`."""
    return await client.ask(work_id=work_id, action="turn_end", object="llm.utf-8", data=words)


async def test_a_whole_question_ends_more_likely_than_its_beginning(client: WireClient) -> None:
    """The probability is that of the model's end of turn after these words."""
    work_id = await client.setup("llm", LLM_SETUP)

    half, whole = [await ends(client, work_id, f"What is the capital of{words}") for words in ("", " France?")]

    assert half["object"] == whole["object"] == "llm.turn_end"
    assert 0 < half["data"]["probability"] < 0.1 < whole["data"]["probability"] < 1


async def test_the_words_are_read_before_the_question_comes(client: WireClient) -> None:
    """With the conversation before them; the answer is the same as without."""
    setup = LLM_SETUP | {"history": True}
    asked, other = [await client.setup("llm", setup) for _ in range(2)]
    for task in (asked, other):
        await client.answer(task, "my name is Ada")

    await ends(client, asked, "what is my")
    await ends(client, asked, "what is my name")

    assert await client.answer(asked, "what is my name") == await client.answer(other, "what is my name")


async def test_a_task_that_answers_is_not_asked(client: WireClient) -> None:
    """Its sequence holds the answer."""
    work_id = await client.setup("llm", LLM_SETUP)
    question = await client.infer(work_id, LONG_QUESTION)
    assert (await client.receive())["request_id"] == question

    request = await client.send(work_id=work_id, action="turn_end", data="and then")
    frames = []
    while (frame := await client.receive())["request_id"] != request:
        frames.append(frame)
    await client.ask(work_id=work_id, action="cancel")

    assert frame["error"]["code"] == -10
    assert f"{work_id} is answering" in frame["error"]["message"]


@pytest.mark.parametrize("words", ["", "  ", None, {"text": "hello"}, 5])
async def test_words_are_needed(client: WireClient, words: Any) -> None:
    """Anything else is refused, and the task goes on."""
    work_id = await client.setup("llm", LLM_SETUP)

    reply = await ends(client, work_id, words)

    assert reply["error"]["code"] == -24
    assert await client.answer(work_id, "What is 3 plus 4?") == "3 plus 4 is 7."


async def test_words_that_do_not_fit_are_refused(client: WireClient) -> None:
    """With both figures, as a question is."""
    work_id = await client.setup("llm", LLM_SETUP, context=256)

    reply = await ends(client, work_id, "on and on " * 300)

    assert "tokens, the context holds 256" in reply["error"]["message"]


async def test_a_paused_task_is_not_asked(client: WireClient) -> None:
    """It is to compute nothing."""
    work_id = await client.setup("llm", LLM_SETUP)
    await client.ask(work_id=work_id, action="pause")

    reply = await ends(client, work_id, "hello")

    assert reply["error"]["code"] == -10
    assert "paused" in reply["error"]["message"]
