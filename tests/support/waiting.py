"""Waiting without a fixed sleep."""

import asyncio
import os
from collections.abc import Callable

MS = 0.001 * float(os.environ.get("UNITD_TEST_SLOWNESS", "1"))
"""A millisecond; UNITD_TEST_SLOWNESS makes it longer on slow machines."""


async def eventually(condition: Callable[[], bool], timeout: float = 5.0) -> None:
    """Return as soon as the condition holds; raise TimeoutError after `timeout` seconds."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.001)
