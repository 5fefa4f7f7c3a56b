"""Covers the names of the daemon's modules and classes: one name for each meaning."""

import ast
from collections import Counter
from pathlib import Path

DAEMON = Path(__file__).parent.parent / "unitd"

MODULES = {
    "actions": "of tasks, of audio: the handlers of requests",
    "chat": "the command, and OpenAI's endpoint of that name",
    "door": "of each protocol",
    "errors": "of the wire, and of OpenAI's API",
    "handler": "of each protocol over WebSocket",
    "homeassistant": "its REST client for tools, and its discovery over MQTT",
    "manager": "of tasks, of doors: owners of lifetimes",
    "metrics": "the figures, and the route that shows them",
    "models": "the command, the actions of sys, the routes: three ways to the same models",
    "request": "of each protocol over WebSocket",
    "requests": "of OpenAI's API, of MQTT: requests read from another shape",
    "session": "of the wire, of Wyoming, of the barge-in protocol",
    "store": "of models, of tasks: what is on disk",
    "timers": "what a timer is, and what people do with all of them",
    "turn": "of each protocol of spoken turns",
}
"""Base names that more than one folder has, and what they mean there."""

CLASSES = {
    "End": "how an answer ends; a message of the barge-in protocol",
    "Listener": "who is told of a child; a session that listens",
    "Message": "of a protocol; to a child",
    "Outcome": "of a tool call; of a spoken turn",
    "Refusal": "of each protocol over WebSocket",
    "Session": "of the wire, of Wyoming, of the barge-in protocol",
    "Speech": "of each protocol that speaks",
    "Start": "of each protocol over WebSocket",
    "Stream": "of each protocol over HTTP",
    "Transcriber": "of uploads; of a session over Wyoming",
    "Turn": "of each protocol of spoken turns",
}
"""Names that more than one class has, and what they mean there."""


def paths() -> list[Path]:
    """The modules of the daemon."""
    return [path for path in sorted(DAEMON.rglob("*.py")) if not path.stem.startswith("__")]


def test_no_two_modules_have_one_name_without_a_reason() -> None:
    """A name that is found in a traceback or a log leads to one file."""
    counts = Counter(path.stem for path in paths())

    assert {name for name, count in counts.items() if count > 1} == MODULES.keys()


def test_no_two_public_classes_have_one_name_without_a_reason() -> None:
    """A noun means one thing."""
    counts = Counter(
        node.name
        for path in paths()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert {name for name, count in counts.items() if count > 1} == CLASSES.keys()
