"""The kinds of units and what each understands, as one table. A kind that is not here comes from an entry point."""

from dataclasses import dataclass

from unitd.wire.messages import is_task_id, unit_of

COMMON_ACTIONS = frozenset({"setup", "inference", "link", "unlink", "pause", "work", "exit", "taskinfo"})


@dataclass(frozen=True)
class UnitKind:
    """What the daemon must know of a unit without loading it."""

    name: str
    required: tuple[str, ...] = ("model", "response_format", "enoutput")
    """Keys that setup must hold; fact sheet, section 2."""

    actions: frozenset[str] = COMMON_ACTIONS
    sources: frozenset[str] = frozenset()
    """What a task may listen to besides tasks and its own clients: microphone, button."""

    patience_seconds: float = 25.0
    """How long setup may wait for a load before it answers with the model still loading: the original's clients give
    up after 30 s, for asr and tts after 10 s (fact sheet, section 9)."""

    def takes_itself(self, inputs: list[str]) -> bool:
        """True when `input` names the unit's own data ("llm.utf-8"), so that clients may send inferences."""
        return any(self.is_own_input(each) for each in inputs)

    def is_own_input(self, entry: str) -> bool:
        """True for "llm.utf-8" and "llm" on llm, false for "llm.1000"."""
        return unit_of(entry) == self.name and not is_task_id(entry)

    def may_listen_to(self, entry: str) -> bool:
        """True for what is no task and still a source: the unit's own data, its microphone or button."""
        return self.is_own_input(entry) or entry in self.sources


BUILTIN_KINDS = {
    kind.name: kind
    for kind in (
        UnitKind(
            "llm",
            required=("model", "response_format", "enoutput", "prompt"),
            actions=COMMON_ACTIONS | {"warm"},
        ),
        UnitKind("kws", actions=COMMON_ACTIONS | {"trigger"}, sources=frozenset({"sys.pcm", "buttons_thread"})),
        UnitKind("asr", patience_seconds=8.0, sources=frozenset({"sys.pcm"})),
    )
}


def third_party_kind(name: str) -> UnitKind:
    """A unit from the entry-point group `unitd.units`: it may use every action that exists, and none is required."""
    return UnitKind(name, required=(), actions=COMMON_ACTIONS | {"warm", "trigger"})
