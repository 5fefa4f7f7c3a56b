"""`unitd chain`: wake word, speech recognition, language model and voice in one chain, shown live until Ctrl-C."""

import argparse
import sys
import time
from typing import Any

from unitd.cli.commands.chat import call_text
from unitd.cli.connection import DaemonConnection, fail, read_text, say_what_is_missing
from unitd.cli.screens import say


def run(arguments: argparse.Namespace) -> int:
    """Set the chain up, print its events, end its tasks, and return 0."""
    connection = DaemonConnection(arguments)
    tasks: dict[str, str] = {}
    try:
        _set_up(connection, arguments, tasks)
        for which in ("capture", "playback"):
            say_what_is_missing(connection, which)
        sys.stdout.write(f"Listening for {arguments.wake!r}. Ctrl-C ends it.\n")
        sys.stdout.flush()
        shown = EventPrinter(tasks)
        for reply in connection.replies():
            shown.show(reply)
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    finally:
        connection.close()
    return 0


def _set_up(connection: DaemonConnection, arguments: argparse.Namespace, tasks: dict[str, str]) -> None:
    """Set the tasks up and add their work_ids to `tasks`, by unit; link the microphone last."""

    def set_up(unit: str, **data: Any) -> None:
        data = {"enoutput": True, "model": f"unitd-{unit}"} | data
        tasks[unit] = connection.set_up(unit, data)

    set_up("kws", response_format="kws.bool", kws=arguments.wake, enwake_audio=True)
    language = {"language": arguments.language} if arguments.language else {}
    grammar = {"grammar": read_text(arguments.grammar)} if arguments.grammar else {}
    set_up("asr", response_format="asr.utf-8.stream", input=tasks["kws"], **language, **grammar)
    inputs = [tasks["asr"], tasks["kws"]]
    tools = "home" if arguments.home else "auto"
    thinking = {"model": arguments.model, "prompt": arguments.system, "tools": tools}
    set_up("llm", response_format="llm.utf-8.stream", input=inputs, **thinking)
    voice = language | ({"speaker": arguments.speaker} if arguments.speaker else {})
    set_up("tts", response_format="sys.pcm", input=[tasks["llm"], tasks["kws"]], speed=arguments.speed, **voice)
    for unit in ("asr", "kws"):
        connection.ask(work_id=tasks[unit], action="link", data="sys.pcm")


class EventPrinter:
    """Prints the chain's events with the seconds since the wake."""

    def __init__(self, tasks: dict[str, str]) -> None:
        self._units = {work_id: unit for unit, work_id in tasks.items()}
        self._woken = time.monotonic()
        self._open = ""
        """The unit whose line is not ended yet; "" if there is none."""

    def show(self, reply: dict[str, Any]) -> None:
        """Print one frame of one of the tasks."""
        unit = self._units.get(reply["work_id"])
        if unit is None:
            return
        if reply["error"]["code"]:
            fail(reply["error"]["message"])
        if unit == "kws":
            self._woken = time.monotonic()
            self._write("wake", "")
        elif unit == "asr" and reply["data"]["finish"]:
            self._write("heard", reply["data"]["delta"] or "(nothing)")
        elif reply["object"] == "llm.tool_call":
            self._write("call", call_text(reply["data"]))
        elif unit == "llm":
            self._continue(reply["data"]["delta"])
        elif reply["object"] == "tts.played":
            self._write("spoken", "to the end" if reply["data"] else "cut")

    def _write(self, what: str, text: str) -> None:
        start = "\n" if self._open else ""
        self._open = ""
        say(f"{start}{time.monotonic() - self._woken:6.2f} s  {what:7} {text}\n")
        sys.stdout.flush()

    def _continue(self, text: str) -> None:
        if not text:
            return
        if not self._open:
            self._open = "llm"
            sys.stdout.write(f"{time.monotonic() - self._woken:6.2f} s  answer  ")
        say(text)
        sys.stdout.flush()
