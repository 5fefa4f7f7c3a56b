"""The kinds of units and what each understands, as one table. A kind that is not here comes from an entry point."""

from dataclasses import dataclass

from unitd.wire.messages import is_task_id, unit_of

COMMON_KEYS = frozenset(
    {"model", "response_format", "enoutput", "input", "queue", "on_pause", "temporary", "frame_interval_ms"},
)
"""Keys of a setup that the daemon itself reads."""

_SAMPLING_KEYS = {
    "temperature", "enable_temperature", "top_k", "enable_top_k_sampling", "top_p", "enable_top_p_sampling", "min_p",
    "repetition_penalty", "enable_repetition_penalty", "presence_penalty", "frequency_penalty", "penalty_window",
    "seed", "logit_bias", "grammar", "json_schema", "end_bias",
}  # fmt: skip
_LLM_KEYS = {
    "prompt", "system_prompt", "max_token_len", "context", "lora", "pause", "stop", "history", "usage", "prompt_done",
    "tools", "tool_choice", "parallel_tool_calls", "raw", "thinking", "enable_thinking", "messages",
}  # fmt: skip
_ASR_KEYS = {
    "rule1", "rule2", "rule3", "endpoint_config.rule1.min_trailing_silence",
    "endpoint_config.rule2.min_trailing_silence", "endpoint_config.rule3.min_utterance_length",
    "silence_timeout", "awake_delay", "grammar", "language",
}  # fmt: skip
_KWS_KEYS = {"kws", "threshold", "debounce", "enwake_audio", "keywords_threshold", "keywords_score"}
_VAD_KEYS = {
    "engine", "rule1", "awake_delay",
    "silero_vad.threshold", "silero_vad.min_silence_duration", "silero_vad.min_speech_duration",
}  # fmt: skip
_TTS_KEYS = {"speaker", "spacker_role", "speed", "spacker_speed", "language", "sample_rate"}

MAX_INPUTS = 64
"""What one task may listen to: as many sources as there may be tasks by default."""

COMMON_ACTIONS = frozenset({"setup", "inference", "link", "unlink", "pause", "work", "exit", "taskinfo"})


@dataclass(frozen=True)
class UnitKind:
    """What the daemon must know of a unit without loading it."""

    name: str
    required: tuple[str, ...] = ("model", "response_format", "enoutput")
    """Keys that setup must hold; docs/original-firmware.md, section 2."""

    setup_keys: frozenset[str] = frozenset()
    """Every key of a setup that the daemon or the unit's program reads; empty where that is not known."""

    actions: frozenset[str] = COMMON_ACTIONS
    sources: frozenset[str] = frozenset()
    """What a task may listen to besides tasks and its own clients: microphone, button."""

    program: str = ""
    """The unit program and the cards that serve it, where they are another kind's: melotts is spoken by tts."""

    hears: bool = False
    """An inference is audio: it goes on where the last one ended, and nothing waits in a queue."""

    patience_seconds: float = 25.0
    """How long setup may wait for a load before it answers with the model still loading: the original's clients give
    up after 30 s, for asr and tts after 10 s (docs/original-firmware.md, section 9)."""

    @property
    def serving(self) -> str:
        """The name of the program, and of the unit in its cards."""
        return self.program or self.name

    def takes_itself(self, inputs: list[str]) -> bool:
        """True when `input` names the unit's own data ("llm.utf-8"), so that clients may send inferences."""
        return any(self.is_own_input(each) for each in inputs)

    def is_own_input(self, entry: str) -> bool:
        """True for "llm.utf-8" and "llm" on llm, false for "llm.1000"."""
        return unit_of(entry) in (self.name, self.serving) and not is_task_id(entry)

    def may_listen_to(self, entry: str) -> bool:
        """True for what is no task and still a source: the unit's own data, its microphone or button."""
        return self.is_own_input(entry) or entry in self.sources


MICROPHONE = "sys.pcm"
"""The entry of `input` that means the board's own microphone; in a response_format its loudspeaker."""

BUILTIN_KINDS = {
    kind.name: kind
    for kind in (
        UnitKind(
            "llm",
            required=("model", "response_format", "enoutput", "prompt"),
            setup_keys=COMMON_KEYS | _SAMPLING_KEYS | _LLM_KEYS,
            actions=COMMON_ACTIONS | {"cancel", "warm"},
        ),
        UnitKind(
            "kws",
            setup_keys=COMMON_KEYS | _KWS_KEYS,
            actions=COMMON_ACTIONS | {"trigger"},
            sources=frozenset({MICROPHONE, "buttons_thread"}),
            hears=True,
        ),
        UnitKind(
            "asr",
            setup_keys=COMMON_KEYS | _ASR_KEYS,
            patience_seconds=8.0,
            sources=frozenset({MICROPHONE}),
            hears=True,
        ),
        UnitKind(
            "whisper",
            setup_keys=COMMON_KEYS | _ASR_KEYS,
            patience_seconds=8.0,
            sources=frozenset({MICROPHONE}),
            program="asr",
            hears=True,
        ),
        UnitKind("vad", setup_keys=COMMON_KEYS | _VAD_KEYS, sources=frozenset({MICROPHONE}), hears=True),
        UnitKind(
            "tts",
            setup_keys=COMMON_KEYS | _TTS_KEYS,
            actions=COMMON_ACTIONS | {"cancel"},
            patience_seconds=8.0,
        ),
        UnitKind(
            "melotts",
            setup_keys=COMMON_KEYS | _TTS_KEYS,
            actions=COMMON_ACTIONS | {"cancel"},
            patience_seconds=13.0,
            program="tts",
        ),
    )
}


def third_party_kind(name: str) -> UnitKind:
    """A unit from the entry-point group `unitd.units`: it may use every action that exists, and none is required."""
    return UnitKind(name, required=(), actions=COMMON_ACTIONS | {"cancel", "warm", "trigger"})
