"""Covers units.__main__ and unitd.app with a unit from another package: examples/notes, installed and talked to."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.command_line import start

EXAMPLE = Path(__file__).parent.parent / "examples" / "notes"
SETUP = {"model": "boiler", "response_format": "notes.utf-8.stream", "input": "notes.utf-8"}
MANUAL = """Error E7 means that the water is too cold. Wait an hour.

Error E9 means that the pump stands still. Call us.

Clean the filter once a year.
"""
# pip makes a package of the folder and installs it: seconds, on a slow board many.
pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the daemon and the package."""
    return tmp_path_factory.mktemp("example")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def installed(folder: Path) -> Path:
    """The folder that the example is installed into."""
    source = shutil.copytree(EXAMPLE, folder / "source")  # pip leaves things behind where it builds
    target = folder / "site"
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(target)]
    pip = await asyncio.create_subprocess_exec(sys.executable, "-m", "pip", "install", *options, str(source))
    assert await pip.wait() == 0
    return target


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def daemon(installed: Path, folder: Path) -> AsyncIterator[None]:
    """A real daemon that finds the package, with a folder of texts to ask."""
    model = folder / "models" / "boiler"
    model.mkdir(parents=True)
    (model / "card.toml").write_text('name = "boiler"\nunit = "notes"\n')
    (model / "manual.txt").write_text(MANUAL)
    config = folder / "unitd.toml"
    config.write_text(
        f'state.dir = "{folder}/state"\nmodels.dir = ["{folder}/models"]\nunix.path = "{folder}/socket"\n'
        "tcp.enabled = false\nhttp.enabled = false\n"
    )
    daemon = await start("serve", "--config", str(config), environment={"PYTHONPATH": str(installed)})
    assert daemon.stderr is not None
    async for line in daemon.stderr:
        if b"ready: " in line:
            break
    with kept_children():
        yield
    daemon.terminate()
    await daemon.communicate()


@pytest_asyncio.fixture(loop_scope="module")
async def client(daemon: None, folder: Path) -> AsyncIterator[WireClient]:
    """A client of that daemon."""
    client = WireClient(*await asyncio.open_unix_connection(folder / "socket"))
    yield client
    await client.close()


async def test_an_installed_package_is_a_unit(client: WireClient) -> None:
    """Setup, questions, the task's own settings, the end: as with any other unit."""
    task = await client.setup("notes", SETUP, passages=1)
    meaning = await client.answer(task, "What does error E7 mean?")
    chore = await client.answer(task, "When do I clean the filters?")
    nothing = await client.answer(task, "??")
    ended = await client.ask(work_id=task, action="exit")

    assert task == "notes.1000"
    assert meaning == "manual: Error E7 means that the water is too cold. Wait an hour.\n\n"
    assert chore == "manual: Clean the filter once a year.\n\n"
    assert nothing == ""
    assert ended["error"]["code"] == 0


async def test_its_words_are_the_errors_of_a_setup(client: WireClient, folder: Path) -> None:
    """What `load` and `setup` say reaches whoever asked; the daemon and a good task go on."""
    (folder / "models" / "empty").mkdir()
    (folder / "models" / "empty" / "card.toml").write_text('name = "empty"\nunit = "notes"\n')
    task = await client.setup("notes", SETUP)

    empty = await client.ask(work_id="notes", action="setup", data=SETUP | {"model": "empty"})
    many = await client.ask(work_id="notes", action="setup", data=SETUP | {"passages": 1000})

    assert "empty has no texts (.md or .txt)" in empty["error"]["message"]
    assert "passages is 1000, it must be a whole number from 1 to 20" in many["error"]["message"]
    assert [reply["error"]["code"] for reply in (empty, many)] == [-5, -5]
    assert "E9" in await client.answer(task, "error")


async def test_a_pause_holds_its_answer(client: WireClient) -> None:
    """A question that is asked while the task is paused is answered after `work`."""
    task = await client.setup("notes", SETUP)
    await client.ask(work_id=task, action="pause")
    asked = await client.infer(task, "error")

    resumed = await client.receive_reply_to(await client.send(work_id=task, action="work"), never=asked)
    frames = await client.frames(asked)

    assert resumed["error"]["code"] == 0
    assert {"E7", "E9"} <= set(text_of(frames).split())


async def test_its_kind_is_listed(client: WireClient) -> None:
    """`sys.version2` names it beside the built-in ones."""
    reply = await client.ask(work_id="sys", action="version2")

    assert "unitd_notes-" in orjson.dumps(reply["data"]).decode()
