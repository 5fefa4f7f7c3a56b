"""Covers unitd.runtime.sys.access with addresses of other machines, which no test can come from."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.fake_client import FakeClient
from unitd.core.access.grants import TRUSTED, Limits, Role
from unitd.core.access.tokens import TokenBook, dump_tokens, issue
from unitd.core.config.loader import read_settings
from unitd.core.tasks.kinds import BUILTIN_KINDS
from unitd.core.tasks.table import Task, TaskTable
from unitd.doors.mqtt.publish_queue import PublishQueue
from unitd.doors.mqtt.requests import Sender
from unitd.runtime.dispatcher import Call
from unitd.runtime.metrics import Metrics
from unitd.runtime.sys import access as access_module
from unitd.runtime.sys.access import Access, AccessActions
from unitd.wire.errors import NotAllowed, TaskFull, Unavailable
from unitd.wire.messages import Request

PING = Request("1", "sys", "ping")
AddressLimits = Callable[..., Access]


def an_access(task_table: TaskTable | None = None, **limits: int) -> Access:
    """A doorkeeper of open doors, with these limits for an address."""
    document: dict[str, Any] = {"limits": {"address": limits}, "auth": {"without_token": ["tcp"]}}
    return Access(read_settings(document), task_table or TaskTable(8), Metrics(), lambda: 0.0)


def a_client(access: Access, address: str) -> FakeClient:
    """One that has just connected from there."""
    return FakeClient(address=address, grant=access.grant_at("tcp", address))


def test_requests_of_an_address_are_counted_over_all_its_connections() -> None:
    """Other addresses go on; so does this machine."""
    access = an_access(requests_per_minute=3)
    one, two = a_client(access, "192.0.2.7"), a_client(access, "192.0.2.7")
    for client in (one, two, one):
        access.check(client, PING)

    with pytest.raises(Unavailable, match="3 requests a minute"):
        access.check(two, PING)

    access.check(a_client(access, "192.0.2.8"), PING)
    for _ in range(10):
        access.check(a_client(access, "127.0.0.1"), PING)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
    ],
)
def test_who_has_a_whole_network_counts_as_one(one: str, other: str, is_one: bool) -> None:
    """An IPv6 customer has 2^64 addresses."""
    access = an_access(requests_per_minute=1)
    access.check(a_client(access, one), PING)

    if is_one:
        with pytest.raises(Unavailable):
            access.check(a_client(access, other), PING)
    else:
        access.check(a_client(access, other), PING)


def test_connections_of_an_address_are_limited() -> None:
    """Connections from this machine are not limited."""
    access = an_access(connections=2)

    assert access.may_connect("192.0.2.7", 1)
    assert not access.may_connect("192.0.2.7", 2)
    assert access.may_connect("127.0.0.1", 1000)


def test_tasks_of_an_address_are_limited() -> None:
    """The tasks of all clients of an address are counted together."""
    task_table = TaskTable(8)
    access = an_access(task_table, tasks=1)
    client = a_client(access, "192.0.2.7")
    access.check_room(client)
    task_table.add(Task("llm.1", BUILTIN_KINDS["llm"], "", "", True, [], {}, "1", client, 0))

    with pytest.raises(TaskFull, match=r"192\.0\.2\.7"):
        access.check_room(a_client(access, "192.0.2.7"))
    with pytest.raises(TaskFull):
        access.check_room(a_client(access, "::ffff:192.0.2.7"))
    access.check_room(a_client(access, "192.0.2.8"))


def test_guesses_from_many_addresses_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that tried longest ago are forgotten."""
    monkeypatch.setattr(access_module, "REMEMBERED", 100)
    access = an_access()
    for number in range(1000):
        with pytest.raises(NotAllowed):
            access.admit("guess", f"10.0.{number // 256}.{number % 256}")

    assert len(access._failures) == 100  # the one place to look


@pytest.mark.parametrize(
    ("door", "address", "is_trusted"),
    [
        ("unix", "", True),
        ("tcp", "127.0.0.1", True),
        ("tcp", "::ffff:127.0.0.1", True),
        ("http", "::1", True),
        ("http", "", False),
        ("http", "::ffff:192.0.2.7", False),
    ],
)
def test_this_machine_is_known_by_its_addresses(door: str, address: str, is_trusted: bool) -> None:
    """Also behind a socket for both kinds. Who has none came by the Unix socket, or has left already."""
    access = Access(read_settings({}), TaskTable(8), Metrics(), lambda: 0.0)

    assert (access.grant_at(door, address) is TRUSTED) == is_trusted


async def test_a_message_of_a_broker_takes_no_connection(tmp_path: Path) -> None:
    """It is over with its answer, whatever token it shows."""
    token, text = issue("anna", Role.USE, 0, None, Limits(connections=1))
    (tmp_path / "tokens.json").write_bytes(dump_tokens([token]))
    settings = read_settings({"state": {"dir": str(tmp_path)}})
    access = Access(settings, TaskTable(8), Metrics(), lambda: 0.0)
    await access.load(settings)
    auth = Request("1", "sys", "auth", data={"token": text})
    actions = AccessActions(access, lambda _: None)

    for _ in range(3):
        actions.handlers["auth"](Call(Sender("mqtt 1", "mqtt", lambda reply: None, PublishQueue().wait_for_room), auth))
    access.enter(token.grant)

    with pytest.raises(Unavailable):
        access.enter(token.grant)


def test_an_empty_key_lets_nobody_in() -> None:
    """Neither as a token nor by being equal to no key."""
    book = TokenBook([], "")

    assert [book.find(text, 0.0) for text in ("", "unitd__", "unitd_a_b")] == [None] * 3
    assert TokenBook([], "k").find("k", 0.0) is not None


def test_trust_is_not_a_matter_of_equality() -> None:
    """A grant that looks like the trusted one is looked at like any other."""
    access = an_access()
    client = FakeClient(address="192.0.2.7", grant=replace(TRUSTED, role=Role.OBSERVE))

    with pytest.raises(NotAllowed):
        access.check(client, Request("1", "sys", "reset"))


def test_the_own_task_makes_room_before_another_one_s() -> None:
    """Who sets up many tasks and leaves them, loses its own."""
    task_table = TaskTable(2)
    access = an_access(task_table)
    for number, holder in enumerate(("anna", "ben")):
        task = Task(f"llm.{number}", BUILTIN_KINDS["llm"], "", "", True, [], {}, "1", a_client(access, ""), 0)
        task.grant_name, task.abandoned_at, task.owner = holder, float(number), FakeClient(is_gone=True)
        task_table.add(task)

    victims = [task_table.victim(holder) for holder in ("anna", "ben", "")]

    assert [victim and victim.work_id for victim in victims] == ["llm.0", "llm.1", "llm.0"]
