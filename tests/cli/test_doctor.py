"""Covers cli.doctor: what it finds, what it says about it, and its exit code."""

from pathlib import Path

import pytest

from tests.support.command_line import serving, unitd, unitd_in_process, without
from tests.support.servers.brokers import free_port
from unitd.app import App


async def test_doctor_finds_a_healthy_machine(config: Path) -> None:
    """Everything needed is there: exit code 0, also without a daemon."""
    done = await unitd("doctor", "--config", str(config))

    assert (done.code, done.err) == (0, "")
    assert "MISSING" not in done.out
    assert "bundled model" in done.out
    assert f"configuration: {config}\n" in done.out
    assert "nobody listens" in done.out
    assert " MiB for models\n" in done.out


async def test_doctor_sees_the_daemon(echo_daemon: App, config: Path) -> None:
    """And says where it listens."""
    done = await unitd("doctor", "--config", str(config), environment={"COLUMNS": "20"})

    assert done.code == 0
    assert f"daemon: listens on {config.parent}/state/unitd.sock\n" in done.out


async def test_doctor_knows_whether_home_assistant_finds_the_door(config: Path) -> None:
    """The daemon is not there, then it is; without the table there is no such door."""
    port = free_port()
    closed = await unitd_in_process("doctor", "--config", str(config))
    config.write_text(f"{config.read_text()}[wyoming]\nport = {port}\n")

    away = await unitd_in_process("doctor", "--config", str(config))
    async with serving(config):
        there = await unitd_in_process("doctor", "--config", str(config))

    assert (closed.code, away.code, there.code) == (0, 0, 0)
    assert "wyoming: not configured\n" in closed.out
    assert f"wyoming: nobody listens on 127.0.0.1:{port} (Connection refused)\n" in away.out
    assert f"wyoming: listens on 127.0.0.1:{port}\n" in there.out


# What ALSA finds on a board without a sound card, and on one with a headset. With nothing at all to look at PortAudio
# ends the process.
NO_CARD = "pcm.gone { type hw card 99 }\n"
HEADSET = NO_CARD + "pcm.Headset { type null }\n"


async def test_doctor_knows_a_board_without_sound(tmp_path: Path, config: Path) -> None:
    """The library alone makes none; that is no fault, and what is a file needs no device."""
    asound = tmp_path / "asound.conf"
    config.write_text(config.read_text().replace('capture = ""', 'capture = "default"'))
    asound.write_text(NO_CARD)
    without = await unitd("doctor", "--config", str(config), environment={"ALSA_CONFIG_PATH": str(asound)})
    asound.write_text(HEADSET)
    there = await unitd("doctor", "--config", str(config), environment={"ALSA_CONFIG_PATH": str(asound)})
    asound.write_text("")
    dead = await unitd("doctor", "--config", str(config), environment={"ALSA_CONFIG_PATH": str(asound)})

    assert (without.code, there.code, dead.code) == (0, 0, 0)
    assert "absent  microphone: this machine has no microphone\n        → " in without.out
    assert f"ok      loudspeaker: file:{tmp_path}/heard.wav\n" in without.out
    assert "ok      microphone: Headset\n" in there.out
    assert "absent  microphone: " in dead.out


async def test_doctor_misses_the_package_of_an_open_door(config: Path) -> None:
    """And names the command that installs it."""
    lacking = without("zeroconf", config.parent / "site")
    closed = await unitd("doctor", "--config", str(config), environment=lacking)
    config.write_text(f"{config.read_text()}[wyoming]\nport = 0\n")

    opened = await unitd("doctor", "--config", str(config), environment=lacking)

    assert (closed.code, opened.code) == (0, 1)
    assert "packages: wyoming needs zeroconf, which is not installed\n        → pip install zeroconf\n" in opened.out


@pytest.mark.parametrize(
    ("text", "words"),
    [('[serial]\ndevice = "/dev/no-such-line"', "/dev/no-such-line is not there"), ("[tcp]\nprot = 1", "tcp.prot")],
    ids=["serial", "configuration"],
)
async def test_doctor_fails_when_something_needed_is_missing(tmp_path: Path, text: str, words: str) -> None:
    """Exit code 1, the finding, and what to do about it."""
    (tmp_path / "unitd.toml").write_text(text)

    done = await unitd_in_process("doctor", "--config", str(tmp_path / "unitd.toml"))

    assert done.code == 1
    assert words in done.out
    assert "→" in done.out


async def test_doctor_knows_how_a_service_is_installed(config: Path) -> None:
    """On a machine where systemd does not know the daemon yet, that is no fault."""
    done = await unitd_in_process("doctor", "--config", str(config))

    assert done.code == 0
    assert "service: " in done.out
    assert "sudo unitd install-service" in done.out or "unitd.service" in done.out
