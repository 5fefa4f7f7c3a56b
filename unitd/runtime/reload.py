"""What a running daemon takes over from a configuration that was read again, and what it leaves for a restart."""

import logging
from collections.abc import Callable, Mapping

from unitd.core.config.changes import changed_keys, with_keys_of
from unitd.core.config.schema import Settings

log = logging.getLogger("unitd")

Apply = Callable[[Settings], None]
"""Makes one key of the new settings count from now on."""


def take_over(old: Settings, new: Settings, appliers: Mapping[str, Apply]) -> Settings:
    """Apply what has changed and can be applied, and log both. Return the settings that count now."""
    changed = changed_keys(old, new)
    now = changed & appliers.keys()
    for key in sorted(now):
        appliers[key](new)
    log.info("the configuration was read again: %s", ", ".join(sorted(now)) if now else "nothing to take over")
    if later := changed - now:
        log.warning("changed, and used only after a restart: %s", ", ".join(sorted(later)))
    return with_keys_of(old, new, now)
