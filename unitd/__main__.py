"""`unitd`: one parser for every command; a command's module is imported when it is chosen."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from unitd import __version__

# What a shell expects of a program that Ctrl-C ended.
INTERRUPTED = 130
_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
DESCRIPTION = "A voice-and-language device in one daemon: JSON lines over TCP 10001, a serial line or a Unix socket."


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="unitd", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"unitd {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_serve(commands)
    talking = [*_add_text_commands(commands), *_add_voice_commands(commands)]
    tasks = commands.add_parser("tasks", help="list the tasks", description="List the tasks that are set up.")
    for command in (*talking, tasks):
        command.add_argument("--socket", type=Path, metavar="PATH", help="the daemon's Unix socket")
        command.add_argument("--config", type=Path, metavar="FILE", help="the configuration that names it")
    _add_access_commands(commands)
    _add_model_commands(commands)
    _add_machine_commands(commands)
    return parser


def _add_serve(commands: Commands) -> None:
    """Add serve, without what runs the daemon: the other commands need not wait until that is imported."""
    parser = commands.add_parser("serve", help="run the daemon", description="Run the daemon in the foreground.")
    parser.add_argument("--config", type=Path, metavar="FILE", help="configuration (TOML)")
    parser.add_argument("--check", action="store_true", help="check the configuration and stop")
    parser.add_argument(
        "--log-level", choices=("debug", "info", "warning", "error"), help="instead of the configured one"
    )
    parser.add_argument("--llama-url", metavar="URL", help="a server that computes the answers ([llm] url)")
    parser.add_argument("--num-slots", type=int, metavar="N", help="answers computed side by side ([llm] slots)")
    parser.add_argument("--host", metavar="ADDRESS", help="where HTTP and WebSocket listen ([http] host)")
    parser.add_argument("--port", "-p", type=int, metavar="N", help="their port ([http] port)")


def _add_text_commands(commands: Commands) -> list[argparse.ArgumentParser]:
    """Add chat and send."""
    chat = commands.add_parser(
        "chat",
        help="talk to the language model",
        description="Talk to the language model. Ctrl-C interrupts the answer, at the prompt it leaves; Ctrl-D leaves.",
    )
    chat.add_argument("text", nargs="?", help="one question; without it a conversation")
    chat.add_argument("--model", default="default", help="model name (default: the configured one)")
    chat.add_argument(
        "--image",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="show this picture with the first question; more than one may be given",
    )
    chat.add_argument("--system", default="", metavar="TEXT", help="system prompt")
    chat.add_argument("--home", action="store_true", help="fail where the board has no tools of its own")
    chat.add_argument("--max-tokens", type=int, default=512, metavar="N", help="longest answer (default: 512)")

    send = commands.add_parser(
        "send",
        help="send one request and print what comes back",
        description="Send one JSON request and print its reply, or an inference's frames up to the last one.",
    )
    send.add_argument("json", help='for example \'{"request_id":"1","work_id":"sys","action":"ping"}\'; - reads stdin')
    send.add_argument("--wait", type=float, default=30.0, metavar="SECONDS", help="for the next line (default: 30)")
    return [chat, send]


def _add_machine_commands(commands: Commands) -> None:
    """Add doctor and install-service."""
    doctor = commands.add_parser(
        "doctor",
        help="say what is installed and what is missing",
        description="Check this machine: the program's parts, models, configuration, serial ports, the daemon.",
    )
    doctor.add_argument("--config", type=Path, metavar="FILE", help="configuration to check")
    service = commands.add_parser(
        "install-service",
        help="write systemd's files for this installation",
        description="Write unit files that start this program, its user and its folders; starts nothing.",
    )
    service.add_argument("--dry-run", action="store_true", help="print the files instead")
    service.add_argument("--root", type=Path, metavar="DIR", help="for packages: below DIR, in usr/lib instead of /etc")


def _add_access_commands(commands: Commands) -> None:
    """Add token and cert."""
    token = commands.add_parser("token", help="who may use this board from other machines")
    actions = token.add_subparsers(dest="what", required=True, metavar="new|list|revoke")
    new = actions.add_parser("new", help="make one; it is printed once")
    new.add_argument("name", help="whose it is")
    new.add_argument("--role", choices=("observe", "use", "admin"), default="use", help="(default: use)")
    new.add_argument("--expires", type=_span, metavar="SPAN", help="12h, 90d, 1y (default: never)")
    for limit in ("requests-per-minute", "connections", "tasks", "frame-bytes"):
        new.add_argument(f"--{limit}", type=int, default=0, metavar="N", help="(default: no limit of its own)")
    revoke = actions.add_parser("revoke", help="end one")
    revoke.add_argument("name")
    for action in (new, actions.add_parser("list", help="show all"), revoke):
        action.add_argument("--file", type=Path, help="where they are kept (default: as the configuration says)")
        action.add_argument("--config", type=Path, metavar="FILE", help="the configuration that says so")
        action.add_argument("--socket", type=Path, metavar="PATH", help="the daemon's Unix socket")

    cert = commands.add_parser("cert", help="a certificate of one's own, for TLS")
    made = cert.add_subparsers(dest="what", required=True, metavar="new").add_parser("new", help="make one")
    made.add_argument("--dir", type=Path, default=Path(), help="where to (default: here)")
    made.add_argument("--name", action="append", help="a name or address of this board (default: all of them)")
    made.add_argument("--days", type=int, default=825, metavar="N", help="how long it is good (default: 825)")
    made.add_argument("--force", action="store_true", help="replace the one that is there")


def _span(text: str) -> int:
    """Return the seconds of "12h", "90d", "2w" or "1y"."""
    unit = _SECONDS.get(text[-1:])
    if unit is None or not text[:-1].isascii() or not text[:-1].isdigit() or not int(text[:-1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 12h, 90d, 2w or 1y")
    return int(text[:-1]) * unit


def _add_model_commands(commands: Commands) -> None:
    """Add models with list, info, pull, rm, import, verify and suggest."""
    models = commands.add_parser(
        "models",
        help="list, fetch and remove models",
        description="The models of this machine and those that can be fetched; no daemon is needed.",
    )
    actions = models.add_subparsers(dest="what", required=True, metavar="list|info|pull|rm|import|verify|suggest")
    actions.add_parser("list", help="what is here, what can be fetched, and what of it fits this board")
    actions.add_parser("info", help="everything about one").add_argument("name", help="any of its names")
    actions.add_parser("pull", help="fetch one; goes on where it was cut").add_argument("name", help="any of its names")
    remove = actions.add_parser("rm", help="remove one; not while a task of the running daemon uses it")
    remove.add_argument("name", help="any of its names")
    remove.add_argument("--socket", type=Path, metavar="PATH", help="the daemon's Unix socket")
    taken = actions.add_parser("import", help="install a file, a folder or an archive of this machine")
    taken.add_argument("path", type=Path, metavar="FILE|DIR")
    taken.add_argument("--name", help="(default: as the file or the folder is called)")
    taken.add_argument("--quantize", default="", metavar="TYPE", help="with fewer bits for each weight, such as q4_0")
    actions.add_parser("verify", help="hold the files against what was fetched").add_argument(
        "name", nargs="*", help="(default: all)"
    )
    actions.add_parser("suggest", help="measure this board, and say what will run on it and how fast")
    for action in actions.choices.values():
        action.add_argument("--config", type=Path, metavar="FILE", help="the configuration that names the folders")


def _add_voice_commands(
    commands: Commands,
) -> list[argparse.ArgumentParser]:
    """Add say, listen and chain."""
    say = commands.add_parser(
        "say", help="speak a text", description="Speak a text through the loudspeaker, or into a WAV file."
    )
    say.add_argument("text", help="what to say; - reads stdin")
    say.add_argument("--model", default="unitd-tts", help="voice model (default: the bundled one)")
    say.add_argument("--speaker", default="", help="one of the model's voices")
    say.add_argument("--speed", type=float, default=1.0, help="1.0 is normal")
    say.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a WAV file instead")

    listen = commands.add_parser(
        "listen",
        help="show speech as text",
        description="Show what the microphone hears as text, until Ctrl-C; or what a recording says.",
    )
    listen.add_argument("file", nargs="?", type=Path, help="a recording (WAV, FLAC, MP3 …); without it the microphone")
    listen.add_argument("--model", default="unitd-asr", help="speech model (default: the bundled one)")
    listen.add_argument("--grammar", type=Path, metavar="FILE", help="a JSGF grammar: far more accurate for commands")

    chain = commands.add_parser(
        "chain",
        help="wake word, question, spoken answer",
        description="Listen for a wake word, hear a question, speak the answer; the wake word also interrupts it.",
    )
    chain.add_argument("--wake", default="hey jarvis", metavar="PHRASE", help="wake phrase (default: hey jarvis)")
    chain.add_argument("--model", default="default", help="language model (default: the configured one)")
    chain.add_argument("--system", default="", metavar="TEXT", help="system prompt")
    chain.add_argument("--home", action="store_true", help="fail where the board has no tools of its own")
    chain.add_argument("--grammar", type=Path, metavar="FILE", help="a JSGF grammar: far more accurate for commands")
    chain.add_argument("--language", default="", metavar="TAG", help="that is spoken and heard, such as en or de")
    chain.add_argument("--speaker", default="", help="one of the voices of the bundled voice model")
    chain.add_argument("--speed", type=float, default=1.0, help="of the spoken answer; 1.0 is normal")
    return [say, listen, chain]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that the arguments name, and exit with its status."""
    if (sys.argv[1:] if argv is None else argv)[:1] == ["serve"]:
        # A SIGHUP while the daemon starts must make it reload later, not end it (see serve).
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    arguments = build_parser().parse_args(argv)
    if arguments.command == "serve":
        from unitd.serve import serve

        sys.exit(serve(arguments))
    command = importlib.import_module(f"unitd.cli.commands.{arguments.command.replace('-', '_')}")
    try:
        sys.exit(command.run(arguments))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output has gone; without this Python would fail once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
