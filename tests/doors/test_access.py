"""Covers access, tokens and streams: who comes in by TCP, what a token may do, and whose tasks are whose."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.tokens import NO_TRUST, asking_app, client_with, keep_tokens, show, write_tokens
from tests.support.waiting import MS
from unitd.core.access.grants import Limits, Role
from unitd.doors.stream import door
from unitd.runtime.sys import access

TWO = {"anna": Role.USE, "ben": Role.USE}
ALLOWED, NOT_ALLOWED, NO_TASK, UNAVAILABLE, TASK_FULL = 0, -8, -6, -10, -21


async def code_of(client: WireClient, work_id: str, action: str, data: Any = "None", object_: str = "None") -> int:
    """The code of the answer to a request."""
    reply = await client.ask(work_id=work_id, action=action, data=data, object=object_)
    return int(reply["error"]["code"])


# Coming in


async def test_programs_on_this_machine_need_no_token(tmp_path: Path) -> None:
    """Loopback, unless the configuration says otherwise."""
    write_tokens(tmp_path, TWO)
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        assert await code_of(client, "sys", "lstask") == ALLOWED


async def test_a_stranger_is_told_to_show_a_token_and_nothing_else(tmp_path: Path) -> None:
    """Not even a ping is answered, nor whether a task is there."""
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        for work_id, action in (("sys", "ping"), ("llm", "setup"), ("llm.1000", "exit"), ("nothing", "setup")):
            assert await code_of(client, work_id, action) == NOT_ALLOWED


async def test_a_token_opens_the_connection_that_shows_it(tmp_path: Path) -> None:
    """And no other; the answer says whose it is."""
    tokens = write_tokens(tmp_path, TWO)
    async with asking_app(tmp_path) as app, tcp_client(app) as client, tcp_client(app) as other:
        reply = await show(client, tokens["anna"])

        assert reply["data"] == {"name": "anna", "role": "use", "expires": None}
        assert await code_of(client, "sys", "ping") == ALLOWED
        assert await code_of(other, "sys", "ping") == NOT_ALLOWED


@pytest.mark.parametrize("role", Role)
async def test_a_client_may_ask_who_it_is(tmp_path: Path, role: Role) -> None:
    """Whatever its role; so it does not have to try what it may do."""
    token = write_tokens(tmp_path, {"anna": role})["anna"]
    async with asking_app(tmp_path) as app, client_with(app, token) as client:
        reply = await client.ask(work_id="sys", action="whoami")

    assert (reply["object"], reply["data"]) == ("sys.whoami", {"name": "anna", "role": role.value, "expires": None})


async def test_who_needs_no_token_is_an_administrator(tmp_path: Path) -> None:
    """Without a name."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        reply = await client.ask(work_id="sys", action="whoami")

    assert reply["data"] == {"name": "", "role": "admin", "expires": None}


async def test_auth_and_what_follows_may_come_in_one_packet(tmp_path: Path) -> None:
    """Requests keep their order."""
    token = write_tokens(tmp_path, TWO)["anna"]
    auth = b'{"request_id":"1","work_id":"sys","action":"auth","data":{"token":"%s"}}' % token.encode()
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        await client.send_bytes(auth + b'{"request_id":"2","work_id":"sys","action":"ping"}')

        assert [(await client.receive())["error"]["code"] for _ in range(2)] == [ALLOWED, ALLOWED]


@pytest.mark.parametrize("data", ["None", {}, {"token": 1}, {"token": None}, []])
async def test_auth_without_a_token_is_a_bad_field(tmp_path: Path, data: object) -> None:
    """And no failed try."""
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        assert await code_of(client, "sys", "auth", data) == -2


@pytest.mark.parametrize("change", ["", "x", "unitd_", "unitd_00000000_", "cut", "other id", "\N{SNOWMAN}"])
async def test_a_wrong_token_is_refused(tmp_path: Path, change: str) -> None:
    """Cut, guessed, or of another name."""
    tokens = write_tokens(tmp_path, TWO)
    wrong = {"cut": tokens["anna"][:-1], "other id": tokens["anna"][:14] + tokens["ben"][14:]}.get(change, change)
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        assert (await show(client, wrong))["error"]["code"] == NOT_ALLOWED
        assert await code_of(client, "sys", "ping") == NOT_ALLOWED


