"""Tokens for tests, and a daemon that demands one of every client."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from unitd.app import App
from unitd.core.access.grants import Limits, Role
from unitd.core.access.tokens import Token, dump_tokens, issue

NO_TRUST = {"auth": {"trust_loopback": False}}
"""As behind a proxy: a connection from this machine proves nothing."""


def write_tokens(
    folder: Path, roles: Mapping[str, Role], limits: Limits | None = None, expires: int | None = None
) -> dict[str, str]:
    """Write a file of tokens to the daemon's folder; return the texts of the tokens by name."""
    made = {name: issue(name, role, int(time.time()), expires, limits or Limits()) for name, role in roles.items()}
    keep_tokens(folder, [token for token, _ in made.values()])
    return {name: text for name, (_, text) in made.items()}


def keep_tokens(folder: Path, tokens: list[Token]) -> None:
    """Write these tokens to the daemon's file."""
    (folder / "tokens.json").write_bytes(dump_tokens(tokens))


@asynccontextmanager
async def client_with(app: App, token: str) -> AsyncIterator[WireClient]:
    """Connect a client to TCP that has shown a token."""
    async with tcp_client(app) as client:
        reply = await show(client, token)
        assert reply["error"]["code"] == 0, reply
        yield client


async def show(client: WireClient, token: str) -> dict[str, Any]:
    """Show a token; return the reply."""
    return await client.ask(work_id="sys", action="auth", data={"token": token})


@asynccontextmanager
async def asking_app(folder: Path, **tables: Any) -> AsyncIterator[App]:
    """Run a daemon that demands a token of every client."""
    async with running_app(folder, NO_TRUST | tables) as app:
        yield app
