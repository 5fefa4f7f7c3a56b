"""The kinds of units, one row for each: all that the daemon must know of a unit without loading it.

A kind without a row comes from an entry point of an installed package.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from unitd.wire.messages import is_task_id, unit_of

DEFAULT_NAME = "default"
"""The model name that stands for the configured one."""

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
_CAMERA_KEYS = {"frame_width", "frame_height", "loop"}
_HOME_KEYS = {"tools", "area", "language"}
_KWS_KEYS = {"kws", "threshold", "debounce", "enwake_audio", "keywords_threshold", "keywords_score"}
_VAD_KEYS = {
    "engine", "rule1", "awake_delay",
    "silero_vad.threshold", "silero_vad.min_silence_duration", "silero_vad.min_speech_duration",
}  # fmt: skip
_TTS_KEYS = {"speaker", "spacker_role", "speed", "spacker_speed", "language", "sample_rate"}

MAX_INPUTS = 64
"""The number of inputs of one task: as many sources as there may be tasks by default."""

LIST_CAMERA = "list_camera"
"""The action of `camera` that returns the devices of this board."""

COMMON_ACTIONS = frozenset({"setup", "inference", "link", "unlink", "pause", "work", "exit", "taskinfo"})


class Effect(Enum):
    """What the output of a task does to a task that is linked to it."""

    STOP = "stop"  # the running generation ends, the queue is dropped
    PROMPT = "prompt"  # a finished text becomes an inference
    WAKE = "wake"  # the target sleeps until it is woken
    SPEAK = "speak"  # an answer is spoken while it is written
    SPEECH = "speech"  # the target is told when speech begins and ends
    SEE = "see"  # the newest picture goes with the next question


class Output(Enum):
    """What the frames of a task hold."""

    ANSWER = "answer"  # the text of a language model, token by token, and its calls of tools
    TRANSCRIPT = "transcript"  # what was said, as text
    WAKE = "wake"  # a wake word was heard
    SPEECH = "speech"  # speech begins or ends
    SOUND = "sound"  # a text as audio
    PICTURE = "picture"  # what a camera sees
    OTHER = "other"  # the output of another package's unit


@dataclass(frozen=True)
class ProgramMemory:
    """The memory of a unit's program, in MiB."""

    engines: Mapping[str, int]
    """Interpreter, libraries and one task, by engine, as measured (PSS, Python 3.11 on x86-64)."""

    task: int = 16
    """The memory of one more task; voices and wake words take less than 3."""

    task_reserve: int = 0
    """Addresses that a task reserves and never fills."""


@dataclass(frozen=True)
class UnitKind:
    """One kind of units."""

    name: str
    required: tuple[str, ...] = ("model", "response_format", "enoutput")
    """Keys that a setup must hold (docs/original-firmware.md, section 2)."""

    setup_keys: frozenset[str] = frozenset()
    """Every key of a setup that the daemon or the unit's program reads; empty where the keys are not known."""

    usual_setup: Mapping[str, Any] = field(default_factory=dict)
    """What the setup of a pipeline's task in the configuration need not say."""

    actions: frozenset[str] = COMMON_ACTIONS
    sources: frozenset[str] = frozenset()
    """What a task may listen to besides other tasks and its own clients: microphone, button."""

    effects: Mapping[str, Effect] = field(default_factory=dict)
    """What the output does to tasks that listen to it, by the program that serves them (docs/original-firmware.md,
    section 4). No other task may listen to it."""

    output: Output = Output.OTHER
    program: str = ""
    """The unit program and the cards that serve this kind, if they are another kind's: melotts is spoken by tts."""

    memory: ProgramMemory | None = None
    """None where the program belongs to another kind, or was not measured."""

    sees: bool = False
    """Pictures may be sent to it, which go with the next question."""

    reads_source: bool = False
    """`input` is no list of tasks: it names the device, the address or the file that the task reads."""

    hears: bool = False
    """An inference is audio: it continues the last one, and nothing waits in a queue."""

    patience_seconds: float = 25.0
    """How long a setup may wait for a load before it answers that the model is still loading. The original's clients
    give up after 30 s, for asr and tts after 10 s (docs/original-firmware.md, section 9)."""

    @property
    def serving(self) -> str:
        """Return the name of the program, and of the unit in its cards."""
        return self.program or self.name

    def takes_itself(self, inputs: list[str]) -> bool:
        """Return True when `input` names the unit's own data ("llm.utf-8"), so that clients may send inferences."""
        return any(self.is_own_input(each) for each in inputs)

    def is_own_input(self, entry: str) -> bool:
        """Return True for "llm.utf-8" and "llm" on llm, False for "llm.1000"."""
        return unit_of(entry) in (self.name, self.serving) and not is_task_id(entry)

    def may_listen_to(self, entry: str) -> bool:
        """Return True for a source that is no task: the unit's own data, its microphone or button."""
        return self.reads_source or self.is_own_input(entry) or entry in self.sources


MICROPHONE = "sys.pcm"
"""The entry of `input` that means the board's own microphone; in a `response_format` it means the loudspeaker."""

INTENT = "intent"
"""The unit that recognises what a sentence wants of the home."""

