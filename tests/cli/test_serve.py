"""Covers serve: the daemon as a program, its configuration, its signals and its end."""

import asyncio
import signal
import socket
from pathlib import Path

import psutil
import pytest

from tests.support.command_line import client_of, serving, start, unitd, unitd_in_process, without
from tests.support.setups import KWS_SETUP
from tests.support.waiting import eventually


async def test_good_configuration_passes_the_check(config: Path) -> None:
    """--check says so and starts nothing."""
    done = await unitd("serve", "--check", "--config", str(config))

    assert (done.code, done.err) == (0, "")
    assert done.out == f"read: {config}\nthe configuration is fine\nopen: only this machine\n"
    assert not (config.parent / "state").exists()


async def test_the_check_says_what_was_read_and_what_is_open(config: Path) -> None:
    """Every file, the models that another one answers for, and each door that other machines reach."""
    tools = config.parent / "tools.toml"
    tools.touch()
    mind = '[[pipeline]]\nname = "p"\n[[pipeline.tasks]]\nname = "m"\nunit = "llm"\ndata = { model = "qwen2.5-0.5b" }\n'
    text = config.read_text().replace("[tcp]", '[tcp]\nhost = "0.0.0.0"')
    auth = '[auth]\nwithout_token = ["tcp"]\nwithout_tls = ["tcp"]\n'
    config.write_text(f'{text}{auth}[home]\ntools = "{tools}"\n{mind}')

    done = await unitd_in_process("serve", "--check", "--config", str(config))

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"read: {config}, {tools}",
        "the configuration is fine",
        "note: qwen2.5-0.5b is not installed, unitd-chat answers in its place",
        "open: tcp listens on 0.0.0.0 without token: every machine there may use this device",
    ]


async def test_the_check_looks_at_what_the_daemon_waits_for(config: Path) -> None:
    """A microphone that is a file, and a model: the daemon starts without them, the check does not pass."""
    config.write_text(
        config.read_text().replace('capture = ""', 'capture = "file:/nowhere.wav"') + '[llm]\nmodel = "x"\n'
    )

    done = await unitd_in_process("serve", "--check", "--config", str(config))
    async with serving(config) as daemon:
        pass

    assert (done.code, done.err.count("\n"), daemon.returncode) == (78, 3, 0)
    assert f"{config}:10: audio.capture: /nowhere.wav cannot be read: No such file or directory\n" in done.err
    assert f"{config}:14: llm.model: there is no llm model 'x' here" in done.err


@pytest.mark.parametrize("check", [["--check"], []], ids=["check", "serve"])
async def test_a_pipeline_that_cannot_work_is_refused(config: Path, check: list[str]) -> None:
    """Before it starts, with its line: a chain that never comes up would be found out much later."""
    task = '[[pipeline.tasks]]\nname = "m"\nunit = "llm"\ndata = { promt = "Be brief." }\n'
    config.write_text(f'{config.read_text()}[[pipeline]]\nname = "p"\n{task}')

    done = await unitd_in_process("serve", *check, "--config", str(config))

    words = "unknown key pipeline[0].tasks[0].data.promt, llm does not have it; did you mean prompt?"
    assert (done.code, done.err) == (78, f"unitd: configuration error: {config}:18: {words}\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tcp.port = 0\ntcp.prot = 1", "tcp.prot, did you mean port?"),
        ("tcp.port = 'x'", "tcp.port must be a whole number"),
        ("tcp.port = 70000", "tcp.port is 70000"),
        ("tcp.port = 0\n[serial]\nbaud = 9600", "serial.device is missing"),
        ("tcp.port = 0\n[log]\nlevel = 'loud'", "log.level is 'loud'"),
        ("tcp = 3", "tcp must be a table"),
        ("[tcp", "unitd.toml"),
    ],
)
@pytest.mark.parametrize("check", [["--check"], []], ids=["check", "serve"])
async def test_bad_configuration_is_refused(tmp_path: Path, text: str, words: str, check: list[str]) -> None:
    """Exit code 78 and one sentence that names the key."""
    path = tmp_path / "unitd.toml"
    path.write_text(f"http.port = 0\n{text}")

    done = await unitd_in_process("serve", *check, "--config", str(path))

    assert (done.code, done.out) == (78, "")
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("check", [["--check"], []], ids=["check", "serve"])
@pytest.mark.parametrize("package", ["wyoming", "zeroconf"])
async def test_a_door_without_its_package_is_told_before_anything_starts(
    config: Path, package: str, check: list[str]
) -> None:
    """With the command that installs it; without the table nothing is missed."""
    lacking = without(package, config.parent / "site")
    closed = await unitd("serve", "--check", "--config", str(config), environment=lacking)
    config.write_text(f"{config.read_text()}[wyoming]\nport = 0\n")

    opened = await unitd("serve", *check, "--config", str(config), environment=lacking)

    assert (closed.code, closed.err) == (0, "")
    assert (opened.code, opened.out) == (78, "")
    assert f"wyoming needs {package}, which is not installed: pip install {package}\n" in opened.err


