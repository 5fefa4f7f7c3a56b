"""Covers __main__ and cli.connection: what all commands have in common."""

from pathlib import Path

import pytest

from tests.support.command_line import PING, Finished, unitd
from unitd import __version__


@pytest.mark.parametrize(
    "command", ["", "serve", "chat", "send", "say", "listen", "chain", "tasks", "doctor", "token", "cert"]
)
async def test_help_is_there(command: str) -> None:
    """Every command explains itself on stdout."""
    done = await unitd(*command.split(), "--help")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: unitd {command}".rstrip())


async def test_version_is_the_packages() -> None:
    """One line."""
    assert await unitd("--version") == Finished(0, f"unitd {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["dance"], ["send"], ["serve", "--no-such-option"]], ids=" ".join)
async def test_wrong_arguments_are_told_on_stderr(arguments: list[str]) -> None:
    """Usage and exit code 2, nothing on stdout."""
    done = await unitd(*arguments)

    assert (done.code, done.out) == (2, "")
    assert "usage: unitd" in done.err


@pytest.mark.parametrize("command", [["send", PING], ["tasks"], ["chat", "hello"]], ids=lambda each: str(each[0]))
async def test_without_a_daemon_there_is_a_clear_message(tmp_path: Path, command: list[str]) -> None:
    """Exit code 1, the path that was tried, and how to start one."""
    done = await unitd(*command, "--socket", str(tmp_path / "nowhere.sock"))

    assert (done.code, done.out) == (1, "")
    assert "nowhere.sock" in done.err
    assert "unitd serve" in done.err
    assert "Traceback" not in done.err


async def test_bad_configuration_stops_a_client_too(tmp_path: Path) -> None:
    """The file that should name the socket is wrong: a sentence, exit code 1."""
    (tmp_path / "unitd.toml").write_text("[unix]\npaht = 'x'")

    done = await unitd("tasks", "--config", str(tmp_path / "unitd.toml"))

    assert done.code == 1
    assert "unix.paht" in done.err
