"""The 600 sentences of the home check for the model alone, in houses of 14 devices.

The daemon asks its intent program first, and refuses what a model calls where that program is away, so it cannot be
asked for the model's own share. Here the prompts are made by the daemon's code (`core.home`), the calls are done by its
toolbox, and the model may call again when it has read the outcomes; neither the guard of the calls nor the choice of
devices has a part in it. Sentences that need the room of the board are counted apart.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.home.asking import states_of, tools_file
from tests.support.home.houses import Device, Sentence, areas, read_sentences, small_houses
from tests.support.home.judging import Call, Result, Verdict, judge
from tests.support.home.toolboxes import Wire
from train.corpus.base import Message
from train.corpus.tools.toolbox import read_calls
from train.judge.figures import Figure, share
from train.judge.model import Model
from train.judge.place import place_of
from train.judge.talk import Judged, called
from unitd.core.config.schema import HomeSettings
from unitd.core.home.home import Home
from unitd.core.outcomes import told_of_set
from unitd.doors.home.toolbox import HomeToolbox
from unitd.doors.home.tools_reader import read_tools
from unitd.runtime.tasks.tool_loop import MAX_ROUNDS

SIZE = 14


def judge_homes(model: Model) -> Judged:
    """Say every sentence in its house, and return the shares."""
    judged: list[tuple[Sentence, Verdict]] = []
    wrong: list[str] = []
    for small in small_houses(read_sentences("en"), size=SIZE):
        for sentence, calls, said in asyncio.run(
            _said_in(model, _home_of(small.devices), small.devices, small.sentences)
        ):
            verdict = judge(sentence, small.devices, calls)
            judged.append((sentence, verdict))
            if verdict.result is not Result.RIGHT:
                made = [f"{name} {dict(arguments)}" for name, arguments in calls]
                wrong.append(f"home, {sentence['type']}: {sentence['say']!r}: {made} {said!r}")
    return _figures(judged), wrong


def _home_of(devices: Sequence[Device]) -> Home:
    """Return a house as the daemon reads it from its tools file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tools.toml"
        path.write_text(tools_file(devices, areas()), encoding="utf-8")
        return read_tools(path)


async def _said_in(
    model: Model, home: Home, devices: Sequence[Device], sentences: Sequence[Sentence]
) -> list[tuple[Sentence, list[Call], str]]:
    """Return the calls and the last words that each sentence led to."""
    wire = Wire({topic: state.encode() for topic, state in states_of(devices).items()})
    toolbox = HomeToolbox(home, wire, None, HomeSettings())
    found = []
    for sentence in sentences:
        place = place_of(home, room=sentence.get("room", ""))
        messages = [place.system, Message("user", sentence["say"])]
        made: list[Call] = []
        for _ in range(MAX_ROUNDS):
            said = model.answer(messages, place.functions)
            calls = [call for call in read_calls(said) or [] if (call["name"], call["arguments"]) not in made]
            if not calls:
                break
            made += [(call["name"], call["arguments"]) for call in calls]
            messages += called(calls, [await _result(toolbox, call) for call in calls])
        found.append((sentence, made, said))
    return found


async def _result(toolbox: HomeToolbox, call: Mapping[str, Any]) -> str:
    return told_of_set([await toolbox.do({"id": "", "name": call["name"], "arguments": dict(call["arguments"])})])


def _figures(judged: Sequence[tuple[Sentence, Verdict]]) -> list[Figure]:
    """Return the lines of the table."""
    due = [pair for pair in judged if pair[0]["type"] != "nothing"]
    rows = {
        "home, 14 devices: right": judged,
        "  without a room of the board": [pair for pair in judged if not pair[0].get("room")],
        "  something due: right": due,
        "  nothing due: nothing switched": [pair for pair in judged if pair[0]["type"] == "nothing"],
        "  of others: right": [pair for pair in judged if pair[0]["source"] != "own"],
    }
    rows |= {
        f"  {kind}": [pair for pair in due if pair[0]["type"] == kind] for kind in sorted({s["type"] for s, _ in due})
    }
    figures = [share(name, (v.result is Result.RIGHT for _, v in pairs)) for name, pairs in rows.items()]
    return [*figures, share("  no wrong action", (v.result is not Result.WRONG_ACTION for _, v in judged))]
