"""End the daemon, a unit or an answer while a tool is called or is at work."""

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import SETUP, TOOLS, begun, rest_of, said
from tests.support.programs.bad_unit import bad_unit
from tests.support.servers.assistant_server import AssistantServer
from tests.support.waiting import eventually
from unitd.app import App


async def test_the_daemon_stops_while_a_tool_hangs(home: App, client: WireClient, assistant: AssistantServer) -> None:
    """It does not wait for Home Assistant."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    home.stop()

    assert (await rest_of(client, request_id))[-1]["data"]["finish_reason"] == "interrupted"
    await asyncio.wait_for(eventually(lambda: client.reader.at_eof()), 5)


async def test_a_unit_that_dies_meanwhile_answers_after_its_restart(
    client: WireClient, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The tool is not used twice."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    for process in await asyncio.to_thread(lambda: psutil.Process().children()):
        if "units" in await asyncio.to_thread(process.cmdline):
            process.kill()
    await eventually(lambda: "llm/caller died" in caplog.text)
    assistant.may_answer.set()

    assert said(await rest_of(client, request_id)) == "The kitchen light is off."
    assert len(assistant.calls) == 2  # the state, the service


ECHO = SETUP | {"model": "default", "messages": [{"role": "user", "content": "light!"}]}


@pytest.mark.parametrize("change", [{"action": "setup", "data": ECHO}, {"action": "exit"}])
async def test_what_an_unfinished_answer_has_called_is_not_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, Any]
) -> None:
    """Another setup, or the end of its task, interrupts it as a wake does."""
    (tmp_path / "tools.toml").write_text(TOOLS)
    home = {"home": {"tools": str(tmp_path / "tools.toml")}}
    async with running_app(tmp_path, home, argv_for=bad_unit()) as app, tcp_client(app) as client:
        work_id = await client.setup("llm", ECHO)
        request_id = await client.infer(work_id, "call linger")
        assert (await client.receive())["object"] == "llm.tool_call"

        changing = await client.send(work_id=work_id, **change)
        frames = await rest_of(client, request_id)
        reply = await client.receive()

    assert frames[-1]["data"]["finish_reason"] == "interrupted"
    assert (reply["request_id"], reply["error"]["code"]) == (changing, 0)
    assert "tool turn_on failed" not in caplog.text  # it has no arguments
