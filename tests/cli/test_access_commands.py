"""Covers cli.token and cli.cert: who may come in, as an administrator decides it."""

import asyncio
import ssl
from pathlib import Path

import orjson
import pytest

from tests.support.command_line import unitd, unitd_in_process
from tests.support.daemon import running_app, tcp_client
from tests.support.tokens import NO_TRUST, show
from unitd.core.access.tokens import dump_tokens


async def test_a_token_is_good_at_once_and_ends_at_once(tmp_path: Path) -> None:
    """The running daemon is told; the token alone is on stdout, for scripts."""
    async with running_app(tmp_path, NO_TRUST) as app, tcp_client(app) as client:
        place = ["--file", str(tmp_path / "tokens.json"), "--socket", app.endpoints["unix"]]

        made = await unitd("token", "new", "anna", "--role", "observe", "--expires", "90d", *place)
        reply = await show(client, made.out.strip())
        listed = await unitd("token", "list", *place)
        revoked = await unitd("token", "revoke", "anna", *place)

        assert made.code == 0 and "shown once" in made.err and "knows it" in made.err
        assert (reply["data"]["name"], reply["data"]["role"]) == ("anna", "observe")
        assert "anna" in listed.out and "observe" in listed.out and made.out.strip() not in listed.out
        assert revoked.code == 0
        assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == -8


async def test_without_a_daemon_the_file_is_written_all_the_same(tmp_path: Path) -> None:
    """Readable for its owner alone."""
    file = tmp_path / "state" / "tokens.json"
    place = ["--file", str(file), "--socket", str(tmp_path / "nowhere.sock")]

    made = await unitd_in_process("token", "new", "anna", "--tasks", "2", *place)

    kept = orjson.loads(await asyncio.to_thread(file.read_bytes))
    assert "it reads the file when it starts" in made.err
    assert kept["tokens"][0]["limits"]["tasks"] == 2
    assert (await asyncio.to_thread(file.stat)).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["new", "two words"], "a name has up to 64 letters"),
        (["new", "anna"], "there is a token 'anna' already"),
        (["new", "ben", "--expires", "soon"], "no time such as 12h"),
        (["new", "ben", "--role", "king"], "invalid choice"),
        (["revoke", "ben"], "there is no token 'ben'"),
    ],
    ids=" ".join,
)
async def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: list[str], words: str) -> None:
    """On stderr, with an exit code, and nothing is changed."""
    place = ["--file", str(tmp_path / "tokens.json"), "--socket", str(tmp_path / "nowhere.sock")]
    await unitd_in_process("token", "new", "anna", *place)
    before = await asyncio.to_thread((tmp_path / "tokens.json").read_bytes)

    done = await unitd_in_process("token", *arguments, *place)

    assert done.code and words in done.err and not done.out
    assert await asyncio.to_thread((tmp_path / "tokens.json").read_bytes) == before


async def test_a_damaged_file_of_tokens_is_left_alone(tmp_path: Path) -> None:
    """Named, and not replaced."""
    file = tmp_path / "tokens.json"
    file.write_text("[1, 2")

    done = await unitd_in_process(
        "token", "new", "anna", "--file", str(file), "--socket", str(tmp_path / "nowhere.sock")
    )

    assert done.code == 1 and "tokens.json: this is no file of tokens" in done.err
    assert file.read_text() == "[1, 2"


async def test_who_writes_at_the_same_time_waits(tmp_path: Path) -> None:
    """No token is lost, and none that was revoked comes back."""
    file = tmp_path / "tokens.json"
    place = ["--file", str(file), "--socket", str(tmp_path / "nowhere.sock")]
    await unitd("token", "new", "old", *place)
    commands = [["revoke", "old"], *(["new", name] for name in "abcd")]

    await asyncio.gather(*(unitd("token", *each, *place) for each in commands))

    kept = orjson.loads(await asyncio.to_thread(file.read_bytes))
    assert sorted(token["name"] for token in kept["tokens"]) == ["a", "b", "c", "d"]
    assert [each.name for each in tmp_path.iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("name", ["tokens.json", "tokens.new", "tokens.json.new"])
async def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    """The folder is the daemon's, and root may be who writes there."""
    target = tmp_path / "target"
    target.write_bytes(dump_tokens([]))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / name).symlink_to(target)

    place = ["--file", str(tmp_path / "state" / "tokens.json"), "--socket", str(tmp_path / "nowhere.sock")]
    made = await unitd_in_process("token", "new", "anna", *place)

    assert made.code == 0
    assert target.read_bytes() == dump_tokens([])


async def test_a_certificate_is_made_in_one_command(tmp_path: Path) -> None:
    """For the names that were asked for; its key is its owner's alone; another one needs --force."""
    made = await unitd_in_process("cert", "new", "--dir", str(tmp_path / "tls"), "--name", "board.local")
    again = await unitd_in_process("cert", "new", "--dir", str(tmp_path / "tls"))

    assert made.code == 0 and "board.local" in made.out and "tls_cert" in made.out
    assert again.code == 1 and "--force" in again.err
    assert (tmp_path / "tls" / "key.pem").stat().st_mode & 0o777 == 0o600
    ssl.create_default_context(cafile=str(tmp_path / "tls" / "cert.pem"))


async def test_doctor_says_what_is_open(tmp_path: Path, config: Path) -> None:
    """Doctor says that only this machine reaches the daemon, or names a door that others reach without a token."""
    local = await unitd("doctor", "--config", str(config))
    text = config.read_text().replace("[tcp]\n", '[auth]\nwithout_tls = ["tcp"]\n[tcp]\nhost = "0.0.0.0"\n')
    config.write_text(text)

    opened = await unitd("doctor", "--config", str(config))

    assert "access: only this machine" in local.out
    assert "access: tcp listens on 0.0.0.0 and there is no token yet: unitd token new NAME" in opened.out
