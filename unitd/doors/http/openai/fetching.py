"""Images that a request names by their address on the web, fetched for the model.

A client must not reach through the daemon what only the daemon can reach. So a host is resolved once, each of its
addresses must be a public one, and the connection is made to the address that was checked; the same holds for each
redirection. No proxy, no cookies, no credentials; limits of size and of time for all images of a request together.
"""

import asyncio
import logging
import socket
import ssl
from ipaddress import IPv6Address, ip_address

import httpx

from unitd.wire.errors import RunFailed
from unitd.wire.pictures import MAX_PICTURE_BYTES

log = logging.getLogger("unitd.doors")

PATIENCE_SECONDS = 15.0
MAX_REDIRECTIONS = 3
# Requests that fetch at the same time; each may hold MAX_PICTURE_BYTES.
AT_ONCE = 4

# A connection that is used again would be one to the host that was checked before.
_NO_REUSE = httpx.Limits(max_keepalive_connections=0)
_HEADERS = {"User-Agent": "unitd", "Accept": "image/*", "Accept-Encoding": "identity"}
_MIB = 1024 * 1024


class _Failure(Exception):
    """An image that is not fetched; the words say why."""


class ImageFetcher:
    """Fetches the images of requests."""

    def __init__(self) -> None:
        self._lanes = asyncio.Semaphore(AT_ONCE)
        self._tls: ssl.SSLContext | None = None

    async def fetch(self, addresses: dict[str, str]) -> dict[str, bytes]:
        """Return the files at these addresses, each by its place in the request.

        Raises:
            RunFailed: one of them cannot be fetched, or they are too large together.
        """
        files: dict[str, bytes] = {}
        place = ""
        try:
            async with self._lanes, asyncio.timeout(PATIENCE_SECONDS):
                if self._tls is None:
                    self._tls = await asyncio.to_thread(httpx.create_ssl_context)
                for place, address in addresses.items():
                    room = MAX_PICTURE_BYTES - sum(map(len, files.values()))
                    files[place] = await _fetch(address, room, self._tls)
        except TimeoutError as error:
            raise RunFailed(f"{place} was not fetched within {PATIENCE_SECONDS:g} s") from error
        except (_Failure, httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
            log.debug("= an image was not fetched: %r", error)
            raise RunFailed(f"{place} {_words_of(error)}") from error
        return files


def is_public(address: str) -> bool:
    """Return False for addresses of this machine, of local networks, of groups, and for those that hide one."""
    ip = ip_address(address.partition("%")[0])
    hidden = (ip.ipv4_mapped or ip.sixtofour) if isinstance(ip, IPv6Address) else None
    ip = hidden or ip
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback)


async def _fetch(address: str, room: int, tls: ssl.SSLContext) -> bytes:
    url = httpx.URL(address)
    client = httpx.AsyncClient(
        verify=tls, trust_env=False, timeout=PATIENCE_SECONDS, headers=_HEADERS, limits=_NO_REUSE
    )
    async with client:
        for _ in range(MAX_REDIRECTIONS + 1):
            request = await _request_to(client, url)
            response = await client.send(request, stream=True)
            try:
                if not response.has_redirect_location:
                    return await _body_of(response, room)
            finally:
                await response.aclose()
            client.cookies.clear()
            url = url.join(response.headers["location"])
    raise _Failure(f"leads on more than {MAX_REDIRECTIONS} times")


async def _request_to(client: httpx.AsyncClient, url: httpx.URL) -> httpx.Request:
    """Return a request to a checked address of the host; the host's name is in the header and the handshake."""
    port = url.port or (443 if url.scheme == "https" else 80)
    if url.scheme not in ("http", "https") or not url.host or port > 65535:
        raise _Failure("leads to something else than http and https")
    name = url.raw_host.decode("ascii").strip("[]")
    address = await _address_of(name, port)
    checked = url.copy_with(host=address, userinfo=b"", fragment=None)
    headers = {"Host": url.netloc.decode("ascii")}
    return client.build_request("GET", checked, headers=headers, extensions={"sni_hostname": name})


async def _address_of(name: str, port: int) -> str:
    """Resolve a name, once. Return the first of its addresses; raise _Failure when one of them is not public."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _Failure(f"cannot be fetched: there is no host {name}") from error
    addresses = [str(row[4][0]) for row in found]
    if not all(is_public(address) for address in addresses):
        raise _Failure(f"is not fetched: {name} is not on the public Internet")
    return addresses[0]


async def _body_of(response: httpx.Response, room: int) -> bytes:
    if response.status_code != httpx.codes.OK:
        raise _Failure(f"cannot be fetched: the server answers {response.status_code}")
    if response.headers.get("content-encoding", "identity") != "identity":
        raise _Failure("cannot be fetched: the server compresses it")
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > room:
            raise _Failure(f"is too large: {MAX_PICTURE_BYTES // _MIB} MiB are the most for all images of a request")
    return bytes(body)


def _words_of(error: Exception) -> str:
    return str(error) if isinstance(error, _Failure) else "cannot be fetched: the server cannot be reached"
