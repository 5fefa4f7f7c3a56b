"""Deaths of a unit program, and the tasks that they count against. Pure.

One program serves many tasks. When it dies, each task whose setup or inference was running in it may be the cause. If
there was one, the death counts against that task. If there were several, each of them is a suspect: from then on it is
set up, and begins its work, while nothing else runs (`runtime.children.in_flight`), so that the next death shows the
cause. A task that was at work at two deaths, and alone at the second one, has failed: it is not set up in the program
again. Work that ends well clears a task: a setup of deaths during its setup, an inference of all.
"""

from dataclasses import dataclass, replace
from enum import Enum

DEATHS_ALLOWED = 1
"""One death may be chance: a full memory, a kill from outside."""


class Part(Enum):
    """What a task was doing when its program died."""

    NONE = "none"
    """Nothing."""

    SHARED = "shared"
    """It worked, and so did others."""

    SOLE = "sole"
    """It alone worked."""


@dataclass(frozen=True)
class Deaths:
    """Deaths that count against one task since its work last ended well."""

    setups: int = 0
    inferences: int = 0

    @property
    def is_suspect(self) -> bool:
        """True if the task must work alone."""
        return self.setups + self.inferences > 0

    @property
    def are_too_many(self) -> bool:
        """True if the task has failed."""
        return self.setups + self.inferences > DEATHS_ALLOWED

    def after(self, part: Part, *, in_setup: bool) -> "Deaths":
        """Return the count after one more death; a death in company never fails a task."""
        if part is Part.NONE or (part is Part.SHARED and self.is_suspect):
            return self
        if in_setup:
            return replace(self, setups=self.setups + 1)
        return replace(self, inferences=self.inferences + 1)

    def after_interrupted_setup(self) -> "Deaths":
        """Return the count of a task that was being set up when the daemon ended: it is a suspect, not failed."""
        return self if self.is_suspect else Deaths(setups=1)

    def after_setup(self) -> "Deaths":
        """Return the count after a setup that ended well."""
        return replace(self, setups=0)
