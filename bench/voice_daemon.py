"""The daemon in a process of its own, for measurements with audio: its clients, memory, processor time and log."""

import asyncio
import base64
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from bench.speech import Samples


class Client:
    """One connection that sends requests and reads lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def set_up(self, unit: str, **data: Any) -> str:
        """Set up a task of the bundled model; return its work_id."""
        data = {"model": f"unitd-{unit}", "response_format": f"{unit}.bool", "enoutput": True} | data
        await self._send({"request_id": unit, "work_id": unit, "action": "setup", "data": data})
        reply = await self.receive()
        if reply["error"]["code"]:
            raise SystemExit(reply["error"]["message"])
        return str(reply["work_id"])

    async def link(self, task: str, source: str) -> None:
        """Link a source to a task."""
        await self._send({"request_id": "link", "work_id": task, "action": "link", "data": source})
        while (await self.receive())["request_id"] != "link":
            pass

    async def upload(self, task: str, samples: Samples, request_id: str, form: str = "") -> None:
        """Send a piece of audio; wait while the daemon does not read."""
        fields = {"request_id": request_id, "work_id": task, "action": "inference"}
        unit = task.partition(".")[0]
        data = base64.b64encode(samples.tobytes()).decode()
        await self._send(fields | {"object": f"{unit}.base64{form}", "data": data})

    async def receive(self) -> dict[str, Any]:
        """Return the next line."""
        reply: dict[str, Any] = json.loads(await self._reader.readline())
        return reply

    async def _send(self, request: dict[str, Any]) -> None:
        self._writer.write(json.dumps(request).encode())
        await self._writer.drain()


class Daemon:
    """`unitd serve` in a folder, which also contains its log."""

    def __init__(self, folder: Path, tables: str = "", models: Sequence[Path] = (), **audio: str) -> None:
        """Take more tables of the configuration (`tables`) and model folders (`models`)."""
        self._folder = folder
        self._tables = tables
        self._models = json.dumps([str(each) for each in models])
        self._audio = {"capture": "", "playback": ""} | audio

    async def __aenter__(self) -> "Daemon":
        config = self._folder / "unitd.toml"
        devices = "".join(f"{key} = {json.dumps(value)}\n" for key, value in self._audio.items())
        config.write_text(
            f'[state]\ndir = "{self._folder}"\n[models]\ndir = {self._models}\n[tcp]\nport = 0\n[http]\nport = 0\n'
            f'[log]\nlevel = "warning"\n[audio]\n{devices}{self._tables}'
        )
        command = [sys.executable, "-m", "unitd", "serve", "--config", str(config)]
        with (self._folder / "log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(*command, stderr=log)
        while not (self._folder / "endpoints.json").exists():
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._process.terminate()
        await self._process.wait()
        (self._folder / "endpoints.json").unlink(missing_ok=True)

    async def client(self) -> Client:
        """Return a new connection."""
        host, port = json.loads((self._folder / "endpoints.json").read_text())["tcp"]
        return Client(*await asyncio.open_connection(host, port, limit=2**24))

    @property
    def log(self) -> str:
        """Return the warnings so far."""
        return (self._folder / "log").read_text()

    def mebibytes(self) -> dict[str, float]:
        """Return the resident memory of the daemon and of each unit program."""
        return {name: process.memory_info().rss / 2**20 for name, process in self._processes().items()}

    def processor_seconds(self) -> dict[str, float]:
        """Return the processor time that each process has used."""
        return {name: sum(process.cpu_times()[:2]) for name, process in self._processes().items()}

    def _processes(self) -> dict[str, psutil.Process]:
        daemon = psutil.Process(self._process.pid)
        return {"daemon": daemon} | {child.cmdline()[-2]: child for child in daemon.children()}
