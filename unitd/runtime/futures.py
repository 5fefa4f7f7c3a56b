"""Answers that are waited for, or not: the three ways in which one ends."""

import asyncio
from typing import Any


def done() -> asyncio.Future[Any]:
    """Return a future that is done, for what needs no answer."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    answer.set_result(None)
    return answer


def fail(answer: asyncio.Future[Any], error: BaseException) -> None:
    """End a future with an error that need not be looked at: the waiting client may have left, or the daemon ends."""
    answer.set_exception(error)
    answer.exception()


def is_good(answer: asyncio.Future[Any]) -> bool:
    """Return True for an answer that came and is no error."""
    return not answer.cancelled() and answer.exception() is None
