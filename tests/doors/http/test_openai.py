"""Covers unitd.doors.http.openai as OpenAI's own client package sees it; test_openai_audio has the sound."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel

from tests.support.daemon import tcp_client
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.units.tool_asker import ROOMS, TOOL_TOKEN, TOOLS
from unitd.app import App

HELLO: Any = [{"role": "user", "content": "hello"}]
LIGHT: Any = [TOOLS[0]]
TIME: Any = [TOOLS[1]]


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


@pytest.fixture
async def client(address: str) -> AsyncIterator[AsyncOpenAI]:
    """OpenAI's own client; a failure is not tried again."""
    async with AsyncOpenAI(base_url=f"http://{address}/v1", api_key="any", max_retries=0) as made:
        yield made


async def chat(client: AsyncOpenAI, messages: Any = HELLO, **fields: Any) -> Any:
    """One greedy completion."""
    return await client.chat.completions.create(
        **{"model": "default", "messages": messages, "temperature": 0, "seed": 1} | fields
    )


async def chunks_of(client: AsyncOpenAI, messages: Any = HELLO, **fields: Any) -> list[ChatCompletionChunk]:
    """All events of a stream."""
    return [chunk async for chunk in await chat(client, messages, stream=True, **fields)]


def text_of(chunks: list[ChatCompletionChunk], index: int = 0) -> str:
    """What one choice of a stream says."""
    choices = [choice for chunk in chunks for choice in chunk.choices if choice.index == index]
    return "".join(choice.delta.content or "" for choice in choices)


# Chat


async def test_an_answer_is_that_of_the_wire(client: AsyncOpenAI, http_daemon: App) -> None:
    """The same model, the same words; and how many tokens it took."""
    async with tcp_client(http_daemon) as wire:
        llm = await wire.setup("llm", LLM_SETUP, prompt="")
        words = await wire.answer(llm, "hello")

    answer = await chat(client)

    assert answer.choices[0].message.content == words
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.id.startswith("chatcmpl-") and answer.model == "default"


async def test_a_stream_says_the_same_in_pieces(client: AsyncOpenAI) -> None:
    """The role first, a reason last, one id for all; no usage unless it is asked for."""
    whole = await chat(client)

    chunks = await chunks_of(client)

    assert text_of(chunks) == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks[-2:]] == [None, "stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert not any(chunk.usage for chunk in chunks)


async def test_a_stream_tells_its_usage_to_who_asks(client: AsyncOpenAI) -> None:
    """In one event more, without a choice."""
    whole = await chat(client)

    chunks = await chunks_of(client, stream_options={"include_usage": True})

    assert chunks[-1].choices == []
    assert chunks[-1].usage == whole.usage
    assert not any(chunk.usage for chunk in chunks[:-1])


async def test_the_bytes_are_those_of_server_sent_events(address: str) -> None:
    """Each event `data: `, an object, an empty line; [DONE] at the end."""
    async with httpx.AsyncClient(base_url=f"http://{address}/v1") as http:
        answer = await http.post("/chat/completions", json={"messages": HELLO, "stream": True})

    *events, done, nothing = answer.text.split("\n\n")
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (done, nothing) == ("data: [DONE]", "")
    assert {json.loads(each.removeprefix("data: "))["object"] for each in events} == {"chat.completion.chunk"}


@pytest.mark.own_daemon
async def test_the_first_word_comes_while_the_rest_is_computed(client: AsyncOpenAI, http_daemon: App) -> None:
    """The first chunk is sent while the task still runs."""
    stream = await chat(client, [{"role": "user", "content": LONG_QUESTION}], stream=True)

    first = await anext(stream)
    async with tcp_client(http_daemon) as wire:
        tasks = (await wire.ask(work_id="sys", action="lstask"))["data"]
    await stream.close()

    assert first.choices[0].delta.role == "assistant"
    assert [(task["unit"], task["state"], task["door"]) for task in tasks] == [("llm", "running", "http")]


async def test_a_conversation_may_be_long_and_in_parts(client: AsyncOpenAI) -> None:
    """Every role, and contents that are lists of texts."""
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "my name"}, {"type": "text", "text": "is Ada"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello Ada!"}]},
        {"role": "user", "content": "hello"},
    ]
    plain = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "my name\nis Ada"},
        {"role": "assistant", "content": "Hello Ada!"},
        {"role": "user", "content": "hello"},
    ]

    answer, same = await chat(client, messages), await chat(client, plain)

    assert answer.choices[0].message.content == same.choices[0].message.content
    assert answer.usage == same.usage


