"""Covers cli.models, cli.screens: the models of a board by its command line, mostly without a daemon."""

import asyncio
import bz2
import gzip
import os
import pty
import re
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import gguf as ggml
import pytest

from tests.support.command_line import UNITD, Finished, start, unitd, unitd_in_process
from tests.support.daemon import running_app, tcp_client
from tests.support.models.model_files import gguf, packed
from tests.support.models.small_model import CONTENT, HALF, held_at_half, small_catalogue, small_hub
from tests.support.programs.bad_unit import bad_unit
from tests.support.servers.brokers import free_port
from tests.support.servers.local_hub import BLOCK, HubFile, LocalHub
from tests.support.setups import LLM_SETUP
from tests.support.waiting import eventually
from unitd.__main__ import main
from unitd.settings import find_program_folders

pytestmark = pytest.mark.timeout(60)

QWEN_SIZE = 491_400_032
QWEN_SHA256 = "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The folder for models."""
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
def options(tmp_path: Path, models: Path) -> tuple[str, ...]:
    """What leads a command to this folder."""
    file = tmp_path / "unitd.toml"
    file.write_text(f'[models]\ndir = ["{models}"]\n[unix]\npath = "{tmp_path}/unitd.sock"\n')
    return ("--config", str(file))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """Has the small model."""
    with small_hub(monkeypatch) as hub:
        yield hub


Run = Callable[..., Finished]


