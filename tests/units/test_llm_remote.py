"""Covers units.llm.remote: through the daemon against llama-cpp-python's own server, alone against bad ones."""

import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import orjson
import pytest

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.models.gguf_files import write_adapter
from tests.support.pictures import file_of, square, text
from tests.support.pictures import part as picture_part
from tests.support.setups import KWS_SETUP, LLM_SETUP, LONG_QUESTION
from tests.support.units.engine_bench import BUNDLED
from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.base import LoadError
from units.llm import remote
from units.llm.chat_api import request_body
from units.llm.options import read_options
from units.llm.remote import RemoteLlmUnit

REMOTE = LLM_SETUP | {"model": "far-away", "max_token_len": 60, "usage": True}


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    """A real OpenAI-compatible server with the bundled model."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(BUNDLED), "--port", str(port)]
    server = subprocess.Popen([*command, "--n_threads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not _answers(f"http://127.0.0.1:{port}/v1/models"):
            assert server.poll() is None, "the server did not start"
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=1).is_success
    except httpx.TransportError:
        return False


@pytest.fixture
def no_leftovers() -> None:
    """The server of this module outlives its tests, so nothing is looked for here."""


@pytest.fixture
async def remote_client(server_url: str, tmp_path: Path) -> AsyncIterator[WireClient]:
    """A client of a daemon that has a card of the real server."""
    folder = tmp_path / "models" / "far-away"
    folder.mkdir(parents=True)
    (folder / "card.toml").write_text(
        f'name = "far-away"\nunit = "llm"\nengine = "openai"\nbase_url = "{server_url}"\nremote_model = "x"\n'
    )
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        yield client


async def test_a_remote_model_streams_like_a_local_one(remote_client: WireClient) -> None:
    """Same frames, same greedy words, usage counted by the server or by pieces."""
    far = await remote_client.setup("llm", REMOTE)
    near = await remote_client.setup("llm", REMOTE, model="unitd-chat")

    frames = await remote_client.frames(await remote_client.infer(far, "hello"))

    assert text_of(frames).strip() == (await remote_client.answer(near, "hello")).strip()
    assert [frame["data"]["index"] for frame in frames] == list(range(len(frames)))
    assert frames[-1]["data"]["usage"]["completion_tokens"] > 0


async def test_a_server_does_not_know_when_somebody_has_finished(remote_client: WireClient) -> None:
    """OpenAI's protocol has no such question."""
    work_id = await remote_client.setup("llm", REMOTE)

    reply = await remote_client.ask(work_id=work_id, action="turn_end", data="turn on the")

    assert reply["error"]["code"] == -10
    assert "does not tell the probability" in reply["error"]["message"]


async def test_a_wake_cuts_a_remote_answer(remote_client: WireClient) -> None:
    """The upstream stream is closed; the next question is answered."""
    kws = await remote_client.setup("kws", KWS_SETUP)
    far = await remote_client.setup("llm", REMOTE, input=["llm.utf-8", kws], max_token_len=400)
    request_id = await remote_client.infer(far, LONG_QUESTION)
    await remote_client.receive()

    await remote_client.send(work_id=kws, action="trigger")
    frames = await remote_client.frames(request_id)

    assert frames[-1]["data"]["finish_reason"] == "interrupted"
    assert await remote_client.answer(far, "hello")


async def test_pause_and_work_lose_no_piece(remote_client: WireClient) -> None:
    """Pieces that come during a pause wait in the connection."""
    far = await remote_client.setup("llm", REMOTE)
    # The first leaves the same in the server's cache for the two that are compared: how much of a prompt is read
    # anew changes the last digits, and with them a word now and then.
    _, whole = [await remote_client.answer(far, LONG_QUESTION) for _ in range(2)]
    request_id = await remote_client.infer(far, LONG_QUESTION)
    frames = [await remote_client.receive() for _ in range(3)]

    paused = await remote_client.send(work_id=far, action="pause")
    while (frame := await remote_client.receive())["request_id"] != paused:
        frames.append(frame)
    await remote_client.ask(work_id=far, action="work")
    if not frames[-1]["data"]["finish"]:  # on a busy machine the answer may be over before the pause
        frames += await remote_client.frames(request_id)

    assert text_of(frames) == whole


async def test_a_policy_stops_a_remote_answer(remote_client: WireClient) -> None:
    """Pieces count as tokens."""
    far = await remote_client.setup("llm", REMOTE, pause={"max_tokens": 5})
    await remote_client.infer(far, LONG_QUESTION)
    frames = [await remote_client.receive()]
    while "paused" not in frames[-1]["data"]:
        frames.append(await remote_client.receive())

    assert (frames[-1]["data"]["paused"], frames[-1]["data"]["tokens"]) == ("max_tokens", 5)
    assert len(frames) == 6


