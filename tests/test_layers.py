"""Covers the layout: layers import only leftwards, units and daemon stay apart, nothing heavy is loaded to serve."""

import ast
import functools
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LAYERS = {
    "wire": 0,
    "core": 1,
    "fetch": 2,
    "runtime": 3,
    "service": 4,
    "doors": 5,
    "app": 6,
    "settings": 7,
    "serve": 7,
    "cli": 7,
    "__main__": 7,
}
"""Each may import what stands before it, and its own row."""

NOT_PURE = {
    "asyncio", "datetime", "logging", "multiprocessing", "os", "random", "select", "shutil", "signal", "socket", "ssl",
    "subprocess", "tempfile", "threading", "time",
}  # fmt: skip
"""What `wire` and `core` must not import: they decide, they do not act."""

EXCEPTIONS = {"unitd.core.config.schema": {"socket"}, "unitd.core.timers": {"datetime"}}
"""The default of mqtt.node is the host's name; alarms are reckoned by the calendar, from a present that is given."""

FOR_DOORS = {
    "aiohttp", "aiomqtt", "h11", "httptools", "httpx", "httpx2", "huggingface_hub", "paho", "requests", "serial",
    "serial_asyncio_fast", "starlette", "uvicorn", "websockets", "wsproto", "wyoming", "zeroconf",
}  # fmt: skip
"""Libraries for serial lines and networks."""

HEAVY = {
    "numpy", "llama_cpp", "hassil", "rapidfuzz", "yaml", "rich", "typer", "jinja2", "psutil", "serial",
    "serial_asyncio_fast", "units", "torch", "babel", "pint",
    "huggingface_hub", "soundfile", "httpx2",
}  # fmt: skip
"""What must not be loaded before it is needed, if at all."""


def name_of(path: Path) -> str:
    """Return the module's name: unitd/wire/errors.py is unitd.wire.errors."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for package in ("unitd", "units") for path in sorted((ROOT / package).rglob("*.py"))}
DAEMON = [name for name in MODULES if name.partition(".")[0] == "unitd"]
UNITS = [name for name in MODULES if name.partition(".")[0] == "units"]
PURE = [name for name in DAEMON if name.split(".")[1:2] in (["wire"], ["core"])]
PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py"]


@functools.cache
def nodes_of(module: str) -> list[ast.AST]:
    """Return everything in the module's syntax tree; each module is parsed once."""
    return list(ast.walk(ast.parse(MODULES[module].read_text())))


@functools.cache
def imports_of(module: str) -> frozenset[str]:
    """Return every name that the module's import statements name, at its top and inside functions."""
    names: set[str] = set()
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names.update(name if name in MODULES else node.module or "." for name in full)
    return frozenset(names)


def top_imports_of(module: str) -> set[str]:
    """Return the names of the top packages that the module imports from."""
    return {name.partition(".")[0] for name in imports_of(module)}


def rank_of(module: str) -> int:
    """Return the row of a daemon module; the root package stands before all."""
    return -1 if module == "unitd" else LAYERS[module.split(".")[1]]


def offenders(modules: Iterable[str], wrong_in: Callable[[str], Iterable[str]]) -> dict[str, list[str]]:
    """Return what is wrong by module; a module in which nothing is wrong is left out."""
    found = {module: sorted(wrong_in(module)) for module in modules}
    return {module: wrong for module, wrong in found.items() if wrong}


