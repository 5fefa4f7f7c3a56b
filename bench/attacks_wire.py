"""Attacks on TCP and the Unix socket: the content of frames, and data that is not a frame at all.

Each attack returns its result as text for the table.
"""

import os
import resource
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import psutil

from bench.bystander import LLM
from bench.target import FRAME_MIB, Attack, Harm, Target

RESET = b'{"request_id":"evil","work_id":"sys","action":"reset"}'
METHODS = (b"GET", b"HEAD", b"POST", b"OPTIONS", b"PUT", b"PATCH", b"DELETE", b"PROPFIND", b"BREW")
WAITING_BYTES = 16 * 2**20
UNAVAILABLE = -10
SILENT_CLIENTS, DESCRIPTORS = 1100, 1024
HANDSHAKE_SECONDS = 10.0
LOG_BYTES = 20_000
"""What one attack may write to the log."""

OWN_ADDRESSES = "[auth]\ntrust_loopback = false\n"


def unknown_inputs(target: Target) -> str:
    """Set up tasks whose `input` names hundreds of thousands of sources that do not exist."""
    client, refused = target.wire(), 0
    for inputs in (
        [f"{i:x}" for i in range(40_000)],
        [f"{i:x}" for i in range(700_000)],
        [f"kws.{i}" for i in range(200_000)],
    ):
        refused += client.code("llm", "setup", LLM | {"input": inputs}) != 0
    if refused != 3:
        raise Harm(f"{3 - refused} of 3 setups with far too many inputs were accepted")
    few = client.ask("llm", "setup", LLM | {"input": ["nonsense", "more nonsense"]})
    if few["error"]["code"]:
        raise Harm(f"a setup with two unknown inputs is refused: {few['error']}")
    return f"over 64 are refused; {_logged(target)} bytes of log"


def long_words(target: Target) -> str:
    """Use request_ids, names and actions of megabytes, which replies and log lines would repeat."""
    client, long = target.wire(), "R" * 7_000_000
    client.send(request_id=long, work_id="llm", action="setup", data=LLM)
    if (reply := client.receive())["request_id"] != "0" or not reply["error"]["code"]:
        raise Harm("a request_id of 7 MB is accepted")
    for request in (
        ("llm", "setup", LLM | {"model": long}),
        (long, "ping"),
        ("sys", long),
        ("llm", "setup", LLM | {"input": long}),
    ):
        client.ask(*request)
    return f"{_logged(target)} bytes of log"


def _logged(target: Target) -> int:
    if (size := target.log.stat().st_size) > LOG_BYTES:
        raise Harm(f"{size} bytes of log")
    return size


def browser_requests(target: Target) -> str:
    """Hide a request in the body of HTTP, in one piece and byte by byte, as a page in a browser can."""
    before, count = target.states().keys(), 0
    for method in METHODS:
        head = method + b" / HTTP/1.1\r\nHost: evil.example\r\nContent-Type: text/plain\r\n\r\n"
        for pieces in ([head + RESET], [head, RESET], [bytes([each]) for each in head + RESET]):
            _say(target, pieces)
            count += 1
    if target.states().keys() != before:
        raise Harm("a request inside HTTP was carried out")
    return f"{count} connections, none was served"


def tls_ticket(target: Target) -> str:
    """Hide a request in the session ticket of a TLS ClientHello, as a server can make a browser send it."""

    def extension(number: int, content: bytes) -> bytes:
        return struct.pack("!HH", number, len(content)) + content

    extensions = extension(35, RESET) + extension(10, b"\0\4\0\x1d\0\x17") + extension(13, b"\0\4\4\3\x08\4")
    hello = b"\3\3" + b"A" * 32 + b"\x20" + b"A" * 32 + b"\0\4\x13\1\xc0\x2f\1\0" + struct.pack("!H", len(extensions))
    message = b"\1" + struct.pack("!I", len(hello + extensions))[1:] + hello + extensions
    record = b"\x16\3\1" + struct.pack("!H", len(message)) + message
    before = target.states().keys()
    for pieces in ([record], [bytes([each]) for each in record]):
        _say(target, pieces)
    if target.states().keys() != before:
        raise Harm("a request inside a TLS handshake was carried out")
    return "not served"


