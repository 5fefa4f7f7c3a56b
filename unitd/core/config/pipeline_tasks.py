"""The tasks of a configured pipeline: their defaults, and what in them cannot work. Pure.

Unknown keys in a client's setup are ignored, as by the original. In the configuration they are mistakes.
"""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from unitd.core.config.problems import Key, Problem, name_of
from unitd.core.config.schema import HomeSettings, PipelineSettings, PipelineTask, Settings
from unitd.core.tasks.kinds import UnitKind, kind_named
from unitd.core.tasks.links import effect_of


def setup_of(task: PipelineTask) -> dict[str, Any]:
    """Return the data of a task's setup; its `input` still holds names of the pipeline's tasks."""
    return {**kind_named(task.unit).usual_setup} | {"enoutput": True} | task.data


def inputs_of(task: PipelineTask) -> list[Any]:
    """Return the configured inputs of a task, also a single one as a list."""
    inputs = setup_of(task).get("input", [])
    return inputs if isinstance(inputs, list) else [inputs]


def tasks_of(settings: Settings) -> Iterator[tuple[Key, PipelineSettings, PipelineTask]]:
    """Yield every task with the key of its table and its pipeline."""
    for at, pipeline in enumerate(settings.pipeline):
        for number, task in enumerate(pipeline.tasks):
            yield ("pipeline", at, "tasks", number), pipeline, task


def check_pipelines(settings: Settings, kinds: Mapping[str, UnitKind]) -> Iterator[Problem]:
    """Yield problems: units that do not exist, keys that units do not have, inputs that have no effect."""
    for key, pipeline, task in tasks_of(settings):
        if not task.unit:
            continue  # reported by `checks`
        if (kind := kinds.get(task.unit)) is None:
            unit = (*key, "unit")
            words = f"{name_of(unit)} is {task.unit!r}, units here: {', '.join(sorted(kinds))}"
            yield Problem(unit, words + _hint(task.unit, kinds))
            continue
        if kind.setup_keys:
            yield from _check_keys((*key, "data"), kind, task)
        if task.data.get("tools") == "home" and settings.home == HomeSettings():
            tools = (*key, "data", "tools")
            yield Problem(tools, f"{name_of(tools)}: there are no tools here; [home] tools names a file of them")
        yield from _check_inputs((*key, "data", "input"), kinds, pipeline, task)


def _check_keys(where: Key, kind: UnitKind, task: PipelineTask) -> Iterator[Problem]:
    for name in task.data:
        if name not in kind.setup_keys:
            words = f"unknown key {name_of((*where, name))}, {kind.name} does not have it"
            yield Problem((*where, name), words + _hint(name, kind.setup_keys))


def _check_inputs(
    where: Key, kinds: Mapping[str, UnitKind], pipeline: PipelineSettings, task: PipelineTask
) -> Iterator[Problem]:
    """Yield inputs that are neither the name of an earlier task of the pipeline nor the unit's own data."""
    kind, units = kinds[task.unit], {each.name: each.unit for each in pipeline.tasks}
    names = [each.name for each in pipeline.tasks]
    earlier = names[: names.index(task.name)]
    for source in inputs_of(task):
        if not isinstance(source, str):
            yield Problem(where, f"{name_of(where)} must be a text or a list of texts, {source!r} is none")
        elif source in earlier:
            if effect_of(units[source], task.unit) is None and units[source] in kinds and kind.setup_keys:
                yield Problem(where, f"{name_of(where)}: {task.unit} has no use for the output of {units[source]}")
        elif source in names:
            words = f"{source!r} does not stand before this task; what a task listens to comes first"
            yield Problem(where, f"{name_of(where)}: {words}")
        elif kind.setup_keys and not kind.may_listen_to(source):
            words = f"{source!r} is neither a task of this pipeline nor data that {task.unit} takes"
            yield Problem(where, f"{name_of(where)}: {words}{_hint(source, earlier)}")


def _hint(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
