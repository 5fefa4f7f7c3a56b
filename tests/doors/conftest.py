"""A Home Assistant, a board's tools as the daemon opens them, and a certificate."""

import importlib
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.support.home.toolboxes import TOOLS, MakeToolbox, Wire
from tests.support.servers.assistant_server import TOKEN, AssistantServer, assistant_server
from unitd.__main__ import main
from unitd.core.config.schema import HomeSettings
from unitd.doors.home.toolbox import HomeToolbox, open_toolbox

# The daemon imports these when it opens its toolbox; here they come first, for the guard against blocking calls.
importlib.import_module("jinja2.sandbox")


@pytest.fixture
async def assistant() -> AsyncIterator[AssistantServer]:
    """A Home Assistant."""
    async with assistant_server() as server:
        yield server


@pytest.fixture
def certificate(tmp_path: Path) -> dict[str, str]:
    """A certificate of one's own, made as an administrator makes it."""
    with pytest.raises(SystemExit) as end:
        main(["cert", "new", "--dir", str(tmp_path / "tls"), "--name", "localhost", "--name", "127.0.0.1"])
    assert end.value.code == 0
    return {"tls_cert": str(tmp_path / "tls" / "cert.pem"), "tls_key": str(tmp_path / "tls" / "key.pem")}


@pytest.fixture
async def make_toolbox(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[MakeToolbox]:
    """Opens a toolbox as the daemon does."""
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:

        async def make(
            tools: str = TOOLS,
            mqtt: Wire | None = None,
            assistant: AssistantServer | None = None,
            token: str = TOKEN,
            domains: tuple[str, ...] = (),
            area: str = "",
        ) -> HomeToolbox:
            (tmp_path / "tools.toml").write_text(tools)
            (tmp_path / "token").write_text(token + "\n")
            url = assistant.url if assistant else ""
            settings = HomeSettings(tmp_path / "tools.toml", url, tmp_path / "token", domains, area)
            toolbox = await open_toolbox(settings, mqtt)
            stack.push_async_callback(toolbox.close)
            return toolbox

        yield make
