"""The unit `notes` answers a question with the best passages of a folder of texts.

A model is a folder with text files and a `card.toml` that contains `unit = "notes"`. The daemon starts one program for
each such folder. The program calls `load` once and then passes on messages, one after the other; docs/units.md lists
them. Do long work in `step`, in small pieces: between two of them the daemon can pause, cancel or end a task.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import RUN_FAILED, SETUP_REFUSED, Handler, LoadError, Unit, UnitFault
from units.host import Host

SUFFIXES = (".md", ".txt")
USUAL_PASSAGES = 3
MOST_PASSAGES = 20


@dataclass(frozen=True)
class Answer:
    """The rest of an answer."""

    number: int
    passages: Iterator[str]


class NotesUnit(Unit):
    """All tasks of one folder."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._wanted: dict[str, int] = {}
        """The number of passages for each task."""

        self._answers: dict[str, Answer] = {}
        self._paused: set[str] = set()
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "infer": self._infer,
            "pause": self._pause,
            "work": self._resume,
            "cancel": self._cancel,
            "exit": self._exit,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Read the folder; return what the daemon may log.

        Raises:
            LoadError: the folder cannot be used; the text becomes the error of the client's setup.
        """
        if not load["path"]:
            raise LoadError("setup needs a model: a folder of texts with a card.toml")
        passages = [passage for file in _files(Path(load["path"])) for passage in _passages(file)]
        if not passages:
            raise LoadError(f"{load['model']} has no texts ({' or '.join(SUFFIXES)})")
        self._index = sqlite3.connect(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE passage USING fts5(text, tokenize = 'porter')")
        self._index.executemany("INSERT INTO passage VALUES (?)", [(each,) for each in passages])
        return {"about": f"{len(passages)} passages"}

    # Work

    @property
    def is_busy(self) -> bool:
        """Return True while an answer is neither finished nor paused."""
        return any(task not in self._paused for task in self._answers)

    def step(self) -> None:
        """Send one passage of each answer."""
        for task, answer in list(self._answers.items()):
            if task in self._paused:
                continue
            if (passage := next(answer.passages, None)) is not None:
                self._host.say("delta", task=task, inference=answer.number, text=f"{passage}\n\n")
            else:
                self._finish(task, "stop")

    def _finish(self, task: str, reason: str) -> None:
        """End an inference, exactly once."""
        if (answer := self._answers.pop(task, None)) is not None:
            self._host.say("finish", task=task, inference=answer.number, reason=reason)

    # Messages

    def _setup(self, envelope: Envelope) -> None:
        wanted = envelope.fields["data"].get("passages", USUAL_PASSAGES)
        if type(wanted) is not int or not 1 <= wanted <= MOST_PASSAGES:
            words = f"passages is {wanted!r}, it must be a whole number from 1 to {MOST_PASSAGES}"
            raise UnitFault(SETUP_REFUSED, words)
        self._wanted[envelope.fields["task"]] = wanted

    def _infer(self, envelope: Envelope) -> None:
        task, number = envelope.fields["task"], envelope.fields["inference"]
        if not envelope.fields["is_text"]:
            words = "notes takes text (notes.utf-8)"
            self._host.say("finish", task=task, inference=number, reason="error", code=RUN_FAILED, message=words)
            return
        self._answers[task] = Answer(number, self._search(envelope.payload.decode(), self._wanted[task]))

    def _search(self, question: str, most: int) -> Iterator[str]:
        """Return the best passages first; any word of the question counts, rare words more."""
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = "SELECT text FROM passage WHERE passage MATCH ? ORDER BY rank LIMIT ?"
        return (text for (text,) in self._index.execute(found, (words or '""', most)))

    def _pause(self, envelope: Envelope) -> None:
        self._paused.add(envelope.fields["task"])

    def _resume(self, envelope: Envelope) -> None:
        self._paused.discard(envelope.fields["task"])

    def _cancel(self, envelope: Envelope) -> None:
        self._finish(envelope.fields["task"], "interrupted")

    def _exit(self, envelope: Envelope) -> None:
        task = envelope.fields["task"]
        self._finish(task, "interrupted")
        self._paused.discard(task)
        self._wanted.pop(task, None)


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix in SUFFIXES)


def _passages(file: Path) -> list[str]:
    """Return the paragraphs of a text, each with the name of its file."""
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{file.name} cannot be read: {error}") from error
    return [f"{file.stem}: {paragraph.strip()}" for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]