@pytest.fixture
def run(
    tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs `unitd models` with the small catalogue."""
    program_folders = replace(find_program_folders(), model_cards=small_catalogue(tmp_path))
    monkeypatch.setattr("unitd.cli.commands.models.find_program_folders", lambda: program_folders)

    def run(*arguments: str) -> Finished:
        with pytest.raises(SystemExit) as ended:
            main(["models", *arguments, *options])
        shown = capsys.readouterr()
        return Finished(int(ended.value.code or 0), shown.out, shown.err)

    return run


def table(finished: Finished) -> dict[str, list[str]]:
    """The rows of a list by their first column."""
    return {line.split("\t")[0]: line.split("\t")[1:] for line in finished.out.splitlines()}


# What there is


async def test_the_list_has_what_is_here_and_what_can_be_fetched(models: Path, options: tuple[str, ...]) -> None:
    """In a pipe one line for each model, the installed ones first; no daemon is needed."""
    (models / "mine.gguf").write_bytes(CONTENT)

    listed = await unitd_in_process("models", "list", *options)

    rows = table(listed)
    assert rows["name"] == ["unit", "size", "state", "fits", "good for"]
    assert rows["mine"][:4] == ["llm", "262 kB", "installed", "yes"]
    assert rows["unitd-chat"][2] == "bundled"
    assert rows["qwen2.5-0.5b"][1:3] == ["491 MB", "available"]
    assert list(rows).index("mine") < list(rows).index("qwen2.5-0.5b")


async def test_a_terminal_gets_a_table(options: tuple[str, ...]) -> None:
    """Without tabs."""
    ours, theirs = pty.openpty()

    environment = {"COLUMNS": "160", "TERM": "xterm", "PATH": "/usr/bin:/bin"}
    process = await asyncio.create_subprocess_exec(UNITD, "models", "list", *options, stdout=theirs, env=environment)
    await process.wait()
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)

    assert "unitd-chat" in shown
    assert "\t" not in shown


async def test_a_model_is_explained_under_any_of_its_names(options: tuple[str, ...]) -> None:
    """Licence, memory, where it comes from."""
    told = await unitd_in_process("models", "info", "qwen2.5-0.5B-prefill-20e", *options)

    assert told.code == 0
    assert "name:        qwen2.5-0.5b\n" in told.out
    assert "licence:     Apache-2.0\n" in told.out
    assert "weights 515" in told.out
    assert "Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q4_k_m.gguf@" in told.out


def test_what_is_too_large_says_what_it_needs(run: Run, tmp_path: Path) -> None:
    """The catalogue's size decides before anything is fetched."""
    small_catalogue(tmp_path, size=10**15)

    row = table(run("list"))["small"]

    assert row[3].startswith("no, needs 1,0")


@pytest.mark.parametrize("action", ["info", "pull", "rm", "verify"])
def test_an_unknown_name_is_a_failure(run: Run, action: str) -> None:
    """With a sentence and an exit code."""
    finished = run(action, "no-such-model")

    assert finished.code == 1
    assert "there is no model no-such-model" in finished.err


# From a name to a model


def test_a_pull_in_a_pipe_is_a_few_lines(run: Run, hub: LocalHub, models: Path) -> None:
    """How far it is, and where the model is in the end; then it is sound."""
    hub.cuts.append(100_000)  # the rest is asked for a while later: meanwhile it is told how much has come

    pulled = run("pull", "small-too")
    listed, verified = table(run("list")), run("verify", "small")

    assert pulled.code == 0
    assert re.search(r"^small: \d+ kB of 262 kB\b", pulled.out, re.MULTILINE)
    assert "small: not verified, for the catalogue has no hash: " in pulled.out
    assert pulled.out.endswith(f"small is installed in {models / 'small'}\n")
    assert listed["small"][2] == "installed"
    assert (verified.code, verified.out) == (0, "small: sound\n")


def test_a_second_pull_finds_it_there(run: Run, hub: LocalHub) -> None:
    """Nothing is fetched."""
    run("pull", "small")
    before = len(hub.seen)

    again = run("pull", "small")

    assert again.code == 0
    assert "is installed in" in again.out
    assert len(hub.gets("cdn")) == 1
    assert len(hub.seen) - before <= 2


def test_a_pull_that_fails_says_why(run: Run, hub: LocalHub) -> None:
    """Once, on stderr; the exit code is 1."""
    hub.files.clear()

    pulled = run("pull", "small")

    assert pulled.code == 1
    assert pulled.err.startswith("unitd: ")
    assert pulled.err.count("\n") == 1
    assert "me/model" in pulled.err


def test_what_came_with_unitd_is_not_pulled(run: Run) -> None:
    """And a card without an address cannot be."""
    assert run("pull", "unitd-chat").err == "unitd: unitd-chat came with unitd\n"
    assert run("pull", "elsewhere").err == "unitd: it is not known where the files of elsewhere are\n"


async def test_ctrl_c_ends_a_pull(options: tuple[str, ...], hub: LocalHub, models: Path) -> None:
    """The program that fetches ends as well; the part that has come is kept."""
    path = "Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q4_k_m.gguf"
    hub.files[path] = HubFile(bytes(QWEN_SIZE), says_etag=QWEN_SHA256)
    hub.holds_at = HALF
    process = await start("models", "pull", "qwen2.5-0.5b", *options, environment={"HF_ENDPOINT": hub.url})
    await held_at_half(hub)
    await eventually(lambda: came_in(models) >= HALF - BLOCK, timeout=20)

    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()

    assert process.returncode == 130
    assert err == b""
    assert came_in(models) >= HALF - BLOCK


def came_in(models: Path) -> int:
    """Bytes of the largest file that is on its way."""
    files = [each for each in (models / ".incoming").rglob("*") if each.is_file()]
    return max((each.stat().st_size for each in files), default=0)


async def test_a_terminal_gets_a_bar() -> None:
    """With the numbers for people beside it."""
    program = (
        "from unitd.cli.screens import ProgressScreen; from unitd.core.models.progress import Progress\n"
        "with ProgressScreen('qwen') as screen: screen.show(Progress('fetching', 'x', 120, 428, 12.0, 25.7))"
    )
    ours, theirs = pty.openpty()

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=theirs, env={"COLUMNS": "100", "TERM": "xterm"}
    )
    await process.wait()
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)

    assert "120 bytes of 428 bytes, 12 bytes/s, 26 s left" in shown
    assert "━" in shown


# What is here already


def test_a_file_is_imported_and_verified(run: Run, tmp_path: Path) -> None:
    """Under a name of its own; a byte that changes later is told."""
    (tmp_path / "weights.gguf").write_bytes(CONTENT)

    imported = run("import", str(tmp_path / "weights.gguf"), "--name", "mine")
    [file] = (tmp_path / "models" / "mine").glob("*.gguf")
    file.write_bytes(CONTENT[:-1] + b"!")
    verified = run("verify")

    assert imported.out.endswith(f"mine is installed in {tmp_path / 'models' / 'mine'}\n")
    assert table(run("list"))["mine"][2] == "installed"
    assert verified.code == 1
    assert verified.out.startswith(f"mine: {file.name} has changed")


