"""The intent unit: a sentence becomes calls of the home's tools, and their outcomes become the answer."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import orjson

from unitd.wire.envelope import Envelope
from units.base import RUN_FAILED, Unit, UnitFault
from units.host import Host
from units.intent.answers import Problem, render
from units.intent.candidates import candidates
from units.intent.daemon_log import log_to_daemon
from units.intent.evidence import evidence
from units.intent.house import House, read_house
from units.intent.library import UnknownLanguage, find_language
from units.intent.naming import HomeIndex
from units.intent.recognizer import Recognizer
from units.intent.replies import Questions, completed
from units.intent.rounds import Turn
from units.intent.sentence import Later, Listener, Understood
from units.intent.several import Parts, Waiting
from units.intent.skills.local_time import local_now
from units.intent.skills.matcher import SkillMatcher
from units.intent.skills.skill import Skill
from units.intent.skills.skills import Heard, Skills
from units.intent.skills.texts import TextsError
from units.intent.skills.turn import SkillTurn
from units.intent.steps import read_outcome, said
from units.setup_values import SetupValues, refusal

MOST_TURNS = 64
"""Turns that may wait for outcomes, or for a yes; an older one is given up, for its inference has ended."""

HouseKey = tuple[bytes, tuple[str, ...]]

Way = tuple[Mapping[str, Any], "Remembered | None"]
"""A reply to the daemon, and the turn that waits for the outcomes of its calls."""

Ways = Iterator[Way]


class Remembered(NamedTuple):
    """A turn in progress."""

    turn: Waiting
    conversation: str
    ways: Ways = iter(())
    """What is done with the sentence if a skill finds that it is not meant."""


@dataclass
class IntentTask:
    """A task: its languages, its house, and where it listens."""

    house: House
    house_key: HouseKey
    languages: tuple[str, ...]
    room: str
    index: HomeIndex
    skills: bytes
    """What the person's own skills are known by."""


