"""The LoRA adapters that the tasks of one model use: each loaded once, and let go with its last task."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from units.base import LoadError
from units.llm.llama import Adapter, Blend, Context, Model
from units.llm.snapshots import identity_of
from units.setup_values import refusal


class Adapters:
    """By file, as it was when it was loaded: a file that is replaced is another adapter to the next task."""

    def __init__(self, model: Model, context: Context) -> None:
        self._model = model
        self._context = context
        self._loaded: dict[str, Adapter] = {}

    def blend(self, wanted: Sequence[Mapping[str, Any]]) -> Blend:
        """What a setup names: files and how much of each.

        Raises:
            UnitFault: one of them cannot be used; the others, if nobody else uses them, leave with `keep`.
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
        """Gives the memory of all others back."""
        wanted = {adapter.identity for blend in used for adapter, _ in blend}
        unwanted = self._loaded.keys() - wanted
        if unwanted:
            self._context.use(())  # whatever was computed last, nothing may point to what is freed
        for identity in unwanted:
            self._loaded.pop(identity).close()
