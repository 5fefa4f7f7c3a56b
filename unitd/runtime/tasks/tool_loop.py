"""An answer that uses the board's own tools: first the intent program looks for what is meant, then a model.

What the intent program recognises is done call by call, and the program puts it into words. Only what it does not
recognise reaches the model, which is shown the devices that the sentence may mean. What the model calls is done when
the guard finds it in the words of the person; the daemon says what came of it. The model is told the outcomes and may
call again, up to four times. It does not put them into words: it might garble an error, or claim more than was done.

A picture that a call has fetched is for the model as well, whoever made the call: the model gets it with the question,
and says the answer itself.

This holds only for tasks that were set up with the board's own tools; a client that brings tools gets the calls and
does them.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from unitd.core.home.call_guard import Evidence, agrees, declines
from unitd.core.home.call_guard_words import cannot_wait, forgotten, too_many_wait
from unitd.core.home.skill_tools import LANGUAGE, are_said, sentences_for
from unitd.core.outcomes import DeviceState, Outcome, told, told_of_set
from unitd.runtime.tasks.board_tools import Toolbox
from unitd.runtime.tasks.tool_messages import Call, conversation_so_far, last_question, results_of, with_pictures

# A model that goes on calling is not asked again.
MAX_ROUNDS = 4

# So many calls of one wish are done at the same time: Home Assistant takes some 20 ms for each.
AT_ONCE = 8

AGREED = "OK."
"""The answer where there is nothing to say, as after "never mind"."""

AWAY = "Sentences cannot be understood at the moment."

AUTO = "auto"
"""What a setup says to have the board's own tools; where there are none the model is told so."""

Recognition = dict[str, Any]
"""The intent program's answer: a turn with calls, an answer, or evidence and candidates for a model; {} for none."""


class Recognizes(Protocol):
    """What asks the intent program for one task."""

    async def ask(self, message: str, **fields: Any) -> Recognition:
        """Return the program's answer; {} when it is away."""


class Pending(NamedTuple):
    """What is done when the person says yes."""

    calls: Sequence[Call]
    turn: int | None = None
    """The intent program's number of the turn; None for calls of a model."""


@dataclass
class Turn:
    """What the next turn of the same conversation must know of this one."""

    evidence: Evidence | None = None
    """What the sentence names; None when the intent program is away."""

    pending: Pending | None = None
    """What the answer asks about."""

    words: str = ""
    """What the person has said."""


class ToolUser(Protocol):
    """The inference that the tools are used for."""

    async def may_go_on(self, tools: "ToolUse") -> bool:
        """Wait while the task is paused. Return False as soon as the answer was cut: nothing more may be done."""

    def tell(self, call: Call) -> None:
        """Tell the client of a call that is about to be done."""

    def say(self, words: str) -> None:
        """Say words of the answer before the model goes on with it."""

    async def delay(self, seconds: float, text: str) -> bool:
        """Let a command wait. Return False when too many wait."""

    async def act(self, call: Call) -> Outcome:
        """Do a call of a skill; never raises."""

    def ask_model(self, changes: Mapping[str, Any], question: str = "") -> None:
        """Let the model answer, with these keys of its setup changed; the round ends with `ToolUse.end_round`.

        It answers the `question`; "" for the one that the client asked.
        """


