"""The board's own tools in one task: which inference uses them now, and what the turn before was about."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

from unitd.core.outcomes import Outcome
from unitd.core.tasks.kinds import INTENT
from unitd.core.tasks.table import Task
from unitd.runtime.skills.actions import Where
from unitd.runtime.tasks.board_tools import Toolbox
from unitd.runtime.tasks.conversations import MOST_CHARACTERS, conversation_of
from unitd.runtime.tasks.destinations import Shared
from unitd.runtime.tasks.output import End, Inference
from unitd.runtime.tasks.plan import Plan
from unitd.runtime.tasks.recognizer import Recognizer
from unitd.runtime.tasks.states import InferenceState
from unitd.runtime.tasks.tool_loop import ToolUse
from unitd.runtime.tasks.tool_messages import Call, ends_with_results


class TaskTools:
    """The tools of one task; without a toolbox in its plan they do nothing."""

    def __init__(
        self,
        task: Task,
        shared: Shared,
        *,
        memory: Callable[[], Any],
        tell: Callable[[Inference, Call], None],
        say: Callable[[Inference, str], None],
        compute: Callable[[Inference], None],
    ) -> None:
        """`memory` returns what the unit remembers, `tell` sends the frame of a call, `say` that of some words.

        `compute` sends the inference to the unit as soon as that may be.
        """
        self._task = task
        self._shared = shared
        self._memory = memory
        self._tell = tell
        self.say = say
        self._compute = compute
        self._toolbox: Toolbox | None = None
        self._sees = False
        self._recognizer: Recognizer | None = None
        self._use: ToolUse | None = None
        self._conversation = ""
        self._words = ""
        """What the model has said so far in this use."""

        self._unpaused = asyncio.Event()
        self._unpaused.set()

    def settle_in(self, plan: Plan) -> None:
        """Use the tools of this plan from now on."""
        self.leave()
        self._toolbox, self._sees = plan.toolbox, plan.card.has_vision
        if plan.toolbox is not None:
            self._recognizer = self._shared.recognizer_for(self._task.work_id, plan.toolbox.recognition(plan.setup))

    def leave(self) -> None:
        """Leave the intent program, if the task has a place there."""
        self.stop()
        if self._recognizer is not None:
            self._recognizer.close()
            self._recognizer = None

    async def wait_set_up(self) -> None:
        """Wait until sentences can be recognised; raise UnitdError when the intent program refuses the setup."""
        if self._recognizer is not None:
            await self._recognizer.wait_set_up()

    def pause(self) -> None:
        """Let no call be done until `resume`."""
        self._unpaused.clear()

    def resume(self) -> None:
        """Go on with the calls."""
        self._unpaused.set()

    @property
    def are_used(self) -> bool:
        """True from the begin of an inference until its answer is known."""
        return self._use is not None

    @property
    def hide_text(self) -> bool:
        """True when outcomes tell what was done, and not what a model says of them."""
        return self._use is not None and self._use.goes_on

    @property
    def have_outcomes(self) -> bool:
        """True as soon as a call of this answer was done, or was tried."""
        return self._use is not None and self._use.has_outcomes

    def begin(self, inference: Inference) -> bool:
        """Begin to look for the answer. Return False for an inference that the unit answers without these tools.

        That is one that brings tools of its own, and one whose answer is known.
        """
        is_known = self._use is not None or bool(inference.answer)
        if self._toolbox is None or self._recognizer is None or is_known or "tools" in inference.options:
            return False
        inference.advance(InferenceState.AT_TOOLS)
        user = _User(self, inference)
        text = inference.data if isinstance(inference.data, str) else ""
        setup = self._task.setup | inference.options
        conversation = self._conversation = conversation_of(self._task, inference.client)
        self._words = ""
        last = self._shared.conversations.last(conversation)
        self._use = use = ToolUse(
            self._toolbox,
            self._recognizer,
            user,
            setup=setup,
            text=text,
            sees=self._sees,
            conversation=conversation,
            last=last,
        )
        self._shared.conversations.keep(conversation, use.turn)
        self._shared.start(self._look_for_answer(inference, use), f"tools of {self._task.work_id}")
        return True

    async def _look_for_answer(self, inference: Inference, use: ToolUse) -> None:
        """Let the unit tell the answer, which remembers only the question and that."""
        answer = await use.answer(self._memory, has_model=self._task.kind.name != INTENT)
        if answer is None or self._use is not use:
            return
        self._use = None
        self._shared.conversations.keep_answer(self._conversation, answer)
        space = " " if inference.last_character.strip() else ""
        inference.usage, inference.data, inference.answer = use.usage, use.text, space + answer
        inference.options.pop("images", None)  # no model looks at them
        self.go_on(inference)

    def note(self, inference: Inference, call: Call) -> None:
        """Take a call of the model, and tell the client of what is done for it."""
        if self._use is None:
            self._tell(inference, call)
            return
        for each in self._use.note(call):
            self.tell(inference, each, "model")

    def hear(self, text: str) -> None:
        """Remember what the model says, in case that it is asked to say it again."""
        if self._use is not None and len(self._words) < MOST_CHARACTERS:
            self._words += text

    def end_round(self, inference: Inference, end: End, usage: Mapping[str, int]) -> bool:
        """End a round of the model. Return False when it was the end of the answer."""
        use = self._use
        if use is None or inference.is_cut or not use.goes_on or (end.error and not use.has_outcomes):
            return False
        inference.advance(InferenceState.AT_TOOLS)
        use.end_round(usage, has_failed=end.error is not None)
        return True

    def total(self, usage: Mapping[str, int]) -> Mapping[str, int]:
        """Return the tokens of an answer whose last round has used these."""
        rounds = self._use.usage if self._use is not None else {}
        return {key: tokens + rounds.get(key, 0) for key, tokens in usage.items()}

    def stop(self) -> None:
        """Do no more calls for the inference that uses the tools: it is over."""
        if self._use is None:
            return
        if self._words.strip():
            self._shared.conversations.keep_answer(self._conversation, self._words)
        self._use.round.cancel()
        self._use = None
        is_paused = not self._unpaused.is_set()
        self._unpaused.set()  # what waits looks again, and finds that it is not wanted
        if is_paused:
            self._unpaused.clear()

    async def may_go_on(self, use: ToolUse) -> bool:
        """Wait while the task is paused. Return False as soon as the tools are not used for this any more."""
        while self._use is use and not self._unpaused.is_set():
            await self._unpaused.wait()
        return self._use is use

    def tell(self, inference: Inference, call: Call, by: str) -> None:
        """Tell the client of a call of the board's tools, with who understood it ("intent" or "model") and when."""
        self._tell(inference, call | {"by": by, "ms": round((time.monotonic() - inference.asked_at) * 1000)})

    async def delay(self, seconds: float, text: str) -> bool:
        """Let a command wait, with the room and the language of this task. Return False when it cannot be kept."""
        return await self._shared.timers.delay(seconds, text, self._task.setup, self._task.grant_name)

    async def act(self, call: Call, inference: Inference) -> Outcome:
        """Do a call of a skill, with the room and the language of this task."""
        setup, task = self._task.setup | inference.options, self._task
        where = Where(
            str(setup.get("area") or ""),
            _first(setup.get("language")),
            task.work_id,
            task.grant_name,
            conversation_of(task, inference.client),
        )
        return await self._shared.skill_actions.do(call["name"], call["arguments"], where)

    def go_on(self, inference: Inference) -> None:
        """Give the inference back to the unit."""
        inference.advance(InferenceState.DUE)
        self._compute(inference)


def _first(language: Any) -> str:
    """Return the first of the languages of a setup; "" if it names none."""
    return str((language[0] if isinstance(language, list) and language else language) or "")


class _User:
    """An inference, as its tools see it."""

    def __init__(self, tools: TaskTools, inference: Inference) -> None:
        self._tools = tools
        self._inference = inference

    async def may_go_on(self, use: ToolUse) -> bool:
        return await self._tools.may_go_on(use)

    def tell(self, call: Call) -> None:
        self._tools.tell(self._inference, call, INTENT)

    def say(self, words: str) -> None:
        self._tools.say(self._inference, words)

    async def delay(self, seconds: float, text: str) -> bool:
        return await self._tools.delay(seconds, text)

    async def act(self, call: Call) -> Outcome:
        return await self._tools.act(call, self._inference)

    def ask_model(self, changes: Mapping[str, Any], question: str = "") -> None:
        self._inference.data = question or self._inference.data
        if ends_with_results(changes):
            self._inference.data = ""  # the question stands in the messages, with its pictures
            self._inference.options.pop("images", None)
        self._inference.options = {**self._inference.options, **changes}
        self._tools.go_on(self._inference)