async def test_guessing_becomes_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some tries an address has to wait, with the key that might be guessed too; the tries are counted.

    A token cannot be guessed: it opens at once, and its holder cannot win more tries at the key by it.
    """
    monkeypatch.setattr(access, "FIRST_WAIT_SECONDS", 100 * MS)
    token = write_tokens(tmp_path, TWO)["anna"]
    async with asking_app(tmp_path, http={"enabled": False, "api_key": "k"}) as app, tcp_client(app) as client:
        codes = [(await show(client, f"unitd_guess_{number}"))["error"]["code"] for number in range(8)]

        assert codes == [NOT_ALLOWED] * access.FREE_TRIES + [UNAVAILABLE] * 3
        answers = [(await show(client, each))["error"]["code"] for each in (token, "k", "guess")]
        assert answers == [ALLOWED, UNAVAILABLE, UNAVAILABLE]
        assert app.metrics.refused_tokens == access.FREE_TRIES
        async with asyncio.timeout(5):
            while (await show(client, "k"))["error"]["code"]:
                await asyncio.sleep(0.001)


async def test_who_shows_no_token_is_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Strangers shall not keep others out."""
    monkeypatch.setattr(door, "STRANGER_SECONDS", 50 * MS)
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        with pytest.raises(EOFError):
            await client.receive()
    assert "has shown no token" in caplog.text


async def test_a_stranger_may_send_little_at_a_time(tmp_path: Path) -> None:
    """Memory is for those who are known."""
    token = write_tokens(tmp_path, TWO)["anna"]
    long_text = "x" * 10_000
    async with asking_app(tmp_path) as app, tcp_client(app) as client:
        await client.send(work_id="sys", action="ping", data=long_text)
        assert (await client.receive())["error"]["code"] == -2
        await show(client, token)

        assert await code_of(client, "sys", "ping", long_text) == ALLOWED


async def test_a_door_without_tokens_asks_nobody(tmp_path: Path) -> None:
    """As the original does; said in the configuration."""
    open_door = {"trust_loopback": False, "without_token": ["tcp"]}
    async with running_app(tmp_path, {"auth": open_door}) as app, tcp_client(app) as client:
        assert await code_of(client, "sys", "lstask") == ALLOWED


# What a token may do


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (
            Role.OBSERVE,
            {"ping": 0, "lstask": 0, "lstools": 0, "hwinfo": 0, "setup": -8, "reset": -8, "push": -8, "rmmode": -8},
        ),
        (Role.USE, {"ping": 0, "lstask": 0, "hwinfo": 0, "setup": 0, "reset": 0, "push": -8, "rmmode": -8}),
        (Role.ADMIN, {"ping": 0, "lstask": 0, "hwinfo": 0, "setup": 0, "reset": 0, "push": 0, "rmmode": -17}),
    ],
)
async def test_a_role_allows_what_it_is_for(tmp_path: Path, role: Role, expected: dict[str, int]) -> None:
    """Seeing; using; everything."""
    token = write_tokens(tmp_path, {"anna": role})["anna"]
    requests: dict[str, dict[str, Any]] = {
        "setup": {"work_id": "llm", "data": LLM_SETUP},
        "push": {"object": "sys.file./x", "data": "x"},
        "rmmode": {"data": "no such model"},
    }
    async with asking_app(tmp_path) as app, client_with(app, token) as client:
        codes = {}
        for action in expected:
            reply = await client.ask(**{"work_id": "sys", "action": action} | requests.get(action, {}))
            codes[action] = reply["error"]["code"]
    assert codes == expected