async def test_a_limit_of_tokens_ends_an_answer(client: AsyncOpenAI) -> None:
    """By either name; without one the answer ends where the model ends it."""
    story: Any = [{"role": "user", "content": LONG_QUESTION}]

    short, same = await chat(client, story, max_tokens=5), await chat(client, story, max_completion_tokens=5)
    whole = await chat(client, story)

    assert (short.choices[0].finish_reason, short.usage.completion_tokens) == ("length", 5)
    assert same.usage == short.usage
    assert (whole.choices[0].finish_reason, whole.usage.completion_tokens > 127) == ("stop", True)


async def test_a_stop_string_ends_an_answer_before_itself(client: AsyncOpenAI) -> None:
    """The answer ends before whichever string of the list comes first."""
    whole = (await chat(client)).choices[0].message.content
    first, second = whole.split()[:2]

    answer = await chat(client, stop=["nowhere", second])

    assert (answer.choices[0].message.content.strip(), answer.choices[0].finish_reason) == (first, "stop")


async def test_a_seed_makes_an_answer_again(client: AsyncOpenAI) -> None:
    """Also one that is negative, as clients' random ones are."""
    wild = {"temperature": 1.5, "max_tokens": 20, "seed": -42}
    story: Any = [{"role": "user", "content": LONG_QUESTION}]

    answers = [await chat(client, story, **wild | {"seed": seed}) for seed in (-42, -42, 7)]

    first, again, other = [answer.choices[0].message.content for answer in answers]
    assert first == again != other


async def test_several_choices_are_several_answers(client: AsyncOpenAI) -> None:
    """Each with its index, also in a stream; the prompt counts once."""
    fields = {"n": 3, "temperature": 1.5, "max_tokens": 12, "stream_options": {"include_usage": True}}
    story: Any = [{"role": "user", "content": LONG_QUESTION}]

    chunks = await chunks_of(client, story, **fields)
    whole = await chat(client, story, **fields)

    texts = [text_of(chunks, index) for index in range(3)]
    assert len(set(texts)) == 3
    assert [choice.message.content for choice in whole.choices] == texts
    assert chunks[-1].usage == whole.usage
    assert 12 < whole.usage.completion_tokens <= 36


async def test_a_bias_forbids_a_token(client: AsyncOpenAI) -> None:
    """By its number, as OpenAI has it."""
    answer = await chat(client, max_tokens=1)
    first = answer.choices[0].message.content

    other = await chat(client, max_tokens=1, logit_bias={str(token): -100 for token in range(16, 2000)})

    assert other.choices[0].message.content != first


class Light(BaseModel):
    """What an answer shall look like."""

    room: str
    is_on: bool


async def test_an_answer_obeys_a_schema(client: AsyncOpenAI) -> None:
    """The client parses it into the class it asked for."""
    asked: Any = [{"role": "user", "content": "turn on the kitchen light"}]

    answer = await client.chat.completions.parse(
        model="default", messages=asked, response_format=Light, temperature=0, max_tokens=400
    )

    assert isinstance(answer.choices[0].message.parsed, Light)


async def test_an_answer_may_be_any_json_object(client: AsyncOpenAI) -> None:
    """json_object."""
    answer = await chat(client, response_format={"type": "json_object"}, max_tokens=20)

    assert answer.choices[0].message.content.startswith('{"')


# Tools


async def test_a_call_comes_back_as_tool_calls(client: AsyncOpenAI) -> None:
    """No words, arguments that are JSON in a text, and the reason says so."""
    choice = (await chat(client, tools=LIGHT, tool_choice="required", parallel_tool_calls=False)).choices[0]

    call = choice.message.tool_calls[0]
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
    assert call.function.name == "set_light"
    assert json.loads(call.function.arguments)["room"] in ROOMS


