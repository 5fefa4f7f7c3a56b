"""The `sys` unit: the board itself. Nothing here makes another client wait; what touches a disk runs in a thread."""

import asyncio
import base64
import hashlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from unitd.core.access.grants import Role, sees
from unitd.core.tasks.table import Client, TaskTable
from unitd.runtime.atomic_write import replace_shared_file
from unitd.runtime.audio.actions import AudioActions
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.children.memory_budget import Usage
from unitd.runtime.children.supervisor import Supervisor
from unitd.runtime.dispatcher import Answer, Begun, Call, Handler
from unitd.runtime.hardware import measure_board
from unitd.runtime.tasks.manager import TaskManager
from unitd.runtime.tasks.plan import Planner
from unitd.runtime.tasks.runner import TaskRunner
from unitd.wire.errors import BadField, BadFile, EmptyInput, Unavailable
from unitd.wire.joining import StreamJoiner
from unitd.wire.messages import Reply

log = logging.getLogger("unitd.system")

# uiflow's client does float(version.lstrip("v")) and, from 1.6 on, sends the model names we know as aliases.
PROTOCOL_VERSION = "v1.6"
# Base64 characters in one frame of a streamed pull, as in the original.
PULL_CHUNK_CHARACTERS = 1024
# A pulled file is held whole, and once more in base64.
MAX_PULL_BYTES = 32 * 1024 * 1024
MAX_COMMAND_BYTES = 1024 * 1024
# Clients wait 15 s for the "0" message (docs/original-firmware.md, section 9); to kill a hung child takes 3 s more.
RESET_TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True)
class LineSettings:
    """What sys.uartsetup changes."""

    baud: int
    data_bits: int
    stop_bits: float
    parity: str


class Line(Protocol):
    """The serial door, as far as sys needs it."""

    @property
    def settings(self) -> LineSettings:
        """The present settings."""

    def reconfigure(self, settings: LineSettings) -> None:
        """Take the settings over soon (the answer leaves first), for as long as the daemon runs."""


