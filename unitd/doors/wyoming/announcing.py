"""The announcement of the door in the local network: `_wyoming._tcp` by multicast DNS."""

import asyncio
import logging
import secrets
import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from ipaddress import ip_address

log = logging.getLogger("unitd.wyoming")

CHECK_SECONDS = 15.0
"""A board that starts together with its router, or gets another address, is announced at most so much later."""


async def announce(node: str, listeners: Sequence[socket.socket]) -> None:
    """Announce the door until cancelled, anew when the board's addresses change; do nothing for loopback addresses."""
    if all(ip_address(each.getsockname()[0]).is_loopback for each in listeners):
        await asyncio.Event().wait()
    from zeroconf import Error

    failure = ""
    while True:
        try:
            async with AsyncExitStack() as stack:
                addresses = await asyncio.to_thread(_addresses_of, listeners)
                if addresses:
                    await _register(stack, node, listeners, addresses)
                failure = ""
                await _changed(addresses, listeners)
        except (OSError, RuntimeError, Error) as error:  # RuntimeError: there is no interface
            if str(error) != failure:
                log.warning("not announced: %s", error)
            failure = str(error)
            await asyncio.sleep(CHECK_SECONDS)


async def _register(
    stack: AsyncExitStack, node: str, listeners: Sequence[socket.socket], addresses: list[bytes]
) -> None:
    """Announce the door until the stack is closed."""
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

    info = AsyncServiceInfo(
        "_wyoming._tcp.local.",
        f"{node}._wyoming._tcp.local.",
        addresses=addresses,
        port=listeners[0].getsockname()[1],
        # The name of these addresses is random: another board of the same node name must not answer for it.
        server=f"unitd-{secrets.token_hex(4)}.local.",
    )
    responder = await stack.enter_async_context(AsyncZeroconf())
    await responder.async_register_service(info, allow_name_change=True)
    log.info("announced as %s", info.name.removesuffix(".local."))


async def _changed(addresses: list[bytes], listeners: Sequence[socket.socket]) -> None:
    """Return when the addresses of the board have changed."""
    now = addresses
    while now == addresses:
        await asyncio.sleep(CHECK_SECONDS)
        with suppress(OSError):  # no descriptor is free to ask with
            now = await asyncio.to_thread(_addresses_of, listeners)


def _addresses_of(listeners: Sequence[socket.socket]) -> list[bytes]:
    """Return the addresses at which other machines reach the door, packed and sorted."""
    import psutil

    own = [
        (each.family, ip_address(each.address.partition("%")[0]))
        for addresses in psutil.net_if_addrs().values()
        for each in addresses
        if each.family in (socket.AF_INET, socket.AF_INET6)
    ]
    found = []
    for each in listeners:
        bound = ip_address(each.getsockname()[0])
        found += [address for family, address in own if family == each.family] if bound.is_unspecified else [bound]
    return sorted(address.packed for address in found if not address.is_loopback)