class ToolUse:
    """One inference on its way through calls and their outcomes to the answer that tells them."""

    def __init__(
        self,
        toolbox: Toolbox,
        recognizer: Recognizes,
        user: ToolUser,
        *,
        setup: Mapping[str, Any],
        text: str,
        sees: bool = False,
        conversation: str = "",
        last: Turn | None = None,
    ) -> None:
        """`setup` holds the inference's own keys too; `last` is the turn before of the same conversation.

        `sees` is whether the model has vision. `conversation` is what the intent program knows the conversation by; ""
        for a sentence without one.
        """
        self.text = text
        self._toolbox = toolbox
        self._recognizer = recognizer
        self._user = user
        self._setup = setup
        self._sees = sees
        self._whose = {"conversation": conversation} if conversation else {}
        self._before = last.evidence if last is not None else None
        self._asked = last.pending if last is not None else None
        self._said_before = last.words if last is not None else ""
        self.turn = Turn()
        self._language = ""
        self._memory: Callable[[], Any] = dict
        self._has_model = True
        self._calls: list[list[Call]] = []
        """The calls of the model's present round; one of a set of devices is several."""

        self._made: list[tuple[str, Any]] = []
        """Name and arguments of every call of this turn."""

        self._outcomes: list[Outcome] = []
        self._told: list[str] = []
        """What is said of the model's calls."""

        self._read: dict[str, DeviceState] = {}
        self._refusal = ""
        self._otherwise = AWAY
        """What is said of a sentence that is not understood."""

        self._for_skill: Sequence[str] = ()
        """The sentences for a skill that the model has called."""

        self.usage: dict[str, int] = {}
        """The tokens of all rounds."""

        self.round: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """Done at the end of the model's present round, True when the answer goes on; cancelled with the answer."""

    async def answer(self, memory: Callable[[], Any], *, has_model: bool = True) -> str | None:
        """Return the words of the answer; None when the model has said them, or they are not wanted any more.

        `memory` returns what the unit remembers of the conversation, as its last finish said.
        """
        self._memory, self._has_model = memory, has_model
        text = self.turn.words = self.text or last_question(self._setup)
        heard = await self._recognizer.ask("recognize", text=text, **self._whose)
        self.turn.evidence = heard.get("evidence")
        self._language = str(heard.get("language", ""))
        if not await self._user.may_go_on(self):
            return None
        if self._asked is not None and agrees(self.turn.evidence):
            asked = {"calls": self._asked.calls, "turn": self._asked.turn}
            return await self._carry_out(asked, is_confirmed=True)
        if self._asked is not None and declines(self.turn.evidence):
            return forgotten(self._language)
        if "after_seconds" in heard:
            return await self._put_off(heard)
        if "calls" in heard:
            self.turn.evidence = self._toolbox.evidence_of(heard["calls"], self._language)
            return await self._carry_out(heard)
        if "answer" in heard:
            return str(heard["answer"] or AGREED)
        return await self._unrecognized(heard)

    async def _unrecognized(self, heard: Recognition) -> str | None:
        """Let a model answer what the intent program has not understood."""
        self._otherwise = str(heard.get("otherwise", self._otherwise))
        if not self._has_model:
            return self._otherwise
        changes = self._toolbox.narrowed(self._setup, heard.get("candidates", ()), sees=self._sees)
        return await self._ask_model(changes)

    # What the intent program recognised

    async def _put_off(self, heard: Recognition) -> str:
        """Let a command wait; one that needs a confirmation cannot, because nobody may be there to give it."""
        if self._toolbox.confirmation(heard.get("calls", ()), self._language):
            return cannot_wait(self._language)
        is_kept = await self._user.delay(heard["after_seconds"], heard["command"])
        return str(heard["answer"]) if is_kept else too_many_wait(self._language)

    async def _carry_out(self, heard: Recognition, *, is_confirmed: bool = False) -> str | None:
        """Do the calls of each round until the program has an answer; a model answers about pictures."""
        while calls := heard.get("calls"):
            if not is_confirmed and (question := self._toolbox.confirmation(calls, self._language)):
                self.turn.pending = Pending(calls, heard["turn"])
                return question
            places = asyncio.Semaphore(AT_ONCE)
            # A skill may find, by what it reads, that the sentence is not for it: then it has called nothing.
            of_skills = [call for call in calls if "skill" in call]
            outcomes = await asyncio.gather(*[self._do(call, places, is_told="skill" in call) for call in calls])
            if not await self._user.may_go_on(self):
                self._tell(of_skills)
                return None
            self._outcomes += outcomes
            told_so_far = {"answer": told([each.text for each in self._outcomes if not each.picture])}
            if heard["turn"] is None or all(each.is_confirmation for each in outcomes):
                self._tell(of_skills)
                heard = told_so_far
                break
            found = [each.as_data() for each in outcomes]
            heard = await self._recognizer.ask("outcomes", turn=heard["turn"], outcomes=found) or told_so_far
            if "evidence" not in heard:
                self._tell(of_skills)
        if "evidence" in heard:
            self.turn.evidence = heard["evidence"]
            self._outcomes.clear()
            return await self._unrecognized(heard)
        words = str(heard.get("answer", ""))
        if pictures := self._pictures:
            question = "" if self._setup.get("messages") else str(heard.get("question", ""))
            return await self._ask_model(self._show(pictures, words, self._setup), question)
        return words or AGREED

    def _tell(self, calls: Sequence[Call]) -> None:
        for each in calls:
            self._user.tell(each)

    async def _do(self, call: Call, places: asyncio.Semaphore, *, is_told: bool = True) -> Outcome:
        """Do a call when it may be done; each is of another device, so some are done at once."""
        async with places:
            if not await self._user.may_go_on(self):
                return Outcome("", is_done=False)
            if not is_told:
                self._user.tell(call)
            is_skill = "skill" in call
            outcome = await (self._user.act(call) if is_skill else self._toolbox.do(call, sees=self._sees))
        if outcome.state is not None:
            self._read[str(call["arguments"].get("entity"))] = outcome.state
        return outcome

    # What a model calls

    async def _ask_model(self, changes: Mapping[str, Any], question: str = "") -> str | None:
        """Let the model answer, with these keys of the setup changed; do what it calls."""
        self._user.ask_model(changes, question)
        messages: list[dict[str, Any]] = []
        rounds = 0
        while await self.round:
            calls, self._calls = self._calls, []
            rounds += 1
            outcomes = [await self._outcomes_of(each) for each in calls]
            if not await self._user.may_go_on(self):
                return None
            if pictures := self._pictures:
                words = told([*filter(None, self._told), *filter(None, [self._refusal])])
                told_so_far = {"messages": messages} if messages else {}
                more = self._show(pictures, words, {**self._setup, **changes, **told_so_far})
            elif self._refusal or not calls or rounds == MAX_ROUNDS:
                break
            else:
                messages = messages or conversation_so_far({**self._setup, **changes}, self._memory(), self.text)
                messages += results_of(calls, outcomes)
                more = {"messages": messages}
            self.round = asyncio.get_running_loop().create_future()
            self._user.ask_model({**changes, **more})
        if not self.goes_on:
            return None
        if self._for_skill:
            return await self._use_skill()
        if self._outcomes:
            self.turn.pending = None  # what was done is what was meant; a further call was the model's own idea
            return told(self._told)
        return self._refusal

    async def _use_skill(self) -> str | None:
        """Let the skill read the sentences that the model's call stands for, and add its answer to what was done."""
        self._has_model = False  # what the skill does not take, nobody does
        done, self._outcomes = self._told, []
        fields = {"language": LANGUAGE, "sentences": self._for_skill}
        heard = await self._recognizer.ask("recognize_skill", **fields, **self._whose)
        answer = await self._carry_out(heard or {"answer": self._otherwise})
        return answer and told([*done, answer])

    async def _outcomes_of(self, calls: Sequence[Call]) -> list[Outcome]:
        """Do the calls that one of the model stands for."""
        places = asyncio.Semaphore(AT_ONCE)
        outcomes = await asyncio.gather(*[self._do(call, places) for call in calls])
        self._outcomes += outcomes
        self._told.append(told_of_set([each for each in outcomes if not each.picture]))
        return outcomes

    @property
    def _pictures(self) -> list[bytes]:
        """The pictures that calls have fetched and the model has not seen."""
        return [each.picture for each in self._outcomes if each.picture]

    def _show(self, pictures: Sequence[bytes], words: str, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Say what else is to be said, and return the keys of the setup with which the model answers about pictures.

        It calls nothing more.
        """
        if words:
            self._user.say(f"{words} ")
        self._outcomes, self._told, self._refusal = [], [], ""
        return {**with_pictures(setup, pictures), "tool_choice": "none"}

    def note(self, call: Call) -> list[Call]:
        """Take a call that the model wants done; return the calls that are done for it.

        There is none for a call that repeats another of the same turn, that the words do not back, or that needs a
        confirmation.
        """
        if self._toolbox.is_skill(call["name"]):
            self._note_skill(call)
            return []
        calls = [each for each in self._toolbox.targets(call, self.turn.evidence) if self._is_new(each)]
        verdicts = [self._toolbox.check(each, self.turn.evidence, self._before, self._read) for each in calls]
        asked = [each for each, verdict in zip(calls, verdicts, strict=True) if verdict.is_asked]
        if asked:
            self.turn.pending = self.turn.pending or Pending(asked[:1])  # the question names one device
        self._refusal = self._refusal or next((each.answer for each in verdicts if each.answer), "")
        allowed = [each for each, verdict in zip(calls, verdicts, strict=True) if verdict.is_allowed]
        if allowed:
            self._calls.append(allowed)
        return allowed

    def _note_skill(self, call: Call) -> None:
        """Keep a call of a skill, whose words must be the person's; the skill's own calls are those that are done."""
        name, arguments = call["name"], call["arguments"]
        if are_said(name, arguments, f"{self._said_before} {self.turn.words}"):
            self._for_skill = self._for_skill or sentences_for(name, arguments)
        if not self._for_skill:
            self._refusal = self._refusal or self._otherwise

    def _is_new(self, call: Call) -> bool:
        """Return whether the same was not called in this turn, and keep that it was."""
        made = (call["name"], call["arguments"])
        if made in self._made:
            return False
        self._made.append(made)
        return True

    def end_round(self, usage: Mapping[str, int], *, has_failed: bool) -> None:
        """Add the tokens of a round of the model, and let its calls be done; those of a round that failed are not."""
        self.usage = {key: self.usage.get(key, 0) + tokens for key, tokens in usage.items()}
        if has_failed:
            self._calls.clear()
        self.round.set_result(self.goes_on)

    @property
    def goes_on(self) -> bool:
        """True when the end of the model's round is not the end of the answer: there are calls, or words about them."""
        return bool(self._calls or self._outcomes or self._refusal or self._for_skill)

    @property
    def has_outcomes(self) -> bool:
        """True as soon as a call was done, or was tried."""
        return bool(self._outcomes)
