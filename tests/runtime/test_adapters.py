"""Covers unitd.runtime.models.adapters, alone and through the daemon with the bundled model."""

import os
import struct
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.models.gguf_files import write_adapter
from tests.support.setups import LLM_SETUP
from tests.support.units.engine_bench import BUNDLED
from unitd.runtime.models.adapters import read_wanted, with_files
from unitd.wire.errors import LoadFailed

QUESTION = "tell me a story"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where adapters lie."""
    folder = tmp_path / "models" / "lora"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
async def client(tmp_path: Path, folder: Path) -> AsyncIterator[WireClient]:
    """A client of a daemon with two adapters."""
    for seed, name in enumerate(("pirate", "poet")):
        write_adapter(folder / f"{name}.gguf", seed=seed)
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        yield client


# What setup may say


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("pirate", [("pirate", 1.0)]),
        (["pirate", {"name": "poet", "scale": 0.5}], [("pirate", 1.0), ("poet", 0.5)]),
        ([{"name": "poet", "scale": -1}], [("poet", -1.0)]),
        ([{"name": "poet", "scale": 0}], []),
        ([], []),
    ],
)
def test_adapters_are_named_with_their_scales(value: Any, wanted: list[tuple[str, float]]) -> None:
    """One by its name, several as a list; nothing of one is none."""
    assert read_wanted(value) == wanted


@pytest.mark.parametrize(
    "value",
    [
        7,
        None,
        [["pirate"]],
        {"scale": 1.0},
        {"name": "pirate", "path": "/etc/passwd"},
        {"name": "pirate", "scale": "much"},
        {"name": "pirate", "scale": True},
        {"name": "pirate", "scale": float("nan")},
        {"name": "pirate", "scale": 1e9},
        ["pirate", "pirate"],
        [f"pirate {n}" for n in range(9)],
    ],
)
def test_other_forms_are_refused(value: Any) -> None:
    """Every other form is refused with an error that names the key."""
    with pytest.raises(LoadFailed, match=r"lora|scale"):
        read_wanted(value)


# Where they lie


async def test_a_name_becomes_a_file_of_the_first_folder_that_has_it(tmp_path: Path) -> None:
    """In the order of `[models] dir`."""
    folders = [tmp_path / "first", tmp_path / "second", tmp_path / "missing"]
    for each in folders[:2]:
        (each / "lora").mkdir(parents=True)
    one = write_adapter(folders[0] / "lora" / "pirate.gguf")
    write_adapter(folders[1] / "lora" / "pirate.gguf")
    two = write_adapter(folders[1] / "lora" / "poet.gguf")

    setup = await with_files({"prompt": "", "lora": ["pirate", "poet"]}, folders)

    found = [{"path": str(one), "scale": 1.0}, {"path": str(two), "scale": 1.0}]
    assert setup == {"prompt": "", "lora": found}


@pytest.mark.parametrize(
    "name", ["../secret", "../../secret", "sub/deep", "/secret", "", ".", "..", "pirate.gguf", "a\0b"]
)
async def test_a_name_leads_nowhere_else(folder: Path, name: str) -> None:
    """It is compared with what lies in the folder, no path is made of it."""
    write_adapter(folder.parent / "secret.gguf")
    (folder / "sub").mkdir()
    write_adapter(folder / "sub" / "deep.gguf")
    write_adapter(folder / "pirate.gguf")

    with pytest.raises(LoadFailed, match=r"there is no adapter .* here; there is pirate"):
        await with_files({"lora": name}, [folder.parent])


async def test_a_name_that_nobody_can_say_is_left_out(folder: Path) -> None:
    """The refusal, which lists what is there, goes out as JSON."""
    write_adapter(folder / "pirate.gguf")
    (folder / os.fsdecode(b"\xff.gguf")).touch()

    with pytest.raises(LoadFailed, match=r"there is pirate$"):
        await with_files({"lora": "poet"}, [folder.parent])


def a_text(path: Path) -> None:
    path.write_text("I am no adapter\n")


def a_model(path: Path) -> None:
    path.symlink_to(BUNDLED)


def cut_short(path: Path) -> None:
    path.write_bytes(write_adapter(path).read_bytes()[:100_000])


def with_a_huge_claim(path: Path) -> None:
    content = bytearray(write_adapter(path).read_bytes())
    struct.pack_into("<Q", content, 8, 2**60)
    path.write_bytes(content)


def of_whole_numbers(path: Path) -> None:
    write_adapter(path, strength=9.0, kind=np.int32)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_text, "it is no GGUF file"),
        (a_model, "it is a model, no adapter"),
        (cut_short, "its tensors end at byte"),
        (with_a_huge_claim, "its header claims 1152921504606846976 tensors"),
        (of_whole_numbers, "is of the unknown type 26"),
    ],
)
async def test_a_file_that_could_harm_a_program_is_not_given_to_it(
    folder: Path, make: Callable[[Path], None], words: str
) -> None:
    """An engine that computes with whole numbers as weights crashes, with everybody's tasks."""
    make(folder / "pirate.gguf")

    with pytest.raises(LoadFailed) as refused:
        await with_files({"lora": "pirate"}, [folder.parent])

    assert "the adapter 'pirate' cannot be used" in refused.value.reason
    assert words in refused.value.reason