def _say(target: Target, pieces: list[bytes]) -> None:
    """Send the pieces to TCP and to the Unix socket, and wait until the daemon disconnects.

    Raises:
        Harm: the daemon does not disconnect.
    """
    for family, address in ((socket.AF_INET, target.tcp), (socket.AF_UNIX, target.unix)):
        with socket.socket(family) as connection:
            connection.connect(address)
            connection.settimeout(5)
            if family == socket.AF_INET:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for piece in pieces:
                    connection.sendall(piece)
                while connection.recv(65536):
                    pass
            except TimeoutError:
                raise Harm(f"{pieces[0][:20]!r} keeps its connection") from None
            except OSError:
                continue  # a reset is also an end


def waiting_prompts(target: Target) -> str:
    """Let 60 prompts of 7 MB wait for a task that is paused."""
    client = target.wire()
    task = target.set_up(client, queue=1024)
    client.send(work_id=task, action="inference", object="llm.utf-8", data="tell me a story")
    client.ask(task, "pause")
    options = {"messages": [{"role": "user", "content": "x" * 7_000_000}]}
    asked = {client.send(work_id=task, action="inference", object="llm.utf-8", options=options) for _ in range(60)}
    last, refused = client.send(work_id="sys", action="ping"), 0
    while (frame := client.receive())["request_id"] != last:
        refused += frame["request_id"] in asked and frame["error"]["code"] == UNAVAILABLE
    if (60 - refused) * 7_000_000 > WAITING_BYTES:
        raise Harm(f"{60 - refused} of 60 prompts wait")
    client.close()
    return f"{60 - refused} wait, {refused} are refused with -10"


def lost_acknowledgement(target: Target) -> str:
    """Kill the daemon after it acknowledged a setup whose model takes longer than the limit of 25 s."""
    client = target.wire()
    target.set_up(
        client, "tts", model="unitd-tts", response_format="tts.base64.stream", input="tts.utf-8", enoutput=True
    )
    request_id = client.send(work_id="llm", action="setup", data=LLM)
    while not (programs := target.programs("llm")):
        time.sleep(0.005)
    programs[0].suspend()
    while (reply := client.receive())["request_id"] != request_id:
        pass
    database = target.folder / "journal.sqlite"
    os.kill(target.daemon.pid, signal.SIGKILL)
    programs[0].kill()
    with closing(sqlite3.connect(database)) as journal:
        kept = {row[0] for row in journal.execute("SELECT work_id FROM task")}
    if not reply["error"]["code"] and reply["work_id"] not in kept:
        raise Harm(f"{reply['work_id']} was acknowledged and is lost")
    return "it is in the journal"


def silent_handshakes(target: Target) -> str:
    """Open more connections than the daemon has descriptors, and send nothing on them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * SILENT_CLIENTS), hard))
    psutil.Process(target.daemon.pid).rlimit(psutil.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    silent = []
    try:
        for address in (target.http, target.tcp):
            for _ in range(SILENT_CLIENTS):
                connection = socket.socket()
                connection.setblocking(False)
                with suppress(BlockingIOError):
                    connection.connect(address)
                silent.append(connection)
        time.sleep(1)
        client = target.local()
        began = time.monotonic()
        task = client.ask(
            "vad",
            "setup",
            {"model": "unitd-vad", "input": "vad.base64", "response_format": "vad.bool", "enoutput": True},
        )
        if task["error"]["code"]:
            raise Harm(f"a program cannot be started beside them: {task['error']}")
        seconds, used = time.monotonic() - began, target.daemon.descriptors()
        return f"a program starts beside them after {seconds:.1f} s; {used} descriptors in use"
    finally:
        for each in silent:
            each.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def certificate(folder: Path) -> None:
    """Make a certificate for the doors."""
    subprocess.run(
        [sys.executable, "-m", "unitd", "cert", "new", "--dir", str(folder)], check=True, capture_output=True
    )


TLS = '[auth]\ntrust_loopback = false\ntls_cert = "FOLDER/cert.pem"\ntls_key = "FOLDER/key.pem"\n'

ATTACKS = (
    Attack("unknown-inputs", unknown_inputs),
    Attack("long-words", long_words),
    Attack("browser-requests", browser_requests),
    Attack("tls-ticket", tls_ticket),
    Attack("silent-handshakes", silent_handshakes, TLS, prepare=certificate),
    Attack("waiting-prompts", waiting_prompts, budget_mib=WAITING_BYTES / 2**20 + FRAME_MIB),
    Attack("lost-acknowledgement", lost_acknowledgement, has_bystander=False),
)
