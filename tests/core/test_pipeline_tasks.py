"""Covers pipeline_tasks and the keys of kinds: what in a pipeline of the configuration cannot work."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from unitd.core.config.loader import read_settings
from unitd.core.config.pipeline_tasks import check_pipelines
from unitd.core.tasks.kinds import BUILTIN_KINDS, COMMON_KEYS, third_party_kind
from units.asr.engine import Rules
from units.asr.engine import read_options as read_asr
from units.kws.options import read_options as read_kws
from units.llm.options import read_options as read_llm
from units.tts.options import read_options as read_tts
from units.vad.gate import read_gate_rules


def words_of(*tasks: dict[str, Any], home: dict[str, Any] | None = None) -> list[str]:
    """Return the problems that are reported for a pipeline of these tasks."""
    document = {"pipeline": [{"name": "p", "tasks": list(tasks)}], "home": home or {}}
    return [each.words for each in check_pipelines(read_settings(document), BUILTIN_KINDS)]


def task(name: str, unit: str, **data: Any) -> dict[str, Any]:
    """One task as the configuration has it."""
    return {"name": name, "unit": unit, "data": data}


def test_an_assistant_is_no_mistake() -> None:
    """Sources first, data of the unit's own, the microphone, tools where there are some."""
    assert (
        words_of(
            task("wake", "kws", kws="hey jarvis", enwake_audio=True),
            task("ears", "asr", input=["sys.pcm", "wake"], silence_timeout=500),
            task("mind", "llm", input=["llm.utf-8", "ears", "wake"], temperature=0, tools="home"),
            task("voice", "tts", input=["tts.utf-8", "mind", "wake"], speed=1.1),
            home={"tools": "tools.toml"},
        )
        == []
    )


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (
            [task("wake", "kw")],
            "pipeline[0].tasks[0].unit is 'kw', units here: asr, camera, intent, kws, llm, melotts, tts, "
            "vad, vlm, whisper; did you mean kws?",
        ),
        (
            [task("mind", "llm", promt="Be brief.")],
            "unknown key pipeline[0].tasks[0].data.promt, llm does not have it; did you mean prompt?",
        ),
        (
            [task("v", "vad", silero_vad={"threshold": 0.4})],
            "unknown key pipeline[0].tasks[0].data.silero_vad, vad does not have it; "
            "did you mean silero_vad.threshold?",
        ),
        (
            [task("wake", "kws"), task("ears", "asr", input=["sys.pcm", "wak"])],
            "pipeline[0].tasks[1].data.input: 'wak' is neither a task of this pipeline nor data that asr takes; "
            "did you mean wake?",
        ),
        (
            [task("mind", "llm", input="sys.pcm")],
            "pipeline[0].tasks[0].data.input: 'sys.pcm' is neither a task of this pipeline nor data that llm takes",
        ),
        (
            [task("ears", "asr", input=["sys.pcm", "kws.1000"])],
            "pipeline[0].tasks[0].data.input: 'kws.1000' is neither a task of this pipeline nor data that asr takes",
        ),
        (
            [task("ears", "asr", input=["sys.pcm", "wake"]), task("wake", "kws")],
            "pipeline[0].tasks[0].data.input: 'wake' does not stand before this task; what a task listens to "
            "comes first",
        ),
        (
            [task("ears", "asr"), task("voice", "tts", input=["ears"])],
            "pipeline[0].tasks[1].data.input: tts has no use for the output of asr",
        ),
        (
            [task("ears", "asr", input=[7])],
            "pipeline[0].tasks[0].data.input must be a text or a list of texts, 7 is none",
        ),
        (
            [task("mind", "llm", tools="home")],
            "pipeline[0].tasks[0].data.tools: there are no tools here; [home] tools names a file of them",
        ),
    ],
    ids=["unit", "key", "dotted key", "name", "data", "work_id", "order", "link", "type", "tools"],
)
def test_what_cannot_work_is_told(tasks: list[dict[str, Any]], words: str) -> None:
    """One sentence, with the key and, where there is one, the word that may have been meant."""
    assert words_of(*tasks) == [words]


def test_a_unit_of_another_package_is_left_alone() -> None:
    """Checks of a unit from another package only that it is installed: its keys and inputs are not known here."""
    notes = task("notes", "notes", path="/srv/notes", input=["notes.utf-8", "anything"])
    settings = read_settings({"pipeline": [{"name": "p", "tasks": [notes]}]})

    assert list(check_pipelines(settings, {"notes": third_party_kind("notes")})) == []
    assert [each.key[-1] for each in check_pipelines(settings, BUILTIN_KINDS)] == ["unit"]


class Asked(Mapping[str, Any]):
    """Setup data that holds nothing and keeps which keys it was asked for."""

    def __init__(self) -> None:
        self.keys_asked: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.keys_asked.add(key)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        self.keys_asked.add(str(key))
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


READERS: dict[str, tuple[Callable[[Any], Any], set[str]]] = {
    "llm": (lambda data: read_llm(data, 4096), {"lora", "history", "usage", "area", "language"}),
    "kws": (read_kws, set()),
    "asr": (lambda data: read_asr(data, Rules(1, 1, 1), has_vad=False), {"silence_timeout", "awake_delay"}),
    "vad": (read_gate_rules, {"engine", "rule1", "awake_delay"}),
    "tts": (read_tts, {"speaker", "speed"}),
}
"""By unit, the function that reads its setup, and keys that are read elsewhere or only where they are present."""


@pytest.mark.parametrize("unit", READERS)
def test_every_key_that_a_unit_reads_is_known(unit: str) -> None:
    """And no other: a key that nobody reads would be taken for one that works."""
    read, elsewhere = READERS[unit]
    asked = Asked()

    read(asked)

    assert (asked.keys_asked | elsewhere) - COMMON_KEYS == BUILTIN_KINDS[unit].setup_keys - COMMON_KEYS