# Through the daemon


async def test_tasks_with_other_adapters_share_one_program(client: WireClient) -> None:
    """Each answers in its own way, also at the same time."""
    tasks = [
        await client.setup("llm", LLM_SETUP, max_token_len=30, **lora)
        for lora in ({}, {"lora": "pirate"}, {"lora": "poet"})
    ]
    alone = [await client.answer(task, QUESTION) for task in tasks]

    asked = [await client.infer(task, QUESTION) for task in tasks]
    together = await answers(client, asked)

    assert together == alone
    assert len(set(alone)) == 3
    models = [row["model"] for row in (await client.ask(work_id="sys", action="lstask"))["data"]]
    assert len(set(models)) == 1


async def answers(client: WireClient, asked: list[str]) -> list[str]:
    """The texts of several streams at once."""
    texts, missing = dict.fromkeys(asked, ""), set(asked)
    while missing:
        frame = await client.receive()
        texts[frame["request_id"]] += frame["data"]["delta"]
        if frame["data"]["finish"]:
            missing.remove(frame["request_id"])
    return list(texts.values())


async def test_a_new_setup_changes_the_adapter(client: WireClient) -> None:
    """The model stays loaded, the task keeps its name."""
    pirate = await client.setup("llm", LLM_SETUP, max_token_len=30, lora="pirate")
    task = await client.setup("llm", LLM_SETUP, max_token_len=30)
    bare = await client.answer(task, QUESTION)

    changed = LLM_SETUP | {"max_token_len": 30, "lora": "pirate"}
    assert (await client.ask(work_id=task, action="setup", data=changed))["error"]["code"] == 0

    assert await client.answer(task, QUESTION) == await client.answer(pirate, QUESTION) != bare


async def test_an_adapter_of_another_model_is_refused_by_the_engine(client: WireClient, folder: Path) -> None:
    """In one sentence; a task that speaks goes on."""
    write_adapter(folder / "stranger.gguf", width=512)
    task = await client.setup("llm", LLM_SETUP, max_token_len=30, lora="pirate")
    before = await client.answer(task, QUESTION)

    asked = await client.infer(task, QUESTION)
    refused = await client.send(work_id="llm", action="setup", data=LLM_SETUP | {"lora": "stranger"})
    replies: dict[str, Any] = {}
    while len(replies) < 2:
        frame = await client.receive()
        if frame["request_id"] == refused or frame["data"]["finish"]:
            replies[frame["request_id"]] = frame

    assert replies[refused]["error"]["code"] == -5
    assert "stranger.gguf cannot be used with this model" in replies[refused]["error"]["message"]
    assert replies[asked]["error"]["code"] == 0
    assert await client.answer(task, QUESTION) == before


async def test_adapters_are_there_again_after_a_restart(tmp_path: Path, folder: Path) -> None:
    """By their names, as the client said them."""
    write_adapter(folder / "pirate.gguf")
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        task = await client.setup("llm", LLM_SETUP, max_token_len=30, lora="pirate")
        before = await client.answer(task, QUESTION)

    async with running_app(tmp_path) as app, tcp_client(app) as client:
        assert await client.answer(task, QUESTION) == before