def cycles_in(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return a way back to itself for every node that has one."""
    return [way for node in graph if (way := _way_back(graph, node))]


def _way_back(graph: Mapping[str, Iterable[str]], start: str) -> list[str]:
    pending, seen = [[start]], set[str]()
    while pending:
        way = pending.pop()
        for name in graph[way[-1]]:
            if name == start:
                return [*way, name]
            if name not in seen:
                seen.add(name)
                pending.append([*way, name])
    return []


def folders_in(package: str) -> dict[str, set[str]]:
    """Return the folders of a package, each with those of the others that its modules import from."""
    folders = [name for name in PACKAGES if name.rpartition(".")[0] == package]

    def folder_of(module: str) -> Iterator[str]:
        return (folder for folder in folders if f"{module}.".startswith(f"{folder}."))

    graph: dict[str, set[str]] = {folder: set() for folder in folders}
    for module in MODULES:
        for folder in folder_of(module):
            graph[folder].update(other for name in imports_of(module) for other in folder_of(name) if other != folder)
    return graph


def test_a_layer_imports_only_leftwards() -> None:
    """wire ← core ← fetch ← runtime ← service ← doors ← app ← (settings, serve, cli, __main__)."""

    def rightwards(module: str) -> Iterator[str]:
        ours = (name for name in imports_of(module) if name.partition(".")[0] == "unitd")
        return (name for name in ours if rank_of(name) > rank_of(module))

    assert offenders(DAEMON, rightwards) == {}


def test_the_daemon_never_imports_units() -> None:
    """They are programs behind a process boundary."""
    assert offenders(DAEMON, lambda module: top_imports_of(module) & {"units"}) == {}


def test_units_know_the_daemon_s_wire_and_nothing_else() -> None:
    """Units import unitd.wire, themselves and third-party packages."""

    def foreign(module: str) -> Iterator[str]:
        ours = (name for name in imports_of(module) if name.partition(".")[0] in ("unitd", "tests", "bench", "train"))
        return (name for name in ours if not name.startswith("unitd.wire."))

    assert offenders(UNITS, foreign) == {}


def test_wire_and_core_are_pure() -> None:
    """No loop, no socket, no clock, no log, no file, no process."""
    assert offenders(PURE, lambda module: top_imports_of(module) & NOT_PURE - EXCEPTIONS.get(module, set())) == {}


def test_config_asks_the_socket_module_only_for_the_host_s_name() -> None:
    """The one exception is as small as it is stated."""
    uses = [node for node in nodes_of("unitd.core.config.schema") if isinstance(node, ast.Attribute)]

    asked = {use.attr for use in uses if isinstance(use.value, ast.Name) and use.value.id == "socket"}

    assert asked == {"gethostname"}


def test_only_doors_know_lines_and_networks() -> None:
    """No other layer does; but the doctor asks pyserial which ports there are, and fetch asks the hub for models."""
    allowed = {"unitd.cli.commands.doctor": {"serial"}, "unitd.fetch.sources": {"httpx2", "huggingface_hub"}}
    others = [name for name in DAEMON if not name.startswith("unitd.doors.")]

    assert offenders(others, lambda module: top_imports_of(module) & FOR_DOORS - allowed.get(module, set())) == {}


def test_no_module_leads_back_to_itself() -> None:
    """There is no import cycle."""
    graph = {module: {name for name in imports_of(module) if name in MODULES} for module in MODULES}

    assert cycles_in(graph) == []


def test_no_folder_leads_back_to_itself() -> None:
    """The folders that stand side by side, in a layer or in units, import each other one way only."""
    assert offenders(PACKAGES, lambda package: map(" → ".join, cycles_in(folders_in(package)))) == {}


def test_imports_are_absolute() -> None:
    """A reader sees where a name comes from."""

    def relative(module: str) -> Iterator[str]:
        froms = (node for node in nodes_of(module) if isinstance(node, ast.ImportFrom))
        return (f"line {node.lineno}" for node in froms if node.level)

    assert offenders(MODULES, relative) == {}


@pytest.mark.parametrize("module", ["unitd.app", "unitd.serve", "unitd.__main__"])
def test_serving_loads_nothing_heavy(module: str) -> None:
    """A fresh interpreter that imports it holds no engine, no units and no library of the command line."""
    program = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"

    finished = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    assert set(finished.stdout.split()) & HEAVY == set()


def test_a_built_in_unit_starts_without_looking_through_packages() -> None:
    """What finds units of other packages takes a tenth of the time in which a built-in one is imported."""
    program = "import sys, units.__main__; units.__main__.find_maker('llm'); print('importlib.metadata' in sys.modules)"

    finished = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    assert finished.stdout == "False\n"
