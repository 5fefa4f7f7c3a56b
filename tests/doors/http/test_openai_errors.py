"""Covers unitd.doors.http.openai where something is wrong: with a request, with its client, with the engine."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.support.children import own_children
from tests.support.clients.onlooker import at_work, tasks_of, until_no_task_is_left
from tests.support.daemon import running_app, shared_app, tcp_client
from tests.support.models.gguf_files import without_template
from tests.support.setups import ASR_SETUP, LLM_SETUP, LONG_QUESTION, TTS_SETUP
from tests.support.waiting import MS
from unitd.app import App
from unitd.doors.http.errors import api_error
from unitd.wire.errors import InternalError, RunFailed

CHAT = "/chat/completions"
HELLO = [{"role": "user", "content": "hello"}]
STORY = [{"role": "user", "content": LONG_QUESTION}]
SYSTEM = {"role": "system", "content": "Be brief."}
PICKY_TEMPLATE = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system role here') }}{% endif %}"
    "{% for message in messages %}{{ message.content }}{% endfor %}"
)
LONG_CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "1", "function": {"name": "write", "arguments": {"text": "word " * 200_000}}}],
}
DEEP_CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "1", "function": {"name": "write", "arguments": '{"a":' * 300 + "1" + "}" * 300}}],
}
NOTHING = r"^[^\x00-\U7FFFFFFF]$"
"""No character is none of all characters."""

LONG_PROMPT = [{"role": "user", "content": "tell me more " * 1200}]
"""Some seconds to read, and nearly all that the context holds."""


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """With an ear and a voice besides."""
    setups = {"llm": LLM_SETUP, "asr": ASR_SETUP, "tts": TTS_SETUP}
    with shared_app(tmp_path_factory.mktemp("daemon"), {"http": {"enabled": True}}, setups) as app:
        yield app


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    """A plain client."""
    async with httpx.AsyncClient(base_url=f"http://{address}/v1", timeout=15) as made:
        yield made


def error_of(answer: httpx.Response) -> tuple[int, str | None, str | None]:
    """Status, the value that is meant, and the code."""
    error = answer.json()["error"]
    return answer.status_code, error["param"], error["code"]


def answering() -> list[psutil.Process]:
    """The llm programs of the test's own daemon."""
    return [each for each in own_children() if "llm" in each.cmdline()]


def install(folder: Path, template: str) -> None:
    """The bundled model with another chat template, under the folder's name."""
    folder.mkdir(parents=True)
    without_template(folder / "model.gguf")
    card = f'name = "{folder.name}"\nunit = "llm"\nengine = "llama"\nfile = "model.gguf"\n'
    (folder / "card.toml").write_text(f'{card}chat_template = "{template}"\n')


# Requests


