"""Which tests are fast: those that start no daemon and no other process, hear no recordings and are not about training.

A test is slow if it lies in tests/train, or if its function, one of its fixtures, or a function of the tests that one
of these names, names one of `SLOW_NAMES`. A fast test that starts a process all the same fails, so that the marker can
be believed.
"""

import functools
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

import pytest

SLOW_NAMES = frozenset(
    {
        "App", "AsrUnit", "Downloads", "Grammars", "LlmUnit", "PictureReader", "Popen", "Supervisor", "confined",
        "create_subprocess_exec", "create_subprocess_shell", "import_model", "load_program", "main", "measured",
        "VideoReader", "subprocess", "try_grammar",
        "alsa",  # the first import of sounddevice starts ldconfig
        "recordings_folder",
    }
)  # fmt: skip
"""Names that stand for a started process, and the one that leads to recordings."""

_EVENTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn")


class Guard:
    """Lets no process start while `is_on`."""

    def __init__(self) -> None:
        self.is_on = False
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_on and event in _EVENTS:
            raise RuntimeError(
                "a test with the marker `fast` starts a process: tests/support/fast.py says why it has it"
            )


def is_fast(item: pytest.Item) -> bool:
    """Return True for a test that starts neither a daemon nor another process, and is quick besides."""
    if not isinstance(item, pytest.Function) or item.module.__name__.startswith("tests.train."):
        return False
    definitions = item._fixtureinfo.name2fixturedefs  # pytest has no public way to the functions of fixtures
    fixtures = [definitions[name][-1].func for name in item.fixturenames if name in definitions]
    return SLOW_NAMES.isdisjoint(item.fixturenames) and not any(map(_is_slow, [item.function, *fixtures]))


@functools.cache
def _is_slow(function: object) -> bool:
    """Return whether a function, or one of the tests that it leads to, names a slow name."""
    return not all(SLOW_NAMES.isdisjoint(_direct_names(each)) for each in _reached_from(function))


def _reached_from(function: object) -> Iterator[FunctionType]:
    """Yield this function and those of the tests that it names, directly or through others."""
    pending, seen = [function], set[FunctionType]()
    while pending:
        for function in _functions_in(pending.pop()):
            if function not in seen and _is_ours(function):
                seen.add(function)
                yield function
                found = (function.__globals__.get(name) for name in _direct_names(function))
                pending.extend(each for each in found if each is not None)


def _functions_in(value: object) -> list[FunctionType]:
    """Return the function that a value is or wraps, or those of a class of the tests and of its bases."""
    if isinstance(value, type):
        members = [each for base in value.__mro__ if _is_ours(base) for each in vars(base).values()]
        return [function for member in members if not isinstance(member, type) for function in _functions_in(member)]
    if isinstance(value, property):
        return _functions_in(value.fget)
    function = inspect.unwrap(value) if callable(value) else getattr(value, "__func__", None)
    return [function] if isinstance(function, FunctionType) else []


def _is_ours(definition: FunctionType | type) -> bool:
    return definition.__module__.partition(".")[0] in ("tests", "bench")


@functools.cache
def _direct_names(function: FunctionType) -> frozenset[str]:
    """Return every name of a global or an attribute in a function's code, and in the functions inside it."""
    pending, names = [function.__code__], set[str]()
    while pending:
        code = pending.pop()
        names.update(code.co_names)
        pending.extend(each for each in code.co_consts if isinstance(each, CodeType))
    return frozenset(names)
