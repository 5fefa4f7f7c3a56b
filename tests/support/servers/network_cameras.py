"""Cameras of the network: an RTSP server of GStreamer, and MJPEG over HTTP."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "programs" / "rtsp_server.py"
SYSTEM_PYTHON = "/usr/bin/python3"
PACKAGES = "python3-gi gir1.2-gst-rtsp-server-1.0 gstreamer1.0-plugins-base gstreamer1.0-plugins-good"


@contextmanager
def rtsp_camera(port: int, color: str) -> Iterator[str]:
    """Run a camera that shows one color; skip the test where GStreamer is missing. Yield its address."""
    probe = "import gi; gi.require_version('GstRtspServer', '1.0')"
    if subprocess.run([SYSTEM_PYTHON, "-c", probe], capture_output=True, check=False).returncode:
        pytest.skip(f"no RTSP server here: apt-get install {PACKAGES}")
    with subprocess.Popen([SYSTEM_PYTHON, str(PROGRAM), str(port), color], stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield f"rtsp://127.0.0.1:{port}/camera"
        finally:
            server.kill()


class MjpegCamera:
    """A camera that sends a JPEG again and again, or falls silent."""

    def __init__(self, jpeg: bytes) -> None:
        self._jpeg = jpeg
        self.connections = 0
        self.is_silent = False
        self.address = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it ends."""
        self.connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n")
        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(self._jpeg)}\r\n\r\n".encode()
        try:
            while not writer.is_closing():
                if not self.is_silent:
                    writer.write(head + self._jpeg + b"\r\n")
                    await writer.drain()
                await asyncio.sleep(0.05)  # the rate of the camera
        except ConnectionError:
            pass  # the daemon looks no more
        finally:
            writer.close()


@asynccontextmanager
async def mjpeg_camera(jpeg: bytes) -> AsyncIterator[MjpegCamera]:
    """Run such a camera on a free port."""
    camera = MjpegCamera(jpeg)
    server = await asyncio.start_server(camera.serve, "127.0.0.1", 0)
    camera.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/stream"
    try:
        yield camera
    finally:
        server.close()
        if sys.version_info >= (3, 13):
            server.close_clients()
