"""Checks of what a configuration exposes to other machines, and the warnings about it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from unitd.core.access.grants import is_this_machine
from unitd.core.config.schema import Settings

DOORS = ("tcp", "http", "wyoming")
"""The doors that other machines can reach by an address."""

_WITHOUT_BOTH = "wyoming"
"""The door whose protocol has neither tokens nor TLS."""


def hosts_of(settings: Settings) -> dict[str, str]:
    """Return the configured address of each open door."""
    hosts = {}
    if settings.tcp.enabled:
        hosts["tcp"] = settings.tcp.host
    if settings.http.enabled:
        hosts["http"] = settings.http.host
    if settings.wyoming is not None:
        hosts["wyoming"] = settings.wyoming.host
    return hosts


def with_hosts(settings: Settings, hosts: Mapping[str, Sequence[str]]) -> Settings:
    """Return the settings with the addresses of passed sockets; of several for one door the most exposed counts."""

    def host_of(door: str, configured: str) -> str:
        return max(hosts.get(door) or [configured], key=lambda each: not is_this_machine(each))

    tcp, http = settings.tcp, settings.http
    return replace(
        settings,
        tcp=replace(tcp, host=host_of("tcp", tcp.host)),
        http=replace(http, host=host_of("http", http.host)),
    )


def is_encrypted(settings: Settings, door: str) -> bool:
    """Return whether a door uses TLS: it is exposed, there is a certificate, and no setting exempts it."""
    host = hosts_of(settings).get(door, "")
    return door not in settings.auth.without_tls and settings.auth.tls_cert is not None and not is_this_machine(host)


def unprotected_doors(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield key and sentence for each door that is exposed without TLS or a token and not allowed to be."""
    auth = settings.auth
    for key in ("without_token", "without_tls"):
        if unknown := set(getattr(auth, key)) - set(DOORS):
            yield f"auth.{key}", f"names {min(unknown)!r}, it may name {', '.join(DOORS)}"
    if (auth.tls_cert is None) != (auth.tls_key is None):
        yield "auth.tls_cert", "needs auth.tls_key, and the other way round"
    for door, host in hosts_of(settings).items():
        if is_this_machine(host):
            if door == _WITHOUT_BOTH and not auth.trust_loopback and door not in auth.without_token:
                words = f'the protocol knows no tokens: auth.without_token = ["{door}"] says that this is known'
                yield f"{door}.host", f"is {host}, and auth.trust_loopback is false; {words}"
            continue
        if door == _WITHOUT_BOTH and not {door} <= set(auth.without_token) & set(auth.without_tls):
            words = f'auth.without_token = ["{door}"] and auth.without_tls = ["{door}"] say that this is known'
            yield f"{door}.host", f"is {host}; the protocol knows neither tokens nor TLS: {words}"
        elif auth.tls_cert is None and door not in auth.without_tls:
            words = f'make a certificate (unitd cert new), or say auth.without_tls = ["{door}"]'
            yield f"{door}.host", f"is {host}; other machines would reach it in the clear: {words}"


def warnings_of(settings: Settings, tokens: int) -> list[str]:
    """Return warnings about exposed doors; `tokens` is the number of tokens."""
    auth, warnings = settings.auth, []
    for door, host in hosts_of(settings).items():
        if is_this_machine(host):
            continue
        if door in auth.without_token:
            warnings.append(f"{door} listens on {host} without token: every machine there may use this device")
        elif not tokens and not (door == "http" and settings.http.api_key):
            warnings.append(f"{door} listens on {host} and there is no token yet: unitd token new NAME")
        elif not is_encrypted(settings, door):
            warnings.append(f"{door} listens on {host} without TLS: who listens on the way hears tokens and words")
    return warnings


def reach_of(settings: Settings, tokens: int) -> str:
    """Return a sentence that says who can connect, for settings without warnings."""
    reached = [door for door, host in hosts_of(settings).items() if not is_this_machine(host)]
    if not reached:
        return "only this machine"
    return f"{' and '.join(reached)} with TLS and tokens, of which there are {tokens}"
