"""What a configuration leaves open, in sentences for the log: nobody shall believe in a lock that is not there."""

from unitd.core.config import AuthSettings, Settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def warnings_of(settings: Settings) -> list[str]:
    """What an administrator should know of these settings."""
    warnings = []
    if settings.auth != AuthSettings():
        warnings.append("[auth] is configured, this version checks nothing yet: whoever reaches a port may use it")
    for name, door, is_locked in (
        ("tcp", settings.tcp, False),
        ("http", settings.http, bool(settings.http.api_key)),
    ):
        if door.enabled and not is_locked and door.host not in LOOPBACK:
            warnings.append(f"{name} listens on {door.host}: every machine that reaches it may use this device")
    return warnings
