"""An inference that uses tools, with a toolbox, an intent program and a model that do what a test says."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from unitd.core.home.call_guard import ALLOWED, Evidence, Verdict
from unitd.core.home.skill_tools import SKILL_TOOLS
from unitd.core.outcomes import DeviceState, Outcome
from unitd.runtime.tasks.tool_loop import Recognition, ToolUse
from unitd.runtime.tasks.tool_messages import Call

PICTURE = b"\x89PNG\r\n\x1a\n"
ON, OFF = "The kitchen light is on.", "The kitchen light is off."


def a_call(name: str = "turn_on", entity: str = "kitchen light", **arguments: Any) -> Call:
    """Return a call as the intent program and models make it."""
    return {"id": f"{name} {entity}", "name": name, "arguments": {"entity": entity, **arguments}}


class Hands:
    """A toolbox that notes what is to be done; the devices of `refused` are not what the words mean."""

    defaults: Mapping[str, Any] = {}

    def __init__(self, *outcomes: str, refused: Mapping[str, Verdict] | None = None, confirm: str = "") -> None:
        self.calls: list[Call] = []
        self._outcomes = list(outcomes)
        self._refused = refused or {}
        self._confirm = confirm
        self.sets: dict[str, list[str]] = {}
        """By device those that are meant with it."""

    async def prepare(self, setup: dict[str, Any], *, sees: bool, calls_skills: bool) -> dict[str, Any]:
        """Add nothing."""
        return setup

    def narrowed(self, setup: Mapping[str, Any], names: Collection[str], *, sees: bool) -> dict[str, Any]:
        """Name the devices in the prompt."""
        return {"prompt": ", ".join(names)}

    def recognition(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Return nothing."""
        return {}

    async def listing(self) -> list[dict[str, Any]]:
        """List nothing."""
        return []

    def is_skill(self, name: str) -> bool:
        """Return whether it is one of the board's skills; this home has no tool of these names."""
        return name in SKILL_TOOLS

    def check(self, call: Call, evidence: Any, before: Any, read: Mapping[str, DeviceState]) -> Verdict:
        """Refuse some devices, and ask before one tool."""
        if call["name"] == self._confirm:
            return Verdict(False, "Shall I?", is_asked=True)
        return self._refused.get(call["arguments"]["entity"], ALLOWED)

    def targets(self, call: Call, evidence: Any) -> list[Call]:
        """Return a call for each of the devices that make up a set."""
        members = self.sets.get(call["arguments"]["entity"], [])
        return [call | {"arguments": call["arguments"] | {"entity": each}} for each in members] or [call]

    def evidence_of(self, calls: Sequence[Call], language: str) -> Evidence:
        """Name the devices."""
        return {"entities": [each["arguments"].get("entity", "") for each in calls]}

    def confirmation(self, calls: Sequence[Call], language: str) -> str:
        """Ask before one tool."""
        return "Shall I?" if any(each["name"] == self._confirm for each in calls) else ""

    async def do(self, call: Call, *, sees: bool) -> Outcome:
        """Note it; a camera has a picture."""
        self.calls.append(call)
        if call["name"] == "look_at" and sees:
            return Outcome("This is the picture of the door.", is_done=True, picture=PICTURE)
        return Outcome(self._outcomes.pop(0) if self._outcomes else ON, is_done=True)


class Program:
    """An intent program that answers what a test says, in this order."""

    def __init__(self, *answers: Recognition) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._answers = list(answers)

    async def ask(self, message: str, **fields: Any) -> Recognition:
        """Return the next answer."""
        self.asked.append((message, fields))
        return self._answers.pop(0) if self._answers else {}


class Inference:
    """An inference: a model that calls what a test says, round by round."""

    def __init__(self, *rounds: Sequence[Call]) -> None:
        self.told: list[Call] = []
        self.asked: list[Mapping[str, Any]] = []
        self.delayed: list[tuple[float, str]] = []
        self.acted: list[Call] = []
        self.said: list[str] = []
        self.questions: list[str] = []
        self.is_wanted = True
        self._rounds = list(rounds)
        self.use: ToolUse

    async def may_go_on(self, use: ToolUse) -> bool:
        """Return whether the answer is wanted."""
        return self.is_wanted

    def tell(self, call: Call) -> None:
        """Note the frame."""
        self.told.append(call)

    def say(self, words: str) -> None:
        """Note the words."""
        self.said.append(words)

    async def delay(self, seconds: float, text: str) -> bool:
        """Keep the command."""
        self.delayed.append((seconds, text))
        return True

    async def act(self, call: Call) -> Outcome:
        """Answer for a skill."""
        self.acted.append(call)
        return Outcome("", is_done=True, data={"n": len(self.acted)})

    def ask_model(self, changes: Mapping[str, Any], question: str = "") -> None:
        """Call, and end the round."""
        self.asked.append(changes)
        self.questions.append(question)
        for call in self._rounds.pop(0) if self._rounds else ():
            self.use.note(call)
        self.use.end_round({"total_tokens": 10}, has_failed=False)


def a_use(
    hands: Hands, program: Program, inference: Inference, text: str = "turn on the light", **more: Any
) -> ToolUse:
    """Return the use of tools by an inference."""
    setup = {"prompt": "Be brief."} | more.pop("setup", {})
    inference.use = ToolUse(hands, program, inference, setup=setup, text=text, **more)
    return inference.use


def nothing() -> Any:
    """Return what a unit without history remembers."""
    return None


UNKNOWN: Recognition = {"evidence": {}, "candidates": ["kitchen light", "desk lamp"], "language": "en"}
YES: Recognition = {"evidence": {"says": "yes"}, "candidates": []}