async def test_calls_are_streamed_by_their_index(client: AsyncOpenAI) -> None:
    """Several at once."""
    fields = {"tools": TIME, "logit_bias": {TOOL_TOKEN: 50}, "max_tokens": 100}

    chunks = await chunks_of(client, **fields)

    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    assert [call.index for call in calls] == list(range(len(calls))) and len(calls) > 1
    assert {call.function.name for call in calls if call.function} == {"get_time"}
    assert chunks[0].choices[0].delta.role == "assistant"


async def test_what_a_function_returned_goes_into_the_next_question(client: AsyncOpenAI) -> None:
    """The client's own message object is sent back as it came."""
    called = (await chat(client, tools=TIME, tool_choice="required", parallel_tool_calls=False)).choices[0].message
    result = {"role": "tool", "tool_call_id": called.tool_calls[0].id, "content": "12:00"}

    answer = (await chat(client, [*HELLO, called, result], tools=TIME)).choices[0]

    assert answer.finish_reason == "stop"
    assert answer.message.content


# Texts


async def test_a_text_goes_on_without_a_template(client: AsyncOpenAI) -> None:
    """Sixteen tokens unless more are wanted."""
    answer = await client.completions.create(model="default", prompt="Once upon a time there was a", temperature=0)

    assert answer.choices[0].text.startswith(" ")
    assert (answer.choices[0].finish_reason, answer.usage and answer.usage.completion_tokens) == ("length", 16)


async def test_several_texts_go_on_at_once(client: AsyncOpenAI) -> None:
    """Choices in the order of the prompts, streamed under their index."""
    prompts = ["Once upon a time", "The capital of France"]
    fields: Any = {"model": "default", "prompt": prompts, "temperature": 0, "n": 2, "seed": 5}

    whole = await client.completions.create(**fields)
    texts = ["", "", "", ""]
    async for chunk in await client.completions.create(**fields, stream=True):
        texts[chunk.choices[0].index] += chunk.choices[0].text

    assert [choice.text for choice in whole.choices] == texts
    assert texts[0] == texts[1] != texts[2] == texts[3]


# Models


async def test_installed_models_are_listed(client: AsyncOpenAI) -> None:
    """Those that this API can use."""
    models = (await client.models.list()).data

    assert [model.id for model in models] == ["unitd-chat", "unitd-asr", "unitd-tts"]
    assert {model.owned_by for model in models} == {"unitd"}


async def test_a_model_answers_to_all_its_names(client: AsyncOpenAI) -> None:
    """Also to one of the original's, which another model serves."""
    assert (await client.models.retrieve("unitd-chat")).id == "unitd-chat"
    assert (await client.models.retrieve("qwen2.5-0.5B-prefill-20e")).id == "qwen2.5-0.5B-prefill-20e"


@pytest.mark.own_daemon
async def test_a_model_of_another_daemon_answers_like_its_own(
    client: AsyncOpenAI, http_daemon: App, address: str, tmp_path: Path
) -> None:
    """The engine `openai` speaks to this very API, calls included."""
    folder = tmp_path / "models" / "far-away"
    card = f'name = "far-away"\nunit = "llm"\nengine = "openai"\nbase_url = "http://{address}/v1"\n'
    await asyncio.to_thread(folder.mkdir, parents=True)
    await asyncio.to_thread((folder / "card.toml").write_text, card + 'remote_model = "default"\n')
    calling = {"tools": LIGHT, "tool_choice": "required", "parallel_tool_calls": False}

    far, near = await chat(client, model="far-away"), await chat(client)
    call = (await chat(client, model="far-away", **calling)).choices[0].message.tool_calls[0]

    assert far.choices[0].message.content == near.choices[0].message.content
    assert far.usage == near.usage
    assert json.loads(call.function.arguments)["room"] in ROOMS


async def test_a_wrong_key_is_its_own_error(http_daemon: App, client: AsyncOpenAI) -> None:
    """The client's classes tell errors apart."""
    with pytest.raises(openai.NotFoundError) as missing:
        await chat(client, model="gpt-9")
    with pytest.raises(openai.BadRequestError) as bad:
        await chat(client, top_p=7)

    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
    assert (bad.value.code, bad.value.param) == ("invalid_value", "top_p")