class IntentUnit(Unit):
    """A unit whose tasks share the sentences of a language, and the devices of a home."""

    def __init__(
        self,
        host: Host,
        read_language: Callable[[str], Recognizer] = Recognizer,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = local_now,
        read_skills: Callable[[str, Sequence[Skill]], SkillMatcher] = SkillMatcher,
    ) -> None:
        self._host = host
        self._read_language = read_language
        self._questions = Questions(clock)
        self._tasks: dict[str, IntentTask] = {}
        self._recognizers: dict[str, Recognizer] = {}
        self._houses: dict[HouseKey, tuple[House, HomeIndex]] = {}
        self._numbers = count(1)
        self._skills = Skills(clock, now, self._numbers, read_skills)
        self._turns: dict[int, Remembered] = {}
        """The turns in progress; the yes that one waits for may come in another task."""

        self.handlers = {
            "setup": self._on_setup,
            "recognize": self._on_recognize,
            "recognize_skill": self._on_recognize_skill,
            "outcomes": self._on_outcomes,
            "infer": self._on_infer,
            "cancel": _on_nothing,
            "pause": _on_nothing,
            "work": _on_nothing,
            "exit": self._on_exit,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load nothing yet: a setup says which languages are needed."""
        log_to_daemon(self._host)
        return {"about": "intents of home-assistant-intents"}

    def _on_setup(self, envelope: Envelope) -> None:
        data = envelope.fields["data"]
        home = SetupValues(data).get("home")
        if not isinstance(home, dict):
            raise refusal("home must be the devices and tools of the home")
        languages = self._languages(data, home)
        skills = self._add_skills(data.get("skills") or [])
        key = (orjson.dumps(home, option=orjson.OPT_SORT_KEYS), languages)
        room = SetupValues(data).text("area", home.get("area") or "")
        if key not in self._houses:
            self._houses[key] = read_house(home, self._class_words(languages)), HomeIndex(home)
        house, index = self._houses[key]
        for language in languages:
            self._recognizers[language].warm(house)
        self._tasks[envelope.fields["task"]] = IntentTask(house, key, languages, room, index, skills)
        self._release()

    def _languages(self, data: dict[str, Any], home: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the languages of a task, with the sentences of each loaded."""
        tags = SetupValues(data).texts("language") or home.get("languages") or ["en"]
        try:
            languages = tuple(dict.fromkeys(find_language(tag) for tag in tags))
            for language in languages:
                if language not in self._recognizers:
                    self._recognizers[language] = self._read_language(language)
        except UnknownLanguage as error:
            raise refusal(f"language: {error}") from error
        return languages

    def _add_skills(self, rows: Any) -> bytes:
        try:
            return self._skills.add_own(rows)
        except (TextsError, UnknownLanguage) as error:
            raise refusal(f"skills: {error}") from error

    def _class_words(self, languages: tuple[str, ...]) -> dict[str, str]:
        return {word: of for language in languages for word, of in self._recognizers[language].class_words.items()}

    def _on_recognize(self, envelope: Envelope) -> Mapping[str, Any]:
        task = self._task(envelope)
        conversation = envelope.fields.get("conversation", envelope.fields["task"])
        room = task.house.area(envelope.fields.get("area") or task.room)
        return self._next(self._ways(task, conversation, envelope.fields["text"], room))

    def _on_recognize_skill(self, envelope: Envelope) -> Mapping[str, Any]:
        """Return the turn of the first skill that takes one of the sentences, which mean the same."""
        task = self._task(envelope)
        conversation = envelope.fields.get("conversation", envelope.fields["task"])
        room = task.house.area(envelope.fields.get("area") or task.room)
        language, sentences = envelope.fields["language"], envelope.fields["sentences"]
        return self._next(self._skill_ways(task, conversation, language, sentences, room))

    def _skill_ways(
        self, task: IntentTask, conversation: str, language: str, sentences: Sequence[str], room: str
    ) -> Ways:
        """Yield the turns that skills make of sentences, or what a model is told of sentences that none takes."""
        heard = Heard(language, room, task.house.rooms, task.house.domains(room), task.skills)
        for text in sentences:
            for found in self._skills.turns(text, heard):
                yield self._wait_for(found, conversation)
        yield for_model(next(iter(sentences), ""), task.index.heard_in(room), language), None

    def _ways(self, task: IntentTask, conversation: str, text: str, room: str) -> Ways:
        """Yield what is done with a sentence; each further one only where the one before did not want it after all."""
        if understood := self._reply(task, conversation, text):
            yield self._begin(task, conversation, understood)
        if (turn := self._skills.reply(conversation, text)) is not None:
            yield self._wait_for(turn, conversation)
        index = task.index.heard_in(room)
        problem: Understood | None = None
        listens = {name: partial(Listener, self._recognizers[name], task.house, index, room) for name in task.languages}
        for listen in listens.values():
            understood = listen().understand(text)
            if understood is not None and (is_clear(understood) or asks_which(understood)):
                yield self._begin(task, conversation, understood)
            problem = problem or understood
        domains = task.house.domains(room)
        for language, listen in listens.items():
            heard = Heard(language, room, task.house.rooms, domains, task.skills)
            for found in self._skills.turns(text, heard):
                yield self._wait_for(found, conversation)
            parts = Parts(listen, task.house, heard, self._skills, self._numbers)
            if several := parts.divided(text):
                yield self._wait_for(several, conversation)
        if problem and (task.house.devices or not problem.wishes):
            yield self._begin(task, conversation, problem)
        yield for_model(text, index, task.languages[0]), None

    def _next(self, ways: Ways) -> Mapping[str, Any]:
        """Return the reply of the next way, and remember its turn until its outcomes come."""
        reply, waiting = next(ways)
        if waiting is not None and waiting.turn.calls:
            self._turns[waiting.turn.number] = waiting._replace(ways=ways)
            if len(self._turns) > MOST_TURNS:
                del self._turns[min(self._turns)]
        return reply

    def _reply(self, task: IntentTask, conversation: str, text: str) -> Understood | None:
        """Return what a conversation was asked about, completed by its next sentence; None if this is no reply."""
        asked = self._questions.take(conversation, task.house_key)
        if asked is None or asked.reading.language not in task.languages:
            return None
        return completed(text, asked, self._recognizers[asked.reading.language], task.house)

    def _begin(self, task: IntentTask, conversation: str, understood: Understood) -> Way:
        if not understood.wishes:
            reading = understood.reading
            return {"answer": said(reading), "intent": reading.intent, "language": reading.language}, None
        turn = Turn(next(self._numbers), understood.wishes, task.house)
        if understood.later and turn.calls:
            return put_off(turn, understood.later), None
        self._questions.keep(conversation, understood, task.house_key)
        return self._wait_for(turn, conversation)

    def _wait_for(self, turn: Waiting, conversation: str) -> Way:
        if not turn.calls:
            self._skills.keep(turn, conversation)
        return turn.reply(), Remembered(turn, conversation)

    def _on_outcomes(self, envelope: Envelope) -> Mapping[str, Any]:
        number = envelope.fields["turn"]
        remembered = self._turns.get(number)
        outcomes = [read_outcome(each) for each in envelope.fields["outcomes"]]
        if remembered is None or len(outcomes) != remembered.turn.expected:
            raise UnitFault(RUN_FAILED, f"turn {number} waits for no {len(outcomes)} outcomes")
        turn, conversation, ways = remembered
        turn.take(outcomes)
        if not turn.calls:
            del self._turns[number]
            if isinstance(turn, SkillTurn) and not turn.is_meant:
                return self._next(ways)
            self._skills.keep(turn, conversation)
            if isinstance(turn, Turn) and turn.questions:
                asked = Understood(turn.questions[0].reading, turn.questions)
                self._questions.keep(conversation, asked, self._task(envelope).house_key)
        return turn.reply()

    def _on_infer(self, envelope: Envelope) -> None:
        """Say the answer that the daemon has: it did what the sentence means."""
        whose = {key: envelope.fields[key] for key in ("task", "inference")}
        if answer := envelope.fields.get("answer", ""):
            self._host.say("delta", text=answer, **whose)
            self._host.say("finish", reason="stop", **whose)
        else:
            raise UnitFault(RUN_FAILED, "intent takes text (intent.utf-8)")

    def _on_exit(self, envelope: Envelope) -> None:
        self._tasks.pop(envelope.fields["task"], None)  # its house stays: the next task often has the same

    def _task(self, envelope: Envelope) -> IntentTask:
        name = envelope.fields["task"]
        if name not in self._tasks:
            raise UnitFault(RUN_FAILED, f"there is no task {name}")
        return self._tasks[name]

    def _release(self) -> None:
        """Forget the houses and the languages that no task uses any longer, now that the newest one has its own."""
        houses = {task.house_key for task in self._tasks.values()}
        languages = {language for task in self._tasks.values() for language in task.languages}
        self._houses = {key: house for key, house in self._houses.items() if key in houses}
        self._recognizers = {name: each for name, each in self._recognizers.items() if name in languages}
        self._skills.prepare({(name, task.skills) for task in self._tasks.values() for name in task.languages})


def is_clear(understood: Understood) -> bool:
    """Return whether a sentence is about the home: about devices that it has, without a problem, and no mere "stop"."""
    return bool(understood.wishes) and all(wish.devices and not wish.problem for wish in understood.wishes)


def asks_which(understood: Understood) -> bool:
    """Return whether a sentence is about the home, and only open which of its devices is meant."""
    return any(wish.problem and wish.problem.kind == "which" for wish in understood.wishes)


def put_off(turn: Turn, later: Later) -> Mapping[str, Any]:
    """Return the fields for a command that is to be carried out later, with the calls that it would be now."""
    return {
        "turn": turn.number,
        "calls": turn.calls,
        "after_seconds": later.seconds,
        "command": later.command,
        "answer": said(later.reading),
        "intent": later.reading.intent,
        "language": later.reading.language,
    }


def _on_nothing(envelope: Envelope) -> None:
    """Do nothing: each message is done before the next one is read."""


def for_model(text: str, index: HomeIndex, language: str) -> Mapping[str, Any]:
    """Return what a model and the guard of its calls must know of a sentence that was not recognised."""
    return {
        "evidence": evidence(text, index, language),
        "candidates": candidates(text, index),
        "language": language,
        "otherwise": render(language, "", None, {}, (), (), Problem("not_understood")),
    }