class System:
    """The handlers of `sys`."""

    def __init__(
        self,
        *,
        manager: TaskManager,
        task_table: TaskTable,
        supervisor: Supervisor,
        audio: AudioHub,
        audio_actions: AudioActions,
        memory: Callable[[], Awaitable[Usage]],
        files_dir: Path,
        allowed: Sequence[str],
        unit_versions: Callable[[], list[str]],
        planner: Planner,
        line: Callable[[], Line | None],
    ) -> None:
        """`line` returns the serial door, None when there is none."""
        self._manager = manager
        self._task_table = task_table
        self._supervisor = supervisor
        self._audio = audio
        self._audio_actions = audio_actions
        self._memory = memory
        self._files = files_dir
        self._allowed = set(allowed)
        self._unit_versions = unit_versions
        self._planner = planner
        self._line = line
        self._measuring: asyncio.Future[dict[str, Any]] | None = None
        self._command_chunks: WeakKeyDictionary[Client, StreamJoiner] = WeakKeyDictionary()

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return the handlers by action."""
        powers = {"reboot": self._reboot, "bashexec": self._bashexec, "update": self._update, "upgrade": self._upgrade}
        return {
            "ping": Call.ok,
            "version": lambda call: call.ok(object="sys.utf-8", data=PROTOCOL_VERSION),
            "version2": lambda call: call.ok(object="sys.utf-8.stream", data=self._unit_versions()),
            "lstask": self._lstask,
            "lstools": self._lstools,
            "hwinfo": self._hwinfo,
            "cmminfo": self._cmminfo,
            "uartsetup": self._uartsetup,
            "reset": self._reset,
            "push": self._push,
            "pull": self._pull,
            **{name: handler if name in self._allowed else _refuse for name, handler in powers.items()},
            "unit_call": _refuse_unit_call,
        }

    # What is there

    def _lstask(self, call: Call) -> Answer:
        own = [runner for runner in self._manager.runners if sees(call.client.grant, runner.task.grant_name)]
        return call.ok(object="sys.lstask", data=[row_of(runner) for runner in own])

    async def _lstools(self, call: Call) -> Reply:
        """List the board's own tools, each with the name under which a setup asks for them."""
        rows = [
            {"tools": name} | row
            for name, toolbox in self._planner.toolboxes.items()
            for row in await toolbox.listing()
        ]
        return call.ok(object="sys.lstools", data=rows)

    def _hwinfo(self, call: Call) -> Answer:
        """Measure once for all clients that ask while the measurement runs."""
        if self._measuring is None or self._measuring.done():
            self._measuring = asyncio.ensure_future(asyncio.to_thread(measure_board))
        return Begun(self._tell_hwinfo(call, self._measuring))

    @staticmethod
    async def _tell_hwinfo(call: Call, measuring: asyncio.Future[dict[str, Any]]) -> Reply:
        return call.ok(object="sys.hwinfo", data=await asyncio.shield(measuring))

    async def _cmminfo(self, call: Call) -> Reply:
        """Tell the memory for models (the original's is set aside for its NPU), in KiB."""
        used, limit = (size // 1024 for size in await self._memory())
        return call.ok(object="sys.cmminfo", data={"total": limit, "used": used, "remain": max(limit - used, 0)})

    # What changes the board

    def _uartsetup(self, call: Call) -> Answer:
        line = self._line()
        present = LineSettings(115200, 8, 1, "n") if line is None else line.settings
        settings = _line_settings(call.request.data, present)
        if line is None:
            raise Unavailable("no serial line is configured")
        line.reconfigure(settings)
        return call.ok()

    def _reset(self, call: Call) -> Answer:
        """Acknowledge, end everything, then send the message with request_id "0" that clients wait for.

        For a client that is no administrator only its own tasks end.
        """
        call.client.send(call.ok(message="llm server restarting ..."))
        if call.client.grant.role is not Role.ADMIN:
            return Begun(self._finish_reset(call.client, self._manager.end_all(call.client.grant.name)))
        self._supervisor.retire_all()
        self._audio_actions.reset()
        self._audio.reset()
        return Begun(self._finish_reset(call.client, self._manager.end_all()))

    async def _finish_reset(self, client: Client, ending: Awaitable[Any]) -> Reply:
        try:
            async with asyncio.timeout(RESET_TIMEOUT_SECONDS):
                await asyncio.gather(ending, asyncio.sleep(client.frame_interval))
        except TimeoutError:
            log.warning("tasks did not end within %.0f s of the reset", RESET_TIMEOUT_SECONDS)
        self._supervisor.stop_retired()
        await self._supervisor.settle()
        return Reply("0", "sys", message="reset over")

    async def _push(self, call: Call) -> Reply:
        data = call.request.data
        if not isinstance(data, str | bytes):
            raise EmptyInput('"data" is missing')
        content = data.encode() if isinstance(data, str) else data
        await asyncio.to_thread(_write_file, self._files, call.request.object, content)
        return call.ok(message=f"sha256:{hashlib.sha256(content).hexdigest()}")

    async def _pull(self, call: Call) -> Reply | None:
        content = await asyncio.to_thread(_read_file, self._files, call.request.object)
        text = base64.b64encode(content).decode()
        if "stream" not in call.request.object.partition(".file.")[0]:
            return call.ok(object="sys.base64.stream", data=text)
        await _send_stream(call, "sys.base64.stream", text)
        return None

    # Powers that the configuration must name

    async def _reboot(self, call: Call) -> Reply:
        call.client.send(call.ok(message="rebooting ..."))
        status, text = await _run("systemctl", "reboot")
        return call.ok(code=0 if status == 0 else Unavailable.code, message=text.strip())

    async def _bashexec(self, call: Call) -> Reply | None:
        command = call.request.data
        is_stream = "stream" in call.request.object
        if is_stream:
            chunks = self._command_chunks.setdefault(call.client, StreamJoiner(MAX_COMMAND_BYTES)).add(call.request)
            call.client.send(call.ok())  # the original acknowledges every chunk
            if chunks is None:
                return None
            command = "".join(chunks)
        if not isinstance(command, str) or not command:
            raise BadField("data must be a command")
        _, text = await _run("sh", "-c", command)
        if not is_stream:
            return call.ok(object="sys.utf-8", data=text)
        await _send_stream(call, "sys.utf-8.stream", text, call.client.frame_interval)
        return None

    async def _update(self, call: Call) -> Reply:
        names = await asyncio.to_thread(lambda: sorted(path.name for path in self._files.glob("*.deb")))
        return call.ok(object="sys.utf-8", data="\n".join(names))

    async def _upgrade(self, call: Call) -> Reply:
        if not isinstance(call.request.data, str):
            raise BadField("data must be the name of a pushed .deb file")
        path = await asyncio.to_thread(_path_in, self._files, f"sys.file.{call.request.data}")
        call.client.send(call.ok(object="sys.utf-8", data="update ..."))
        status, text = await _run("apt-get", "install", "--yes", str(path))
        if status:
            raise Unavailable(text.strip().rpartition("\n")[2])
        return Reply("0", "sys", message="upgrade over")


def row_of(runner: TaskRunner) -> dict[str, Any]:
    """Return a task's row of sys.lstask."""
    task = runner.task
    row = {
        "work_id": task.work_id,
        "unit": task.kind.name,
        "model": task.model,
        "served_by": task.served_by,
        "state": runner.state,
        "queue": len(runner.inferences.queue),
        "inputs_": list(task.inputs),
        "door": task.owner.door,
        "created": task.created,
    }
    if runner.state == "failed":
        row["reason"] = runner.reason
    return row | ({"note": task.substitution} if task.substitution else {})


def _refuse(call: Call) -> Answer:
    action = call.request.action
    raise Unavailable(f'sys.{action} is off; [sys] allow = ["{action}"] in the configuration permits it')


def _refuse_unit_call(call: Call) -> Answer:
    raise Unavailable("there are no internal calls here; send the action to the unit itself")


async def _run(*command: str) -> tuple[int, str]:
    """Run a command, which the caller checked. Return its exit status and output."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace")


async def _send_stream(call: Call, object_: str, text: str, interval: float = 0.0) -> None:
    """Send frames no faster than the client reads, with `interval` seconds before each."""
    for data in _stream_frames(text):
        await asyncio.sleep(interval)
        await call.client.wait_for_room()
        call.client.send(call.ok(object=object_, data=data))


def _stream_frames(text: str) -> Iterator[dict[str, Any]]:
    """Yield deltas and the empty final frame, as the original cuts them."""
    starts = range(0, len(text), PULL_CHUNK_CHARACTERS)
    for index, start in enumerate(starts):
        yield {"delta": text[start : start + PULL_CHUNK_CHARACTERS], "finish": False, "index": index}
    yield {"delta": "", "finish": True, "index": len(starts)}


# One character or its code: the original wants 110, and crashes at the "n" that its Arduino client sends
# (docs/original-firmware.md, section 8).
_PARITIES = {code: letter for letter in "neo" for code in (letter, letter.upper(), ord(letter), ord(letter.upper()))}


def _line_settings(data: Any, present: LineSettings) -> LineSettings:
    """Return the checked {"baud", "data_bits", "stop_bits", "parity"}; what is left out stays as it is."""
    if not isinstance(data, dict):
        raise BadField('data must be an object such as {"baud": 115200}')
    baud, data_bits = data.get("baud", present.baud), data.get("data_bits", present.data_bits)
    stop_bits, parity = data.get("stop_bits", present.stop_bits), data.get("parity", present.parity)
    if type(baud) is not int or not 300 <= baud <= 4_000_000:
        raise BadField("baud must be a whole number from 300 to 4000000")
    if any(type(each) is bool for each in (data_bits, stop_bits, parity)):
        raise BadField("true and false are no line settings")
    if data_bits not in (5, 6, 7, 8) or stop_bits not in (1, 1.5, 2):
        raise BadField("data_bits must be 5 to 8, stop_bits 1, 1.5 or 2")
    if not isinstance(parity, str | int) or parity not in _PARITIES:
        raise BadField('parity must be "n", "e" or "o"')
    return LineSettings(baud, data_bits, stop_bits, _PARITIES[parity])


def _path_in(folder: Path, object_: str) -> Path:
    """Return the file that an object names: `sys.file./x` is <state.dir>/files/x, and nothing else is allowed."""
    _, marker, name = object_.partition(".file.")
    if not marker or not name.strip("/") or "\0" in name:
        raise BadFile("the object must be sys.file./NAME")
    try:
        path = (folder / name.lstrip("/")).resolve()
    except OSError as error:
        raise BadFile(f"{error.strerror}") from error
    if not path.is_relative_to(folder.resolve()):
        raise BadFile(f"{name} lies outside the daemon's files")
    return path


def _write_file(folder: Path, object_: str, content: bytes) -> None:
    path = _path_in(folder, object_)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_shared_file(path, content)
    except OSError as error:
        raise BadFile(f"{error.strerror}") from error


def _read_file(folder: Path, object_: str) -> bytes:
    path = _path_in(folder, object_)
    try:
        if path.stat().st_size > MAX_PULL_BYTES:
            raise BadFile(f"a file of over {MAX_PULL_BYTES} bytes cannot be pulled")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadFile("file does not exist.") from error
    except OSError as error:
        raise BadFile(f"{error.strerror}") from error