async def test_a_token_sees_and_touches_only_its_own_tasks(tmp_path: Path) -> None:
    """For another one they are not there, in no list and under no action."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
    ):
        hers = await anna.setup("llm", LLM_SETUP)
        his = await ben.setup("llm", LLM_SETUP)

        for action in ("pause", "work", "cancel", "exit", "taskinfo", "link", "unlink", "warm"):
            assert await code_of(ben, hers, action, "kws.1000") == NO_TASK, action
        listed = await ben.ask(work_id="sys", action="lstask")
        assert [task["work_id"] for task in listed["data"]] == [his]
        assert (await ben.ask(work_id="llm", action="taskinfo"))["data"] == [his]
        assert await anna.answer(hers, "Hello!")


@pytest.mark.parametrize("action", ["inference", "exit", "setup", "taskinfo", "link", "warm", "no such action"])
async def test_another_one_s_task_cannot_be_told_from_none(tmp_path: Path, action: str) -> None:
    """The answers are the same but for the work_id."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
    ):
        hers = await anna.setup("llm", LLM_SETUP)
        data = LLM_SETUP if action == "setup" else "hello"

        answers = [await ben.ask(work_id=each, action=action, data=data) for each in (hers, "llm.9999")]

    assert answers[0]["error"]["code"]
    assert answers[0]["error"] == {
        "code": answers[1]["error"]["code"],
        "message": answers[1]["error"]["message"].replace("llm.9999", hers),
    }


async def test_another_one_s_source_cannot_be_told_from_none(tmp_path: Path) -> None:
    """A link to another token's task is refused like one to no task."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
    ):
        hers = await anna.setup("kws", KWS_SETUP, input="kws.base64")
        his = await ben.setup("llm", LLM_SETUP)

        answers = [await ben.ask(work_id=his, action="link", data=each) for each in (hers, "kws.9999")]

    messages = [each["error"]["message"].replace("kws.9999", hers) for each in answers]
    assert messages[0] == messages[1]


async def test_nobody_listens_to_another_one_s_task(tmp_path: Path) -> None:
    """Neither by a link nor by the input of a setup: its wakes and answers stay its own."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
    ):
        ears = await anna.setup("kws", KWS_SETUP, input="kws.base64")
        his = await ben.setup("llm", LLM_SETUP, input=["llm.utf-8", ears])

        assert await code_of(ben, his, "link", ears) == -20
        assert (await ben.ask(work_id=his, action="taskinfo"))["data"]["inputs_"] == ["llm.utf-8"]