@pytest.mark.parametrize("wish", [{"grammar": 'root ::= "a"'}, {"lora": "pirate"}])
async def test_a_grammar_or_an_adapter_is_refused_at_setup(
    remote_client: WireClient, tmp_path: Path, wish: dict[str, str]
) -> None:
    """What the engine cannot do is said, not dropped."""
    (tmp_path / "models" / "lora").mkdir()
    write_adapter(tmp_path / "models" / "lora" / "pirate.gguf")

    reply = await remote_client.ask(work_id="llm", action="setup", data=REMOTE | wish)

    assert reply["error"]["code"] == -5
    assert "llama engine" in reply["error"]["message"]


def test_a_server_gets_pictures_in_their_order() -> None:
    """As OpenAI's API has them: a data: URL with the type of the file."""
    parts = [text("this "), picture_part(file_of(square(), "JPEG"), detail="low"), text("or this?")]
    options = read_options({"messages": [{"role": "user", "content": parts}]}, 4096)
    (turn,) = request_body("far", options, options.messages or ())["messages"]

    assert [each["type"] for each in turn["content"]] == ["text", "image_url", "text"]
    assert turn["content"][1]["image_url"]["url"].startswith("data:image/jpeg;base64,/9j/")
    assert turn["content"][1]["image_url"]["detail"] == "low"


def test_a_server_is_told_to_think_for_who_asks() -> None:
    """Otherwise as it is configured: the key is not OpenAI's, and many servers refuse what they do not know."""
    thinking, silent = (read_options({"thinking": each}, 4096) for each in (True, False))

    assert request_body("far", thinking, ())["chat_template_kwargs"] == {"enable_thinking": True}
    assert "chat_template_kwargs" not in request_body("far", silent, ())


class BadServer(BaseHTTPRequestHandler):
    """Answers by the model's name."""

    STATUS: ClassVar[dict[str, int]] = {"401": 401, "404": 404, "429": 429, "503": 503}
    EVENT = b'data: {"choices":[{"delta":{"content":"half "}}]}\n\n'

    def do_POST(self) -> None:
        """One bad answer."""
        model = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"]
        self.send_response(self.STATUS.get(model, 200))
        if model == "429":
            self.send_header("Retry-After", "7")
        if model == "broken":
            self.send_header("Content-Length", "9999")
        self.end_headers()
        bodies = {
            "broken": self.EVENT,
            "garbage": self.EVENT + b"data: {no json\n\n",
            "error": self.EVENT + b'data: {"error": {"message": "out of memory"}}\n\n',
            "odd": b"data: [1]\n\n",
        }
        self.wfile.write(bodies.get(model, b'{"error": {"message": "the server says so"}}'))
        if model == "silent":
            threading.Event().wait(2)

    def log_message(self, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def bad_url() -> Iterator[str]:
    """A server that fails in many ways."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BadServer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask() -> Ask:
    """Puts a question to a unit for one model of one server; returns the end."""

    def ask(base_url: str, model: str) -> dict[str, Any]:
        host = FakeHost()
        unit = RemoteLlmUnit(host)
        unit.load({"model": model, "context": 512, "engine_options": {"base_url": base_url}})
        setup = {"task": "llm.1", "data": {"prompt": ""}, "memory": None}
        unit.handlers["setup"](Envelope("setup", setup))
        unit.handlers["infer"](Envelope("infer", {"task": "llm.1", "inference": 1, "is_text": True}, b"hello"))
        while not host.ends():
            threading.Event().wait(0.005)
        unit.close()
        (end,) = host.ends()
        return end

    return ask


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("401", "check api_key_file"),
        ("404", "check remote_model and base_url"),
        ("429", "try again in 7 s"),
        ("503", "it failed (503: the server says so)"),
        ("broken", "broke off"),
        ("garbage", "no JSON"),
        ("error", "out of memory"),
        ("odd", "no object"),
    ],
)
def test_a_failing_server_is_named_with_what_to_do(bad_url: str, ask: Ask, model: str, words: str) -> None:
    """One end each, with the address and a reason."""
    end = ask(bad_url, model)

    assert (end["reason"], end["code"]) == ("error", -11)
    assert bad_url in end["message"]
    assert words in end["message"]


def test_a_silent_server_is_given_up(bad_url: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a time without a piece."""
    monkeypatch.setattr(remote, "SILENCE_SECONDS", 0.2)

    assert "silent for" in ask(bad_url, "silent")["message"]


def test_a_dead_host_is_told(ask: Ask) -> None:
    """The error says that the server cannot be reached."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    assert "cannot be reached" in ask(f"http://127.0.0.1:{port}/v1", "x")["message"]


@pytest.mark.parametrize(
    ("options", "words"),
    [({}, "needs base_url"), ({"base_url": "http://x", "api_key_file": "/not/there"}, "/not/there")],
)
def test_a_card_without_its_values_does_not_load(options: dict[str, str], words: str) -> None:
    """The sentence becomes the setup's error."""
    unit = RemoteLlmUnit(FakeHost())

    with pytest.raises(LoadError, match=words):
        unit.load({"model": "x", "context": 512, "engine_options": options})
