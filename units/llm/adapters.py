"""The LoRA adapters of one model: those that tasks use are loaded once, and freed with their last task.

A model may have one that is for prompts with pictures alone. It is loaded with the first of them, and stays.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from units.base import LoadError
from units.llm.context import Context
from units.llm.llama import Adapter, Blend, Model
from units.llm.snapshots import identity_of
from units.setup_values import refusal


class Adapters:
    """Adapters by file, as it was when it was loaded: a replaced file is another adapter for the next task."""

    def __init__(self, model: Model, context: Context, vision_path: str = "") -> None:
        """`vision_path` is the file of the adapter for prompts with pictures, "" for none."""
        self._model = model
        self._context = context
        self._loaded: dict[str, Adapter] = {}
        self._vision_path = vision_path
        self._for_vision: Blend = ()

    def blend(self, wanted: Sequence[Mapping[str, Any]]) -> Blend:
        """Return the adapters that a setup names, each with its scale.

        Raises:
            UnitFault: an adapter cannot be used; the others are freed by `keep`, if no other task uses them.
        """
        try:
            return tuple((self._load(Path(each["path"])), each["scale"]) for each in wanted)
        except LoadError as error:
            raise refusal(str(error)) from error

    def with_vision(self, blend: Blend) -> Blend:
        """Return the adapters for a prompt with pictures; raise UnitFault when that for vision cannot be used."""
        if self._vision_path and not self._for_vision:
            self._for_vision = self.blend([{"path": self._vision_path, "scale": 1.0}])
        return (*blend, *self._for_vision)

    def _load(self, path: Path) -> Adapter:
        try:
            identity = identity_of(path)
        except OSError as error:
            raise LoadError(f"{path.name} cannot be read: {error.strerror}") from error
        if identity not in self._loaded:
            self._loaded[identity] = Adapter(self._model, path, identity)
        return self._loaded[identity]

    def keep(self, used: Iterable[Blend]) -> None:
        """Free all adapters but these, and that for vision."""
        wanted = {adapter.identity for blend in (*used, self._for_vision) for adapter, _ in blend}
        unwanted = self._loaded.keys() - wanted
        if unwanted:
            self._context.use(())  # no context may point to what is freed
        for identity in unwanted:
            self._loaded.pop(identity).close()