def test_a_model_of_several_files_is_verified_too(run: Run, tmp_path: Path) -> None:
    """Ears and voices have no single file that an engine loads."""
    voice = tmp_path / "vits-piper-de"
    voice.mkdir()
    for name in ("model.onnx", "model.onnx.json", "tokens.txt"):
        (voice / name).write_bytes(b"{}")

    imported = run("import", str(voice), "--name", "voice")
    (tmp_path / "models" / "voice" / "tokens.txt").unlink()

    assert imported.code == 0
    assert run("verify").out == "voice: tokens.txt is missing\n"


def test_an_archive_gives_a_model_its_name(run: Run, tmp_path: Path) -> None:
    """Without what only says how it is packed."""
    archive = tmp_path / "mine-0.5b.tgz"
    archive.write_bytes(gzip.compress(bz2.decompress(packed(("x.gguf", CONTENT)))))

    imported = run("import", str(archive))

    assert imported.out.splitlines()[-1].startswith("mine-0.5b is installed in ")


def test_what_a_header_says_moves_no_cursor(run: Run, models: Path) -> None:
    """Control characters are shown, not sent: the file may be anybody's."""
    writer = ggml.GGUFWriter(str(models / "odd.gguf"), "llama")
    writer.add_name("\x1b[2J nothing here")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()

    assert table(run("list"))["odd"][-1] == "\\x1b[2J nothing here"
    assert "\x1b" not in run("info", "odd").out


def test_a_hostile_file_is_not_imported(run: Run, tmp_path: Path, models: Path) -> None:
    """A GGUF that claims 2^60 tensors."""
    (tmp_path / "bad.gguf").write_bytes(gguf(tensors=2**60))

    imported = run("import", str(tmp_path / "bad.gguf"))

    assert imported.code == 1
    assert imported.err.startswith("unitd: ")
    assert not (models / "bad").exists()


def test_without_models_there_is_nothing_to_verify(run: Run) -> None:
    """Models that came with unitd are not checked: the installer did that."""
    assert run("verify").out == "there is nothing to verify\n"


# The goodbye


def test_a_model_is_removed_without_a_daemon(run: Run, models: Path) -> None:
    """The folder is the truth."""
    (models / "tiny.gguf").touch()

    removed = run("rm", "tiny")

    assert (removed.code, removed.out) == (0, "tiny is removed\n")
    assert not (models / "tiny.gguf").exists()


async def test_what_had_come_of_a_pull_that_failed_is_removed(
    tmp_path: Path, models: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Says that the model was never installed, with a daemon and without, and leaves nothing behind."""
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    pulled = await unitd_in_process("models", "pull", "qwen2.5-0.5b", *options)
    alone = await unitd_in_process("models", "rm", "qwen2.5-0.5b", *options)
    async with running_app(tmp_path):
        await unitd_in_process("models", "pull", "qwen2.5-0.5b", *options)
        served = await unitd("models", "rm", "qwen2.5-0.5b", *options)
        again = await unitd("models", "rm", "qwen2.5-0.5b", *options)

    words = "qwen2.5-0.5b, which was not installed: what had come of it is removed\n"
    assert (pulled.code, alone.out, served.out) == (1, words, words)
    assert (again.code, again.err) == (1, "unitd: no model qwen2.5-0.5b is installed\n")


async def test_a_model_that_the_daemon_uses_stays(tmp_path: Path, models: Path, options: tuple[str, ...]) -> None:
    """It says so; when the task has ended, the model goes."""
    (models / "tiny.gguf").touch()
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        task = await client.setup("llm", LLM_SETUP, model="tiny")
        refused = await unitd("models", "rm", "tiny", *options)
        await client.ask(work_id=task, action="exit")
        removed = await unitd("models", "rm", "tiny", *options)

    assert (refused.code, removed.code) == (1, 0)
    assert "the model tiny is in use" in refused.err
    await eventually(lambda: not (models / "tiny.gguf").exists())