_LLM = UnitKind(
    "llm",
    required=("model", "response_format", "enoutput", "prompt"),
    setup_keys=COMMON_KEYS | _SAMPLING_KEYS | _LLM_KEYS | _HOME_KEYS,
    usual_setup={"model": DEFAULT_NAME, "response_format": "llm.utf-8.stream", "prompt": "", "input": "llm.utf-8"},
    actions=COMMON_ACTIONS | {"cancel", "warm", "turn_end"},
    effects={"tts": Effect.SPEAK},
    output=Output.ANSWER,
    memory=ProgramMemory({"llama": 34, "openai": 28}),
    sees=True,
)
_KWS = UnitKind(
    "kws",
    setup_keys=COMMON_KEYS | _KWS_KEYS,
    usual_setup={"model": "unitd-kws", "response_format": "kws.bool", "input": MICROPHONE},
    actions=COMMON_ACTIONS | {"trigger"},
    sources=frozenset({MICROPHONE, "buttons_thread"}),
    effects={"llm": Effect.STOP, INTENT: Effect.STOP, "tts": Effect.STOP, "asr": Effect.WAKE, "vad": Effect.WAKE},
    output=Output.WAKE,
    memory=ProgramMemory({"auto": 32, "sherpa": 110, "sherpa-onnx": 110}),
    hears=True,
)
_ASR = UnitKind(
    "asr",
    setup_keys=COMMON_KEYS | _ASR_KEYS,
    usual_setup={"model": "unitd-asr", "response_format": "asr.utf-8.stream", "input": MICROPHONE},
    sources=frozenset({MICROPHONE}),
    effects={"llm": Effect.PROMPT, INTENT: Effect.PROMPT},
    output=Output.TRANSCRIPT,
    # A decoder that has heard something takes 29 MiB.
    memory=ProgramMemory({"auto": 115, "pocketsphinx": 115}, task=48),
    hears=True,
    patience_seconds=8.0,
)
_VAD = UnitKind(
    "vad",
    setup_keys=COMMON_KEYS | _VAD_KEYS,
    usual_setup={"model": "unitd-vad", "response_format": "vad.bool", "input": MICROPHONE},
    sources=frozenset({MICROPHONE}),
    effects={"asr": Effect.SPEECH},
    output=Output.SPEECH,
    # Silero's network reserves 85 MiB and fills 3; a task has one for each of its two sources.
    memory=ProgramMemory({"auto": 30}, task_reserve=192),
    hears=True,
)
_TTS = UnitKind(
    "tts",
    setup_keys=COMMON_KEYS | _TTS_KEYS,
    usual_setup={"model": "unitd-tts", "response_format": MICROPHONE, "input": "tts.utf-8"},
    actions=COMMON_ACTIONS | {"cancel"},
    output=Output.SOUND,
    memory=ProgramMemory({"auto": 25, "espeak": 25, "espeak-program": 25}),
    patience_seconds=8.0,
)
_INTENT = UnitKind(
    INTENT,
    required=(),
    setup_keys=COMMON_KEYS | _HOME_KEYS,
    usual_setup={"response_format": "intent.utf-8.stream", "input": "intent.utf-8", "tools": "home"},
    actions=COMMON_ACTIONS | {"cancel"},
    effects={"tts": Effect.SPEAK},
    output=Output.ANSWER,
    memory=ProgramMemory({"": 60}, task=1),
)
_CAMERA = UnitKind(
    "camera",
    required=("response_format", "enoutput", "input", "frame_width", "frame_height"),
    setup_keys=COMMON_KEYS | _CAMERA_KEYS,
    usual_setup={
        "response_format": "image.jpeg.base64",
        "input": "/dev/video0",
        "frame_width": 320,
        "frame_height": 320,
    },
    actions=frozenset({"setup", "pause", "work", "exit", "taskinfo", LIST_CAMERA}),
    effects={"llm": Effect.SEE},
    output=Output.PICTURE,
    # Of a video of 1920 x 1080; each further one takes 20 MiB.
    memory=ProgramMemory({"": 51}, task=64),
    reads_source=True,
    patience_seconds=4.0,
)
# The original's other names for the same: their tasks are served by the programs and the cards of llm, asr and tts.
_VLM = replace(
    _LLM,
    name="vlm",
    usual_setup={**_LLM.usual_setup, "response_format": "vlm.utf-8.stream", "input": "vlm.utf-8"},
    program="llm",
    memory=None,
)
_WHISPER = replace(_ASR, name="whisper", usual_setup={}, program="asr", memory=None)
_MELOTTS = replace(_TTS, name="melotts", usual_setup={}, program="tts", memory=None, patience_seconds=13.0)

BUILTIN_KINDS = {kind.name: kind for kind in (_LLM, _VLM, _INTENT, _KWS, _ASR, _WHISPER, _VAD, _TTS, _MELOTTS, _CAMERA)}

PROGRAM_MEMORY: Mapping[str, ProgramMemory] = {
    # Half an hour of sound that waits for the loudspeaker is of the one "task" of audio, a unit without tasks.
    "audio": ProgramMemory({"": 25}, task=256),
    **{kind.name: kind.memory for kind in BUILTIN_KINDS.values() if kind.memory is not None},
}
"""The memory of each unit program."""


def kind_named(name: str) -> UnitKind:
    """Return the kind of this name; a name that is not built in is a unit of another package."""
    return BUILTIN_KINDS.get(name) or third_party_kind(name)


def third_party_kind(name: str) -> UnitKind:
    """Return the kind of a unit from the entry-point group `unitd.units`: it has every action and requires no key."""
    return UnitKind(name, required=(), actions=COMMON_ACTIONS | {"cancel", "warm", "trigger"})
