"""Covers configs/home.toml and configs/tools.toml: they are ready as they lie there, but for the broker's address.

And the first tools.toml of docs/home.md, which people copy.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import frames_of, said
from tests.support.servers.brokers import Broker, Listener
from tests.support.servers.calling_server import CallingServer
from unitd.core.home.tools_file import read_home

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs"

LIGHT, HEATER = {"entity": "kitchen light"}, {"entity": "heater"}
SET_BRIGHTNESS = orjson.dumps([["set_brightness", LIGHT | {"percent": 50}]]).decode()
SET_TEMPERATURE = orjson.dumps([["set_temperature", HEATER | {"degrees": 21.5}]]).decode()


@pytest.fixture
def document(broker: Broker, caller: CallingServer) -> dict[str, Any]:
    """That configuration, with the test's own broker, a model that calls what it is told to, and no microphone."""
    document = tomllib.loads((CONFIGS / "home.toml").read_text())
    document["mqtt"] |= {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}
    document["home"]["tools"] = str(CONFIGS / "tools.toml")
    return document | {"llm": {"model": "caller"}}


async def mind_of(client: WireClient) -> str:
    """The pipeline's llm task, once all of it is there."""
    while len(tasks := (await client.ask(work_id="sys", action="lstask"))["data"]) < 4:
        pass  # it is being set up
    return next(str(task["work_id"]) for task in tasks if task["unit"] == "llm")


@pytest.mark.timeout(60)
async def test_the_home_is_ready(tmp_path: Path, document: dict[str, Any], listener: Listener) -> None:
    """Four linked tasks without any client; a wish becomes a message that devices understand, and an answer."""
    async with running_app(tmp_path, document) as app, tcp_client(app) as client:
        mind = await mind_of(client)

        dimmed = said(await frames_of(client, mind, SET_BRIGHTNESS))
        warmed = said(await frames_of(client, mind, SET_TEMPERATURE))
        await listener.until(lambda: bool(listener.on("home/heater/set")))

    assert dimmed == "The kitchen light is at 50 percent."
    assert warmed == "The heater is set to 21.5 degrees."
    assert orjson.loads(listener.on("home/kitchen_light/set")[0]) == {"state": "ON", "brightness": 127}
    assert orjson.loads(listener.on("home/heater/set")[0]) == {"temperature": 21.5}


def test_the_first_tools_of_the_page_switch_a_light() -> None:
    """What a reader tries first."""
    examples = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "home.md").read_text(), re.DOTALL)
    first = next(each for each in examples if "[[tool]]" in each)

    home = read_home(tomllib.loads(first))

    assert [each["function"]["name"] for each in home.functions()] == ["turn_on", "turn_off", "set_brightness"]


def test_the_page_s_devices_without_tools_can_be_used() -> None:
    """Three lines each; and areas, classes and questions before a tool is used."""
    examples = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "home.md").read_text(), re.DOTALL)
    devices = [each for each in examples if "[[entity]]" in each and "[[tool]]" not in each]

    short, placed = (read_home(tomllib.loads(each)) for each in devices)

    reached = {each["name"]: each["entities"] for each in short.listing()}
    assert reached["turn_on"] == ["kitchen light", "desk lamp"]
    assert reached["unlock"] == ["front door"]
    assert placed.confirm == ("unlock",)
    assert (placed.areas[0].floor, placed.entities[0].device_class) == ("upstairs", "blind")