def part(**fields: Any) -> list[dict[str, Any]]:
    """A message with one part."""
    return [{"role": "user", "content": [fields]}]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages"),
        ({"messages": [{"role": "robot", "content": "hello"}]}, "messages"),
        ({"messages": [{"role": "user"}]}, "messages"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages"),
        ({"messages": part(type="image_url", image_url={"url": "data:image/png;base64,AAAA"})}, "messages"),
        ({"messages": part(type="input_audio", input_audio={})}, "messages"),
        ({"messages": part(type="text")}, "messages"),
        ({"messages": [{"role": "assistant", "content": None, "tool_calls": [{}]}]}, "messages"),
        ({"messages": [DEEP_CALL]}, "messages"),
        ({"messages": HELLO, "model": 5}, "model"),
        ({"messages": HELLO, "temperature": "hot"}, "temperature"),
        ({"messages": HELLO, "top_p": -1}, "top_p"),
        ({"messages": HELLO, "max_tokens": 0}, "max_tokens"),
        ({"messages": HELLO, "max_tokens": 1.5}, "max_tokens"),
        ({"messages": HELLO, "seed": "x"}, "seed"),
        ({"messages": HELLO, "stop": [1]}, "stop"),
        ({"messages": HELLO, "stop": [""]}, "stop"),
        ({"messages": HELLO, "logit_bias": {"word": 1}}, "logit_bias"),
        ({"messages": HELLO, "logit_bias": {"999999": 1}}, "logit_bias"),
        ({"messages": HELLO, "n": 0}, "n"),
        ({"messages": HELLO, "n": 99}, "n"),
        ({"messages": HELLO, "stream": "yes"}, "stream"),
        ({"messages": HELLO, "stream_options": 1}, "stream_options"),
        ({"messages": HELLO, "response_format": "json"}, "response_format"),
        ({"messages": HELLO, "response_format": {"type": "json_schema"}}, "response_format"),
        (
            {"messages": HELLO, "response_format": {"type": "json_schema", "json_schema": {"schema": {"$ref": "x"}}}},
            "response_format",
        ),
        ({"messages": HELLO, "tools": [{}]}, "tools"),
        ({"messages": HELLO, "tool_choice": "required"}, "tool_choice"),
        ({"messages": HELLO, "logprobs": True}, "logprobs"),
        ({"messages": HELLO, "functions": []}, "functions"),
        ({"messages": HELLO, "modalities": ["audio"]}, "modalities"),
        ({"messages": HELLO, "chat_template_kwargs": 1}, "chat_template_kwargs"),
    ],
)
async def test_a_bad_value_of_a_chat_is_named(http: httpx.AsyncClient, fields: dict[str, Any], param: str) -> None:
    """400, streamed or not: nothing has begun."""
    whole = await http.post(CHAT, json=fields)
    stream = await http.post(CHAT, json={"stream": True} | fields)

    assert error_of(whole) == (400, param, "invalid_value")
    assert error_of(stream) == (400, param, "invalid_value")
    assert whole.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({}, "prompt"),
        ({"prompt": "  "}, "prompt"),
        ({"prompt": [1, 2]}, "prompt"),
        ({"prompt": "a", "suffix": "b"}, "suffix"),
        ({"prompt": "a", "best_of": 2}, "best_of"),
        ({"prompt": "a", "echo": True}, "echo"),
        ({"prompt": "a", "tools": [{}]}, "tools"),
        ({"prompt": ["a"] * 9, "n": 2}, "n"),
    ],
)
async def test_a_bad_value_of_a_completion_is_named(
    http: httpx.AsyncClient, fields: dict[str, Any], param: str
) -> None:
    """400."""
    assert error_of(await http.post("/completions", json=fields)) == (400, param, "invalid_value")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"voice": "alloy"}, "input"),
        ({"input": "Hello", "response_format": "aac"}, "response_format"),
        ({"input": "Hello", "voice": "nobody"}, "voice"),
        ({"input": "Hello", "voice": 7}, "voice"),
        ({"input": "Hello", "speed": 9}, "speed"),
        ({"input": "Hello", "stream_format": "sse"}, "stream_format"),
    ],
)
async def test_a_bad_value_of_a_speech_is_named(http: httpx.AsyncClient, fields: dict[str, Any], param: str) -> None:
    """400."""
    assert error_of(await http.post("/audio/speech", json=fields)) == (400, param, "invalid_value")


@pytest.mark.parametrize(
    ("fields", "file", "param"),
    [
        ({}, None, "file"),
        ({}, b"ID3 this is an mp3", "file"),
        ({}, b"RIFF\x04\x00\x00\x00WAVE", "file"),
        ({"response_format": "srt"}, b"RIFF\x04\x00\x00\x00WAVE", "response_format"),
        ({"stream": "true"}, b"RIFF\x04\x00\x00\x00WAVE", "stream"),
        ({"language": "xx"}, b"RIFF\x04\x00\x00\x00WAVE", "language"),
    ],
)
async def test_a_bad_value_of_a_transcription_is_named(
    http: httpx.AsyncClient, fields: dict[str, str], file: bytes | None, param: str
) -> None:
    """400; of a sound that is none the message says what would be."""
    files = {"file": ("a.wav", file)} if file else {"other": ("a.txt", b"x")}

    answer = await http.post("/audio/transcriptions", data={"model": "whisper-1"} | fields, files=files)

    assert error_of(answer) == (400, param, "invalid_value")
    assert param != "file" or "WAV" in answer.json()["error"]["message"]


