"""The LoRA adapters that the tasks of one model use: each is loaded once, and freed with its last task."""

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

    def __init__(self, model: Model, context: Context) -> None:
        self._model = model
        self._context = context
        self._loaded: dict[str, Adapter] = {}

    def blend(self, wanted: Sequence[Mapping[str, Any]]) -> Blend:
        """Return the adapters that a setup names, each with its scale.

        Raises:
            UnitFault: an adapter cannot be used; the others are freed by `keep`, if no other task uses them.
        """
        try:
            return tuple((self._load(Path(each["path"])), each["scale"]) for each in wanted)
        except LoadError as error:
            raise refusal(str(error)) from error

    def _load(self, path: Path) -> Adapter:
        try:
            identity = identity_of(path)
        except OSError as error:
            raise LoadError(f"{path.name} cannot be read: {error.strerror}") from error
        if identity not in self._loaded:
            self._loaded[identity] = Adapter(self._model, path, identity)
        return self._loaded[identity]

    def keep(self, used: Iterable[Blend]) -> None:
        """Free all adapters but these."""
        wanted = {adapter.identity for blend in used for adapter, _ in blend}
        unwanted = self._loaded.keys() - wanted
        if unwanted:
            self._context.use(())  # no context may point to what is freed
        for identity in unwanted:
            self._loaded.pop(identity).close()
