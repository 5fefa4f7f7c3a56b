"""Read the data of a setup or of an inference; every bad value is refused by the name of its key."""

from collections.abc import Mapping
from typing import Any

from unitd.wire.fields import Fields
from units.base import SETUP_REFUSED, UnitFault


def refusal(words: str) -> UnitFault:
    """Return the error of a setup that is refused."""
    return UnitFault(SETUP_REFUSED, words)


class SetupValues(Fields):
    """The data of a setup. Its readers raise UnitFault."""

    def refusal(self, key: str, wanted: str, shown: str = "") -> Exception:
        """Return the error in the words that all units have."""
        said = f"is {shown}, it must be" if shown else "must be"
        return self.error(f"{self.place(key)} {said} {wanted}")

    def error(self, words: str) -> Exception:
        """Return the exception with these words."""
        return refusal(words)


def inputs_of(data: Mapping[str, Any]) -> list[str]:
    """Return the sources that `input` names: one or a list of them."""
    return SetupValues(data).texts("input")


def is_task_of(unit: str, entry: str) -> bool:
    """Return True for "kws.1000" of kws, False for "kws" and "sys.pcm"."""
    name, _, rest = entry.partition(".")
    return name == unit and rest.isdecimal()