@pytest.mark.parametrize("pattern", [NOTHING, "^[z-a]$"])
async def test_a_schema_that_no_answer_can_obey_is_the_clients(http: httpx.AsyncClient, pattern: str) -> None:
    """400: who asks again gets no other answer."""
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "string", "pattern": pattern}}}

    answer = await http.post(CHAT, json={"messages": HELLO, "response_format": schema})

    assert error_of(answer) == (400, "response_format", "invalid_value")


@pytest.mark.own_daemon
async def test_messages_that_the_models_template_refuses_are_the_clients(
    http: httpx.AsyncClient, tmp_path: Path
) -> None:
    """400 with the template's own words; what it takes is answered."""
    await asyncio.to_thread(install, tmp_path / "models" / "picky", PICKY_TEMPLATE)

    refused = await http.post(CHAT, json={"messages": [SYSTEM, *HELLO], "model": "picky"})
    taken = await http.post(CHAT, json={"messages": HELLO, "model": "picky", "max_tokens": 1})

    assert error_of(refused) == (400, "messages", "invalid_value")
    assert "no system role here" in refused.json()["error"]["message"]
    assert taken.status_code == 200


@pytest.mark.parametrize("body", [b"", b"hello", b"[1]", b'{"messages": ', b"\xff\xfe", b"[" * 2000])
async def test_a_body_that_is_no_object_is_refused(http: httpx.AsyncClient, body: bytes) -> None:
    """400."""
    assert error_of(await http.post(CHAT, content=body)) == (400, None, "invalid_value")


async def test_a_body_that_is_nested_too_deeply_is_refused(http: httpx.AsyncClient) -> None:
    """The body can be parsed, but not be passed on to the unit."""
    deep = b'{"messages": [{"role": "user", "content": "a"}], "logit_bias": ' + b'{"1":' * 300 + b"1" + b"}" * 301

    assert error_of(await http.post(CHAT, content=deep)) == (400, None, "invalid_value")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (CHAT, {"messages": HELLO}),
        ("/completions", {"prompt": "a"}),
        ("/audio/speech", {"input": "a"}),
    ],
)
async def test_an_unknown_model_is_not_found(http: httpx.AsyncClient, path: str, fields: dict[str, Any]) -> None:
    """404, also where a model of this name is of another kind."""
    for name in ("gpt-9", "unitd-kws"):
        assert error_of(await http.post(path, json=fields | {"model": name})) == (404, "model", "model_not_found")
    assert error_of(await http.get("/models/gpt-9")) == (404, "model", "model_not_found")


async def test_a_prompt_that_does_not_fit_is_told_so(http: httpx.AsyncClient) -> None:
    """By the code that clients know."""
    answer = await http.post(CHAT, json={"messages": [{"role": "user", "content": "word " * 5000}], "stream": True})

    assert error_of(answer) == (400, "messages", "context_length_exceeded")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/completions", {"prompt": "word " * 200_000}),
        (CHAT, {"messages": [LONG_CALL, {"role": "tool", "tool_call_id": "1", "content": "done"}]}),
    ],
    ids=["raw", "call"],
)
async def test_a_prompt_that_is_far_too_long_is_not_even_counted(
    http: httpx.AsyncClient, path: str, fields: dict[str, Any]
) -> None:
    """Everybody else would wait for that: its bytes are enough to refuse it."""
    answer = await http.post(path, json=fields)

    assert error_of(answer) == (400, "messages", "context_length_exceeded")
    assert "prompt is over" in answer.json()["error"]["message"]


async def test_values_that_are_not_known_are_ignored(http: httpx.AsyncClient) -> None:
    """Clients send much that means nothing here; null means nothing anywhere."""
    extra = {"user": "me", "store": True, "metadata": {}, "service_tier": "auto", "stop": None, "max_tokens": None}

    answer = await http.post(CHAT, json={"messages": HELLO, "tools": None, "logprobs": False} | extra)

    assert answer.status_code == 200


# Clients


