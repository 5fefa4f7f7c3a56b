"""A small file of values that outlive the daemon, such as the volume that a person wants."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from unitd.core.outcomes import SkillReason
from unitd.runtime.atomic_write import replace_file
from unitd.runtime.skills.actions import ActionFailed

log = logging.getLogger("unitd.skills")


class KeptValues:
    """A JSON object in the state directory; a value is on the disk before a change of it is told."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values: Mapping[str, Any] = {}
        self._changing = asyncio.Lock()

    async def open(self) -> None:
        """Read the file; one that is damaged is moved aside, and the log says so."""
        self._values = await asyncio.to_thread(self._read)

    def __getitem__(self, name: str) -> Any:
        return self._values.get(name)

    async def change(self, **values: Any) -> None:
        """Keep these values; raise ActionFailed, with all as it was, when they cannot be written."""
        async with self._changing:
            changed = {**self._values, **values}
            try:
                await asyncio.to_thread(replace_file, self._path, orjson.dumps(changed), 0o600)
            except OSError as error:
                log.error("%s cannot be written: %s", self._path, error)
                raise ActionFailed("It cannot be saved.", SkillReason.NOT_SAVED) from error
            self._values = changed

    def _read(self) -> Mapping[str, Any]:
        try:
            values = orjson.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.error("%s cannot be read: %s", self._path, error)
            return self._move_aside()
        return values if isinstance(values, dict) else self._move_aside()

    def _move_aside(self) -> Mapping[str, Any]:
        aside = self._path.with_suffix(".damaged")
        try:
            self._path.replace(aside)
            log.error("%s was damaged, it is %s now", self._path, aside)
        except OSError as error:
            log.error("%s cannot be moved: %s", self._path, error)
        return {}