@pytest.mark.parametrize("check", [["--check"], []], ids=["check", "serve"])
async def test_every_mistake_is_told_before_anything_starts(config: Path, check: list[str]) -> None:
    """Wrong keys, files that cannot be read and ports in use: file, line and key of each, and exit code 78."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        ports = [each.getsockname()[1] for each in (one, other)]
        text = f'tcp.port = {ports[0]}\nhttp.port = {ports[1]}\nhome.tools = "/nowhere"\n[llm]\nslots = 0'
        config.write_text(f'state.dir = "{config.parent}/state"\n{text}')

        done = await unitd_in_process("serve", *check, "--config", str(config))

    assert (done.code, done.out) == (78, "")
    assert done.err.replace(str(config.parent), "…") == (
        "unitd: configuration error, 4 mistakes:\n"
        f"  …/unitd.toml:2: tcp.port: cannot listen on 127.0.0.1:{ports[0]}: Address already in use\n"
        f"  …/unitd.toml:3: http.port: cannot listen on 127.0.0.1:{ports[1]}: Address already in use\n"
        "  …/unitd.toml:4: home.tools: /nowhere cannot be read: No such file or directory\n"
        "  …/unitd.toml:6: llm.slots is 0, it must be from 1 to 64\n"
    )
    assert not (config.parent / "state").exists()


async def test_missing_configuration_is_refused(tmp_path: Path) -> None:
    """A file that was named must be there."""
    done = await unitd("serve", "--config", str(tmp_path / "nowhere.toml"))

    assert done.code == 78
    assert "nowhere.toml: No such file" in done.err


async def test_second_daemon_is_refused_with_a_sentence(served: asyncio.subprocess.Process, config: Path) -> None:
    """Exit code 78, no traceback."""
    done = await unitd("serve", "--config", str(config))

    assert done.code == 78
    assert "another daemon uses" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_signal_stops_the_daemon_in_order(config: Path, number: signal.Signals) -> None:
    """Exit code 0, no child left, nothing on stdout, no traceback."""
    async with serving(config) as daemon:
        async with client_of(config) as client:
            await client.setup("kws", KWS_SETUP)
        children = psutil.Process(daemon.pid).children(recursive=True)

        daemon.send_signal(number)
        out, err = await daemon.communicate()

    assert (daemon.returncode, out, len(children)) == (0, b"", 1)
    assert b"Traceback" not in err
    assert not any(child.is_running() for child in children)
    assert not (config.parent / "state" / "endpoints.json").exists()


async def test_killed_daemon_takes_its_children_along(config: Path) -> None:
    """Even kill -9 leaves no orphan: a child whose channel ends goes."""
    async with serving(config) as daemon:
        async with client_of(config) as client:
            await client.setup("kws", KWS_SETUP)
        children = psutil.Process(daemon.pid).children(recursive=True)

        daemon.kill()
        await daemon.wait()

    await eventually(lambda: not any(child.is_running() for child in children))
    assert (daemon.returncode, len(children)) == (-signal.SIGKILL, 1)


async def test_log_level_of_the_command_line_wins(config: Path) -> None:
    """At error level a good day leaves no line."""
    process = await start("serve", "--config", str(config), "--log-level", "error")
    await eventually(lambda: (config.parent / "state" / "endpoints.json").exists(), timeout=10)

    process.terminate()

    assert await process.communicate() == (b"", b"")