@pytest.mark.own_daemon
@pytest.mark.parametrize("is_stream", [True, False])
async def test_a_client_that_leaves_takes_its_task_with_it(http_daemon: App, address: str, is_stream: bool) -> None:
    """Also in the middle of its prompt, before a word was said."""
    body = json.dumps({"messages": LONG_PROMPT, "stream": is_stream}).encode()
    head = f"POST /v1{CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    _, writer = await asyncio.open_connection(*address.split(":"))
    writer.write(head.encode() + body)
    await at_work(http_daemon)

    writer.close()

    await until_no_task_is_left(http_daemon, timeout=2)
    assert answering()[0].is_running()


@pytest.mark.own_daemon
async def test_a_client_that_leaves_in_mid_stream_leaves_others_alone(
    http_daemon: App, http: httpx.AsyncClient
) -> None:
    """Its task ends, theirs goes on to its end."""
    staying = asyncio.create_task(http.post(CHAT, json={"messages": STORY, "max_tokens": 200}))

    async with http.stream("POST", CHAT, json={"messages": STORY, "stream": True}) as answer:
        await anext(answer.aiter_lines())

    async with asyncio.timeout(2):
        while len(await tasks_of(http_daemon)) > 1:
            await asyncio.sleep(MS)
    assert (await staying).json()["usage"]["completion_tokens"] > 50


async def test_where_no_task_fits_the_client_shall_come_again(tmp_path: Path) -> None:
    """429, and when."""
    async with (
        running_app(tmp_path, {"http": {"enabled": True}, "limits": {"tasks": 1}}) as app,
        tcp_client(app) as wire,
    ):
        await wire.setup("llm", LLM_SETUP)
        host, port = app.endpoints["http"]
        async with httpx.AsyncClient(base_url=f"http://{host}:{port}/v1") as http:
            answer = await http.post(CHAT, json={"messages": HELLO})

    assert error_of(answer) == (429, None, "rate_limit_exceeded")
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["error"]["type"] == "rate_limit_error"


# The engine


@pytest.mark.own_daemon
async def test_an_engine_that_dies_before_its_first_word_is_unavailable(
    http_daemon: App, http: httpx.AsyncClient
) -> None:
    """503; the next question finds a new one."""
    await http.post(CHAT, json={"messages": HELLO})
    waiting = asyncio.create_task(http.post(CHAT, json={"messages": LONG_PROMPT}))
    await at_work(http_daemon)

    answering()[0].kill()

    assert error_of(await waiting) == (503, None, "engine_unavailable")
    assert (await http.post(CHAT, json={"messages": HELLO})).status_code == 200


@pytest.mark.own_daemon
async def test_an_engine_that_dies_in_mid_stream_ends_it_with_an_error(http: httpx.AsyncClient) -> None:
    """As the last event, without [DONE]."""
    async with http.stream("POST", CHAT, json={"messages": STORY, "stream": True}) as answer:
        lines = answer.aiter_lines()
        await anext(lines)
        answering()[0].kill()
        rest = [line async for line in lines if line]

    assert json.loads(rest[-1].removeprefix("data: "))["error"]["code"] == "engine_unavailable"


@pytest.mark.own_daemon
async def test_a_model_that_does_not_load_is_unavailable(
    http_daemon: App, http: httpx.AsyncClient, tmp_path: Path
) -> None:
    """503, with the reason."""
    folder = tmp_path / "models" / "broken"
    await asyncio.to_thread(folder.mkdir, parents=True)
    await asyncio.to_thread((folder / "model.gguf").write_bytes, b"GGUF and nothing else")

    answer = await http.post(CHAT, json={"messages": HELLO, "model": "broken"})

    assert error_of(answer) == (503, None, "engine_unavailable")
    assert "cannot be loaded" in answer.json()["error"]["message"]


def test_a_bug_of_ours_says_nothing_about_us() -> None:
    """500."""
    error = api_error(InternalError("secret"))

    assert (error.status, str(error)) == (500, "internal error")


def test_a_reason_that_begins_with_no_key_is_the_engines() -> None:
    """A key is a word of a table, not any word."""
    assert api_error(RunFailed("llm/unitd-chat died: it was ended by SIGKILL")).status == 503
    assert api_error(RunFailed("seed is 'x', it must be a whole number")).param == "seed"