async def test_a_reset_ends_one_s_own_tasks(tmp_path: Path) -> None:
    """Clients of the original begin with one; others do not notice."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
    ):
        hers = await anna.setup("llm", LLM_SETUP)
        await ben.setup("llm", LLM_SETUP)

        await ben.send(work_id="sys", action="reset", request_id="r")
        assert [(await ben.receive())["request_id"] for _ in range(2)] == ["r", "0"]

        assert (await ben.ask(work_id="sys", action="lstask"))["data"] == []
        assert await anna.answer(hers, "Hello!")


async def test_an_administrator_sees_everything(tmp_path: Path) -> None:
    """And may end it."""
    tokens = write_tokens(tmp_path, {"anna": Role.USE, "root": Role.ADMIN})
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["root"]) as root,
    ):
        hers = await anna.setup("llm", LLM_SETUP)

        assert await code_of(root, hers, "exit") == ALLOWED
        assert await code_of(anna, hers, "pause") == NO_TASK


async def test_tasks_belong_to_their_token_after_a_restart(tmp_path: Path) -> None:
    """The journal knows whose they are."""
    tokens = write_tokens(tmp_path, TWO)
    async with asking_app(tmp_path) as app, client_with(app, tokens["anna"]) as anna:
        hers = await anna.setup("llm", LLM_SETUP)

    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
    ):
        assert await code_of(ben, hers, "taskinfo") == NO_TASK
        assert await anna.answer(hers, "Hello!")


# Limits and ends


async def test_limits_of_a_token_hold_over_all_its_connections(tmp_path: Path) -> None:
    """Tasks, requests a minute, connections, and the size of a frame."""
    limits = Limits(requests_per_minute=8, connections=2, tasks=1, frame_bytes=2048)
    token = write_tokens(tmp_path, {"anna": Role.USE}, limits)["anna"]
    async with asking_app(tmp_path) as app, client_with(app, token) as one, client_with(app, token) as two:
        await one.setup("llm", LLM_SETUP)
        async with tcp_client(app) as three:
            assert (await show(three, token))["error"]["code"] == UNAVAILABLE

        assert await code_of(two, "llm", "setup", LLM_SETUP) == TASK_FULL
        await two.send(work_id="sys", action="ping", data="x" * 3000)
        assert (await two.receive())["error"]["code"] == -2
        codes = [await code_of(one, "sys", "ping") for _ in range(8)]
        assert codes == [ALLOWED] * 6 + [UNAVAILABLE] * 2


async def test_two_connections_at_once_make_no_task_too_many(tmp_path: Path) -> None:
    """Where room has to be made first, one of them has to wait for it."""
    token = write_tokens(tmp_path, {"anna": Role.USE}, Limits(tasks=1))["anna"]
    async with asking_app(tmp_path, limits={"tasks": 2}) as app:
        left = WireClient(*await asyncio.open_unix_connection(app.endpoints["unix"]))
        for _ in range(2):
            await left.setup("llm", LLM_SETUP)
        await left.close()

        async with client_with(app, token) as one, client_with(app, token) as two:
            codes = await asyncio.gather(*(code_of(each, "llm", "setup", LLM_SETUP) for each in (one, two)))

            assert sorted(codes) == [TASK_FULL, ALLOWED]


async def test_a_connection_that_ends_makes_room(tmp_path: Path) -> None:
    """The next connection of the same token is accepted."""
    token = write_tokens(tmp_path, {"anna": Role.USE}, Limits(connections=1))["anna"]
    async with asking_app(tmp_path) as app:
        async with client_with(app, token):
            pass

        async with asyncio.timeout(5), tcp_client(app) as client:
            while (await show(client, token))["error"]["code"] != ALLOWED:
                await asyncio.sleep(0.001)
            assert await code_of(client, "sys", "ping") == ALLOWED


async def test_a_token_is_over_in_the_middle_of_a_connection(tmp_path: Path) -> None:
    """When its time comes."""
    over_at = int(time.time()) + 1
    token = write_tokens(tmp_path, {"anna": Role.USE}, expires=over_at)["anna"]
    async with asking_app(tmp_path) as app, client_with(app, token) as client:
        async with asyncio.timeout(5):
            while await code_of(client, "sys", "ping") == ALLOWED:
                await asyncio.sleep(0.01)

        assert time.time() >= over_at
        assert (await show(client, token))["error"]["code"] == NOT_ALLOWED


async def test_a_revoked_token_ends_at_the_reload(tmp_path: Path) -> None:
    """`sys.reload`, which an administrator may ask for, reads the tokens again."""
    tokens = write_tokens(tmp_path, TWO)
    async with asking_app(tmp_path) as app, client_with(app, tokens["anna"]) as anna:
        assert await code_of(anna, "sys", "reload") == NOT_ALLOWED
        await asyncio.to_thread(keep_tokens, tmp_path, [])

        await app.reload()

        assert await code_of(anna, "sys", "ping") == NOT_ALLOWED


async def test_a_damaged_file_of_tokens_changes_nothing_at_a_reload(tmp_path: Path) -> None:
    """It is told; who was in stays in."""
    token = write_tokens(tmp_path, {"root": Role.ADMIN})["root"]
    async with asking_app(tmp_path) as app, client_with(app, token) as root:
        await asyncio.to_thread((tmp_path / "tokens.json").write_text, "{}")

        reply = await root.ask(work_id="sys", action="reload")

        assert reply["error"]["code"] == UNAVAILABLE
        assert "tokens.json: this is no file of tokens" in reply["error"]["message"]
        assert await code_of(root, "sys", "ping") == ALLOWED


async def test_secrets_are_neither_kept_nor_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The file holds a hash; the log, at its usual level, no part of what was shown."""
    token = write_tokens(tmp_path, TWO)["anna"]
    secret = token.split("_", 2)[2]  # which may hold underscores of its own
    async with asking_app(tmp_path) as app, client_with(app, token):
        pass
    kept = await asyncio.to_thread((tmp_path / "tokens.json").read_text)

    assert secret not in kept
    assert secret not in caplog.text


async def test_trust_in_this_machine_can_be_given_back(tmp_path: Path) -> None:
    """The Unix socket is still trusted: who may open it is decided by its file's mode."""
    async with running_app(tmp_path, NO_TRUST) as app:
        client = WireClient(*await asyncio.open_unix_connection(app.endpoints["unix"]))
        assert await code_of(client, "sys", "ping") == ALLOWED
        await client.close()
