"""A folder of models, and what the daemon lists and removes there."""

import json
from pathlib import Path
from typing import Any

import gguf

from tests.support.clients.wire_client import WireClient

GOOD_CARD = 'name = "my-model"\nunit = "llm"\nfile = "weights.gguf"\n'


def put(folder: Path, name: str, card: str | bytes = GOOD_CARD) -> Path:
    """Make a model folder with a card and weights; return it."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "card.toml").write_bytes(card.encode() if isinstance(card, str) else card)
    (place / "weights.gguf").touch()
    return place


def write_gguf(path: Path, kind: str = "model") -> None:
    """Write a header that says what it is, and nothing after it."""
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_type(kind)
    writer.add_name("My Model")
    writer.add_license("mit")
    writer.add_context_length(2048)
    writer.add_chat_template("{{ tools }}")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def write_mode(path: Path, unit: str = "llm", **defaults: Any) -> None:
    """Write a description as the original has it beside its models."""
    path.write_text(json.dumps({"mode": path.stem, "type": unit, "mode_param": defaults}))


async def modes(client: WireClient) -> dict[str, dict[str, Any]]:
    """Return what lsmode lists, by name."""
    return {row["mode"]: row for row in (await client.ask(work_id="sys", action="lsmode"))["data"]}


async def rmmode(client: WireClient, name: str) -> int:
    """Return the code that sys.rmmode answers."""
    return int((await client.ask(work_id="sys", action="rmmode", data=name))["error"]["code"])
