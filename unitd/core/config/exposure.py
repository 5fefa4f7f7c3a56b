"""What a configuration leaves open: nobody shall believe in a lock that is not there, or leave a door open unawares."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from unitd.core.access.grants import is_this_machine
from unitd.core.config.schema import Settings

DOORS = ("tcp", "http", "wyoming")
"""Those that other machines may reach by an address."""

_KNOWS_NEITHER = "wyoming"
"""Its protocol has no tokens and no TLS."""


def hosts_of(settings: Settings) -> dict[str, str]:
    """The addresses of the doors that are open."""
    hosts = {}
    if settings.tcp.enabled:
        hosts["tcp"] = settings.tcp.host
    if settings.http.enabled:
        hosts["http"] = settings.http.host
    if settings.wyoming is not None:
        hosts["wyoming"] = settings.wyoming.host
    return hosts


def with_hosts(settings: Settings, hosts: Mapping[str, Sequence[str]]) -> Settings:
    """As if the configuration named the addresses of sockets that were passed: of several the one open to most."""

    def host_of(door: str, configured: str) -> str:
        return max(hosts.get(door) or [configured], key=lambda each: not is_this_machine(each))

    tcp, http = settings.tcp, settings.http
    return replace(
        settings,
        tcp=replace(tcp, host=host_of("tcp", tcp.host)),
        http=replace(http, host=host_of("http", http.host)),
    )


def is_encrypted(settings: Settings, door: str) -> bool:
    """Whether a door speaks TLS: where other machines reach it and nothing else is said."""
    host = hosts_of(settings).get(door, "")
    return door not in settings.auth.without_tls and settings.auth.tls_cert is not None and not is_this_machine(host)


def missing_locks(settings: Settings) -> Iterator[tuple[str, str]]:
    """Doors that other machines would reach without what the configuration has to give up in words: key, sentence."""
    auth = settings.auth
    for key in ("without_token", "without_tls"):
        if unknown := set(getattr(auth, key)) - set(DOORS):
            yield f"auth.{key}", f"names {min(unknown)!r}, it may name {', '.join(DOORS)}"
    if (auth.tls_cert is None) != (auth.tls_key is None):
        yield "auth.tls_cert", "needs auth.tls_key, and the other way round"
    for door, host in hosts_of(settings).items():
        if is_this_machine(host):
            if door == _KNOWS_NEITHER and not auth.trust_loopback and door not in auth.without_token:
                words = f'the protocol knows no tokens: auth.without_token = ["{door}"] says that this is known'
                yield f"{door}.host", f"is {host}, and auth.trust_loopback is false; {words}"
            continue
        if door == _KNOWS_NEITHER and not {door} <= set(auth.without_token) & set(auth.without_tls):
            words = f'auth.without_token = ["{door}"] and auth.without_tls = ["{door}"] say that this is known'
            yield f"{door}.host", f"is {host}; the protocol knows neither tokens nor TLS: {words}"
        elif auth.tls_cert is None and door not in auth.without_tls:
            words = f'make a certificate (unitd cert new), or say auth.without_tls = ["{door}"]'
            yield f"{door}.host", f"is {host}; other machines would reach it in the clear: {words}"


def warnings_of(settings: Settings, tokens: int) -> list[str]:
    """What an administrator should know of these settings, with so many tokens."""
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
    """Who may come in, where there is nothing to warn of."""
    reached = [door for door, host in hosts_of(settings).items() if not is_this_machine(host)]
    if not reached:
        return "only this machine"
    return f"{' and '.join(reached)} with TLS and tokens, of which there are {tokens}"
