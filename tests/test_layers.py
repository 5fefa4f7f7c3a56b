"""Covers the layout: layers import only leftwards, units and daemon stay apart, nothing heavy is loaded to serve."""

import ast
import subprocess
import sys
from collections.abc import Iterator
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

EXCEPTIONS = {"unitd.core.config.schema": {"socket"}}
"""The default of mqtt.node is the host's name."""

FOR_DOORS = {
    "aiohttp", "aiomqtt", "h11", "httptools", "httpx", "httpx2", "huggingface_hub", "paho", "requests", "serial",
    "serial_asyncio_fast", "starlette", "uvicorn", "websockets", "wsproto", "wyoming", "zeroconf",
}  # fmt: skip
"""Libraries for serial lines and networks."""

HEAVY = {
    "numpy", "llama_cpp", "rich", "typer", "jinja2", "psutil", "serial", "serial_asyncio_fast", "units", "torch",
    "huggingface_hub", "soundfile", "httpx2",
}  # fmt: skip
"""What must not be loaded before it is needed, if at all."""


def name_of(path: Path) -> str:
    """The module's name: unitd/wire/errors.py is unitd.wire.errors."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for package in ("unitd", "units") for path in sorted((ROOT / package).rglob("*.py"))}
DAEMON = [name for name in MODULES if name.partition(".")[0] == "unitd"]
UNITS = [name for name in MODULES if name.partition(".")[0] == "units"]
PURE = [name for name in DAEMON if name.split(".")[1:2] in (["wire"], ["core"])]


def tree_of(module: str) -> ast.Module:
    """The module's syntax."""
    return ast.parse(MODULES[module].read_text())


def imports_of(module: str) -> Iterator[str]:
    """Every name that the module's import statements name, at its top and inside functions."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else node.module or "." for name in names)


def top_imports_of(module: str) -> set[str]:
    """The packages that the module imports from."""
    return {name.partition(".")[0] for name in imports_of(module)}


def rank_of(module: str) -> int:
    """The row of a daemon module; the root package stands before all."""
    return -1 if module == "unitd" else LAYERS[module.split(".")[1]]


def cycle_from(module: str) -> list[str]:
    """A way back to the module over the imports of our own modules; empty when there is none."""
    pending, seen = [[module]], set[str]()
    while pending:
        way = pending.pop()
        for name in {name for name in imports_of(way[-1]) if name in MODULES}:
            if name == module:
                return [*way, name]
            if name not in seen:
                seen.add(name)
                pending.append([*way, name])
    return []


@pytest.mark.parametrize("module", DAEMON)
def test_a_layer_imports_only_leftwards(module: str) -> None:
    """wire ← core ← fetch ← runtime ← service ← doors ← app ← (settings, serve, cli, __main__)."""
    ours = [name for name in imports_of(module) if name.partition(".")[0] == "unitd"]

    assert [name for name in ours if rank_of(name) > rank_of(module)] == []


@pytest.mark.parametrize("module", DAEMON)
def test_the_daemon_never_imports_units(module: str) -> None:
    """They are programs behind a process boundary."""
    assert "units" not in top_imports_of(module)


@pytest.mark.parametrize("module", UNITS)
def test_units_know_the_daemon_s_wire_and_nothing_else(module: str) -> None:
    """units import unitd.wire, themselves and third-party packages."""
    ours = {name for name in imports_of(module) if name.partition(".")[0] in ("unitd", "tests", "bench", "train")}

    assert {name for name in ours if not name.startswith("unitd.wire.")} == set()


@pytest.mark.parametrize("module", PURE)
def test_wire_and_core_are_pure(module: str) -> None:
    """No loop, no socket, no clock, no log, no file, no process."""
    assert top_imports_of(module) & NOT_PURE <= EXCEPTIONS.get(module, set())


def test_config_asks_the_socket_module_only_for_the_host_s_name() -> None:
    """The one exception is as small as it is stated."""
    uses = [node for node in ast.walk(tree_of("unitd.core.config.schema")) if isinstance(node, ast.Attribute)]

    asked = {use.attr for use in uses if isinstance(use.value, ast.Name) and use.value.id == "socket"}

    assert asked == {"gethostname"}


@pytest.mark.parametrize("module", [name for name in DAEMON if not name.startswith("unitd.doors.")])
def test_only_doors_know_lines_and_networks(module: str) -> None:
    """No other layer does; but the doctor asks pyserial which ports there are, and fetch asks the hub for models."""
    allowed = {"unitd.cli.commands.doctor": {"serial"}, "unitd.fetch.sources": {"httpx2", "huggingface_hub"}}

    assert top_imports_of(module) & FOR_DOORS <= allowed.get(module, set())


@pytest.mark.parametrize("module", MODULES)
def test_no_module_leads_back_to_itself(module: str) -> None:
    """There is no import cycle."""
    assert cycle_from(module) == []


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_absolute(module: str) -> None:
    """A reader sees where a name comes from."""
    froms = [node for node in ast.walk(tree_of(module)) if isinstance(node, ast.ImportFrom)]

    assert [node.lineno for node in froms if node.level] == []


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
