"""The llm unit of llama.cpp: tasks, conversations, and the messages of the daemon."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import LATER, RUN_FAILED, UNAVAILABLE, Handler, Unit, UnitFault
from units.host import Host
from units.llm.adapters import Adapters
from units.llm.biases import check_bias, with_own_biases
from units.llm.context import Alarm, Context
from units.llm.engine import Engine
from units.llm.grammars import Grammar, Grammars
from units.llm.llama import VERSION, Model
from units.llm.options import LlmOptions, SamplerSpec
from units.llm.policy import read_policy
from units.llm.prompt import PromptMaker
from units.llm.reading_ahead import READING_AHEAD, ReadingAhead
from units.llm.sampling import Sampler
from units.llm.sequence import Generation, common_length
from units.llm.snapshots import Snapshots, identity_of
from units.llm.task import LlmTask
from units.llm.task_prompts import TaskPrompts
from units.llm.task_text import text_stream
from units.llm.taught import narrowed, taught
from units.llm.tried import GoOn, TriedSettings
from units.llm.turn_ends import EndSampler, TurnEnds
from units.llm.vision.vision import Vision
from units.trials import Trials

CUTTING = ("cancel", "exit")


class LlmUnit(Unit):
    """A unit that serves all llm tasks of one model; it is also the listener of their generations."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._alarm = Alarm()
        self._tasks: dict[str, LlmTask] = {}
        self._trials = Trials(host)
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "infer": self._infer,
            "pause": self._pause,
            "work": self._resume,
            "policy": self._set_policy,
            "cancel": self._cancel,
            "warm": self._warm,
            "turn_end": self._turn_end,
            "exit": self._exit,
            "tried": self._trials.on_tried,
            "encoded": self._encoded,
        }

    # Life

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Load the weights and allocate the cache."""
        self._vision = Vision(self._host, self._trials, load.get("projector", ""))
        self._model = Model(load["path"], self._report_progress)
        self._grammars = Grammars(self._model)
        self._grammars.start()
        self._settings = TriedSettings(self._grammars, self._trials)
        self._context = Context(
            self._model,
            self._alarm,
            slots=load["slots"],
            context=load["context"],
            threads=load["threads"],
            exact=load["exact"],
        )
        self._engine = Engine(
            self._model,
            self._context,
            self._alarm,
            slots=load["slots"],
            is_exact=load["exact"],
            on_spoken=self._host.flush,
            pictures=self._vision,
        )
        self._vision.prepare(self._model, self._context, load)
        self._adapters = Adapters(self._model, self._context, load.get("vision_lora", ""))
        self._prompts = PromptMaker(self._model, load.get("chat_template", ""))
        warn = partial(self._host.log, "warning")
        trained_tokens = load.get("trained_tokens") or self._context.context
        self._task_prompts = TaskPrompts(self._prompts, trained_tokens, warn, self._vision.tokens)
        snapshots = None
        if load["cache_dir"]:
            identity = identity_of(Path(load["path"]), self._context.context, load["exact"], VERSION)
            snapshots = Snapshots(Path(load["cache_dir"]), identity, warn)
        self._turn_ends = TurnEnds(self._engine, self._host, partial(EndSampler, self._model, self._grammars))
        self._reading_ahead = ReadingAhead(self._engine, snapshots, self._host.answer)
        sequences = f"{load['slots']} sequences of {self._context.context} tokens"
        return {"about": f"{self._model.about}, {sequences}{self._vision.about}"}

    _reported_tenths = -1

    def _report_progress(self, fraction: float) -> None:
        """Report ten steps of progress, which are enough for the daemon's deadline."""
        if (tenths := int(fraction * 10)) != self._reported_tenths:
            self._reported_tenths = tenths
            self._host.say("progress", at=f"{tenths * 10} % of the weights")

    @property
    def is_busy(self) -> bool:
        """Return True while an answer is being computed."""
        return self._engine.is_busy

    def step(self) -> None:
        """Compute a few tokens."""
        self._engine.step()

    def alert(self, envelope: Envelope) -> None:
        """Cut an answer short in the middle of a batch. Called in the reader thread."""
        if envelope.type in CUTTING:
            self._engine.cut(envelope.fields["task"])

    def calm(self) -> None:
        """Silence the alarm: the cut is handled next."""
        self._alarm.silence()

    def close(self) -> None:
        """End the processes of grammars and of pictures."""
        self._vision.close()
        self._grammars.close()

    # Messages

    def _setup(self, envelope: Envelope) -> Mapping[str, Any] | None:
        fields = envelope.fields
        task = LlmTask.from_setup(fields["task"], fields["data"], fields.get("memory"), self._context.context)
        task.options = self._taught(task.options)
        check_bias(self._model, task.options)
        task.owner = fields.get("owner", "")

        def go_on(spec: SamplerSpec | UnitFault, compiled: Grammar | None) -> None:
            if isinstance(spec, UnitFault):
                raise spec
            prompt = self._task_prompts.checked(task)
            task.public_prompt = prompt if fields.get("has_public_prompt") else []
            self._use_adapters(task, fields["data"].get("lora", []))
            self._tasks[task.work_id] = task
            if task.options.system_prompt and self._engine.has_room():
                self._read_ahead(task, task.options, None)

        return self._when_ready(envelope, task, task.options, go_on)

    def _when_ready(
        self, envelope: Envelope, task: LlmTask, options: LlmOptions, go_on: GoOn
    ) -> Mapping[str, Any] | None:
        """Go on when the pictures of the next prompt are measured and the grammar has been tried (LATER)."""

        def when_measured(fault: UnitFault | None) -> Mapping[str, Any] | None:
            return go_on(fault, None) if fault is not None else self._settings.of(envelope, options, go_on)

        return self._vision.measure(envelope, task.owner, task.pictures_for(options), when_measured)

    def _encoded(self, envelope: Envelope) -> None:
        """Go on with a picture that the encoder's thread is done with."""
        self._engine.encoded(envelope.fields["key"], envelope.fields["words"])

    def _use_adapters(self, task: LlmTask, wanted: Sequence[Mapping[str, Any]]) -> None:
        """Load adapters that are not loaded yet; if one cannot be used, free the others again."""
        try:
            task.blend = self._adapters.blend(wanted)
        except UnitFault:
            self._let_adapters_go()
            raise

    def _let_adapters_go(self) -> None:
        """Free the adapters that no task uses."""
        self._adapters.keep(task.blend for task in self._tasks.values())

    def _infer(self, envelope: Envelope) -> Mapping[str, Any] | None:
        """Start an answer; a prompt that cannot be served ends it at once, in the inference's name."""
        task = self._tasks[envelope.fields["task"]]
        number = envelope.fields["inference"]
        text = envelope.payload.decode() if envelope.fields["is_text"] else None
        self._stop_reading(task)
        task.begin(text or "")
        try:
            if text is None:
                raise UnitFault(RUN_FAILED, "llm takes text (llm.utf-8)")
            if answer := task.ready_answer(envelope.fields.get("answer", "")):
                self._host.say("delta", task=task.work_id, inference=number, text=answer)
                self._finish(task, number, "stop")
                return None
            options = self._options_of(task, envelope.fields.get("options", {}))
            options = narrowed(options, text, self._prompts.call_token)
            task.images = options.images
        except UnitFault as fault:
            self._fail(task, number, fault)
            return None

        def go_on(spec: SamplerSpec | UnitFault, compiled: Grammar | None) -> None:
            try:
                if isinstance(spec, UnitFault):
                    raise spec
                prompt = self._task_prompts.of_question(task, options, text)
                spec = with_own_biases(self._model, self._prompts, spec, options)
                sampler = Sampler(self._model, self._grammars, spec, compiled)
                fields = envelope.fields
                priority, client = fields.get("priority", 0), fields.get("client", "")
                generation = self._start(task, options, sampler, prompt, number, priority, client)
            except UnitFault as fault:
                self._fail(task, number, fault)
                return
            generation.is_held = task.is_paused

        return self._when_ready(envelope, task, options, go_on)

    def _options_of(self, task: LlmTask, changes: dict[str, Any]) -> LlmOptions:
        """Return the task's options with the changes of this inference."""
        if not changes:
            return task.options
        options = self._taught(task.options_with(changes))
        check_bias(self._model, options)
        return options

    def _taught(self, options: LlmOptions) -> LlmOptions:
        return taught(options) if self._prompts.lists_signatures else options

    def _start(
        self,
        task: LlmTask,
        options: LlmOptions,
        sampler: Sampler,
        prompt: list[int],
        number: int,
        priority: int = 0,
        client: str = "",
    ) -> Generation:
        layout = self._vision.layout(prompt)
        generation = Generation(
            task=task.work_id,
            prompt=prompt,
            max_tokens=options.max_tokens,
            context=options.context,
            sampler=sampler,
            text=text_stream(self._host, task, options, number),
            listener=self,
            blend=self._adapters.with_vision(task.blend) if layout.places else task.blend,
            owner=task.owner,
            client=client,
            public=common_length(task.public_prompt, prompt),
            policy=options.policy,
            tells_prompt=options.tells_prompt,
            priority=priority,
            number=number,
            layout=layout,
            wanted_pictures=self._vision.wanted_pictures(task.owner, task.pictures_for(options)),
        )
        task.generation = generation
        self._engine.start(generation)
        return generation

    def _pause(self, envelope: Envelope) -> None:
        """Hold the generation: messages are handled between two tokens, so it stands still from here on."""
        task = self._tasks[envelope.fields["task"]]
        task.is_paused = True
        if task.generation is not None:
            task.generation.is_held = True

    def _resume(self, envelope: Envelope) -> None:
        task = self._tasks[envelope.fields["task"]]
        task.is_paused = False
        if task.generation is not None:
            self._engine.resume(task.generation)

    def _set_policy(self, envelope: Envelope) -> None:
        """Set where the held answer stops next."""
        try:
            policy = read_policy(envelope.fields["pause"])
        except ValueError as error:
            raise UnitFault(RUN_FAILED, str(error)) from error
        if (generation := self._tasks[envelope.fields["task"]].generation) is not None:
            generation.policy = policy

    def _cancel(self, envelope: Envelope) -> None:
        task = self._tasks.get(envelope.fields["task"])
        self._engine.cut_handled(envelope.fields["task"])
        for waiting in self._trials.drop(envelope.fields["task"], envelope.fields.get("inference")):
            self._give_up(waiting)
        if task is None or task.generation is None:
            return
        if envelope.fields.get("inference") in (None, task.generation.number):
            self._engine.end(task.generation, "interrupted")

    def _give_up(self, waiting: Envelope) -> None:
        """Answer a request whose grammar is not tried any more."""
        if waiting.type == "infer":
            self._finish(self._tasks[waiting.fields["task"]], waiting.fields["inference"], "interrupted")
        else:
            self._host.answer(waiting, code=UNAVAILABLE, message="the task was ended")

    def _exit(self, envelope: Envelope) -> None:
        self._cancel(envelope)
        self._engine.release(envelope.fields["task"])
        self._tasks.pop(envelope.fields["task"], None)
        self._let_adapters_go()

    def _warm(self, envelope: Envelope) -> Mapping[str, Any] | None:
        """Read the beginning of the next prompt; the answer comes when that is done."""
        task = self._tasks[envelope.fields["task"]]
        self._stop_reading(task)
        if task.generation is not None:
            return None  # it is as warm as can be: it is speaking
        options = self._options_of(task, envelope.fields.get("data") or {})

        def go_on(spec: SamplerSpec | UnitFault, compiled: Grammar | None) -> Mapping[str, Any] | None:
            if isinstance(spec, UnitFault):
                raise spec
            return LATER if task.generation is None and self._read_ahead(task, options, envelope) else None

        return self._when_ready(envelope, task, options, go_on)

    def _read_ahead(self, task: LlmTask, options: LlmOptions, asked: Envelope | None) -> bool:
        """Begin to read system prompt and history, from a snapshot if possible; False when there is nothing."""
        prompt = self._task_prompts.beginning(task, options)
        if not prompt:
            return False
        quiet = replace(options, max_tokens=0, tells_prompt=False)
        sampler = Sampler(self._model, self._grammars, SamplerSpec())
        generation = self._start(task, quiet, sampler, prompt, 0, READING_AHEAD)
        self._reading_ahead.add(generation, asked, is_conversation=bool(options.messages or task.history))
        return True

    def _stop_reading(self, task: LlmTask) -> None:
        self._reading_ahead.stop(task)
        self._turn_ends.stop(task)

    def _turn_end(self, envelope: Envelope) -> Mapping[str, Any]:
        """Answer how likely a person has finished with these words; the next question finds them read."""
        task = self._tasks[envelope.fields["task"]]
        self._stop_reading(task)
        prompt = self._task_prompts.until(task, task.options, envelope.fields["data"])
        self._turn_ends.begin(task, envelope, partial(self._start, task, task.options, prompt=prompt, number=0))
        return LATER

    # What generations say

    def on_text(self, generation: Generation, text: str) -> None:
        """Send a delta."""
        self._tasks[generation.task].said.append(text)
        self._host.say("delta", task=generation.task, inference=generation.number, text=text)

    def on_read(self, generation: Generation) -> None:
        """Send that the prompt is read, where the client wants to know."""
        if generation.tells_prompt:
            self._host.say(
                "read", task=generation.task, inference=generation.number, prompt_tokens=len(generation.prompt)
            )

    def on_pause(self, generation: Generation, reason: str) -> None:
        """Send that the policy has stopped the answer."""
        self._host.say(
            "paused",
            task=generation.task,
            inference=generation.number,
            reason=reason,
            tokens=generation.chunk_tokens,
        )

    def on_end(self, generation: Generation, reason: str, error: str = "") -> None:
        """Send the finish, with what the task remembers from now on."""
        task = self._tasks[generation.task]
        task.generation = None
        if generation in self._reading_ahead:
            self._reading_ahead.end(generation, reason)
            return
        if generation in self._turn_ends:
            self._turn_ends.end(generation, error)
            return
        if not error:
            task.remember()
        usage = {
            "prompt_tokens": len(generation.prompt),
            "completion_tokens": generation.generated,
            "total_tokens": len(generation.tokens),
        }
        details: dict[str, Any] = {"code": RUN_FAILED, "message": error} if error else {}
        if generation.stop_word:
            details["stop_word"] = generation.stop_word
        self._finish(task, generation.number, reason, usage=usage, **details)

    def _fail(self, task: LlmTask, number: int, fault: UnitFault) -> None:
        code = UNAVAILABLE if fault.code == UNAVAILABLE else RUN_FAILED
        self._finish(task, number, "error", code=code, message=str(fault))

    def _finish(self, task: LlmTask, number: int, reason: str, **fields: Any) -> None:
        self._host.say("finish", task=task.work_id, inference=number, reason=reason, **task.memory, **fields)
