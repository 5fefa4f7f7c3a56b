"""A chat server of the OpenAI protocol whose answers call the tools that the question names.

A question that is a JSON list, [["turn_on", {"entity": "lamp"}], …], is answered with these calls, their results are
answered with "told: RESULT; RESULT". "again [[…]]" is answered with the calls in every round, "well [[…]]" with a word
and the calls, "then [[…]] [[…]]" with the second list after the results of the first. Any other question is the answer.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass
class CallingServer:
    """Keeps the bodies of all requests."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)

    def forget(self) -> None:
        """Forget the requests of earlier tests."""
        self.bodies.clear()

    def card(self, folder: Path, more: str = "") -> None:
        """Write the card that makes this server the model "caller" of a daemon with this state folder."""
        place = folder / "models" / "caller"
        place.mkdir(parents=True)
        (place / "card.toml").write_text(
            f'name = "caller"\nunit = "llm"\nengine = "openai"\nbase_url = "{self.url}"\nremote_model = "x"\n{more}'
        )

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        body = orjson.loads(await reader.readexactly(int(head.split(b"content-length:")[1].split()[0])))
        self.bodies.append(body)
        delta = _delta(body)
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        writer.write(HEAD + _event({"choices": [{"delta": delta}]}))
        writer.write(_event({"choices": [{"delta": {}, "finish_reason": reason}]}) + b"data: [DONE]\n\n")
        await writer.drain()
        writer.close()


WISH = "please turn "
"""What makes a question a wish, for the guard of the model's calls; the model does without it."""


def _delta(body: dict[str, Any]) -> dict[str, Any]:
    """Return the calls or the words that answer a request."""
    messages = body["messages"]
    content = next(each["content"] for each in reversed(messages) if each["role"] == "user")
    parts = content if isinstance(content, list) else [{"text": content}]
    asked = "".join(each.get("text", "") for each in parts).replace(WISH, "")
    results = [each["content"] for each in messages if each["role"] == "tool"]
    rounds = sum(1 for each in messages if each.get("tool_calls"))
    wish, goes_on = asked.removeprefix("again ").removeprefix("well "), asked.startswith("again ")
    if asked.startswith("then "):
        wishes = asked.removeprefix("then ").replace("]] [[", "]]\n[[").split("\n")
        wish, goes_on = wishes[min(rounds, 1)], rounds < len(wishes)
    if wish.startswith("[") and "tools" in body and (goes_on or messages[-1]["role"] == "user"):
        calls = [_call(at, name, arguments) for at, (name, arguments) in enumerate(orjson.loads(wish))]
        return {"tool_calls": calls} | ({"content": "Well. "} if asked.startswith("well ") else {})
    return {"content": f"told: {'; '.join(results)}" if messages[-1]["role"] == "tool" else asked}


def _call(at: int, name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
    return {"index": at, "id": f"call_{at}", "type": "function", "function": function}


def _event(fields: object) -> bytes:
    return b"data: " + orjson.dumps(fields) + b"\n\n"


@asynccontextmanager
async def calling_server() -> AsyncIterator[CallingServer]:
    """Run a server on a free port."""
    caller = CallingServer()
    server = await asyncio.start_server(caller.serve, "127.0.0.1", 0)
    caller.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield caller
