"""Covers openai.fetching of unitd.doors.http: images on the web, and addresses that are not."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.servers.web_site import RED, Site, web_site
from unitd.doors.http.openai import fetching
from unitd.doors.http.openai.fetching import ImageFetcher, is_public
from unitd.wire.errors import RunFailed

PLACE = "messages[0].content[0]"


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server on this machine."""
    with web_site() as made:
        yield made


@pytest.fixture
def open_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine count as a public one: tests have no other."""
    monkeypatch.setattr(fetching, "is_public", lambda address: True)


async def fetched(address: str) -> bytes:
    """The image at an address."""
    return (await ImageFetcher().fetch({PLACE: address}))[PLACE]


async def refusal(address: str) -> str:
    """Why there is none."""
    with pytest.raises(RunFailed) as raised:
        await fetched(address)
    assert raised.value.reason.startswith(f"{PLACE} ")
    return raised.value.reason.removeprefix(f"{PLACE} ")


# Where it may go


async def test_an_image_is_fetched(site: Site, open_world: None) -> None:
    """The file as it is; the server is asked by its name."""
    port = site.port

    assert await fetched(f"http://localhost:{port}/red.png") == RED
    assert site.hosts == [f"localhost:{port}"]


async def test_a_redirection_is_followed(site: Site, open_world: None) -> None:
    """A few of them."""
    here = f"http://127.0.0.1:{site.port}"

    assert await fetched(f"{here}/to//to//red.png") == RED
    assert await refusal(f"{here}/endless") == "leads on more than 3 times"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "239.255.255.250", "255.255.255.255", "192.0.2.1", "::", "::1", "fe80::1", "fe80::1%eth0",
        "fc00::1", "ff02::1", "ff0e::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "2002:7f00:1::",
        "64:ff9b::7f00:1", "2001:0:1::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    """This machine, local networks, the clouds' own services, groups, and those that hide one of them."""
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8"])
def test_addresses_that_are_public(address: str) -> None:
    """All others."""
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "[::1]", "0.0.0.0"])
async def test_this_machine_is_not_asked(site: Site, host: str) -> None:
    """However its address is written."""
    words = await refusal(f"http://{host}:{site.port}/red.png")

    assert words.endswith("is not on the public Internet") or "there is no host" in words
    assert site.hosts == []


async def test_a_redirection_to_this_machine_is_not_followed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host that leads there is a public one."""
    resolve = asyncio.get_running_loop().getaddrinfo

    async def public_by_name(name: str, port: int, **more: Any) -> list[Any]:
        return await resolve("127.0.0.1" if name == "public.example" else name, port, **more)

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", public_by_name)
    allowed = iter([True, False])
    monkeypatch.setattr(fetching, "is_public", lambda address: next(allowed))
    port = site.port

    words = await refusal(f"http://public.example:{port}/to/http://127.0.0.1:{port}/red.png")

    assert words == "is not fetched: 127.0.0.1 is not on the public Internet"
    assert site.hosts == [f"public.example:{port}"]


async def test_a_name_that_changes_its_address_changes_nothing(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Show that a host name is resolved once: the connection goes to the address that was checked."""
    asked: list[str] = []

    async def rebinding(name: str, port: int, **more: Any) -> list[Any]:
        asked.append(name)
        address = "127.0.0.1" if len(asked) == 1 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", rebinding)
    checked: list[str] = []

    def noted(address: str) -> bool:
        checked.append(address)
        return True

    monkeypatch.setattr(fetching, "is_public", noted)

    assert await fetched(f"http://rebinding.example:{site.port}/red.png") == RED
    assert checked == ["127.0.0.1"]
    assert [name for name in asked if name == "rebinding.example"] == ["rebinding.example"]


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://x"])
async def test_a_redirection_to_another_protocol_is_not_followed(site: Site, open_world: None, target: str) -> None:
    """Only the web."""
    assert await refusal(f"http://127.0.0.1:{site.port}/to/{target}") == "leads to something else than http and https"


# How much it may take


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing", "cannot be fetched: the server answers 404"),
        ("large", "is too large: 24 MiB are the most for all images of a request"),
        ("packed", "cannot be fetched: the server compresses it"),
    ],
)
async def test_an_answer_that_is_no_use_is_told(site: Site, open_world: None, path: str, words: str) -> None:
    """Without reading it to its end."""
    assert await refusal(f"http://127.0.0.1:{site.port}/{path}") == words


async def test_a_server_that_takes_its_time_is_given_up(
    site: Site, open_world: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All images of a request together have so long."""
    monkeypatch.setattr(fetching, "PATIENCE_SECONDS", 0.3)

    assert await refusal(f"http://127.0.0.1:{site.port}/slow") == "was not fetched within 0.3 s"


async def test_a_server_that_is_not_there_is_told(open_world: None) -> None:
    """A closed port, an unknown name, and what is no address."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    assert await refusal(f"http://127.0.0.1:{port}/") == "cannot be fetched: the server cannot be reached"
    assert await refusal("http://no-such-host.invalid/") == "cannot be fetched: there is no host no-such-host.invalid"
    assert await refusal("http:///red.png") == "leads to something else than http and https"
    assert await refusal("http://127.0.0.1:99999/") == "leads to something else than http and https"
