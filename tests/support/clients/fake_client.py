"""A client for tests of the layers below the doors."""

from dataclasses import dataclass, field

from unitd.core.access.grants import TRUSTED, Grant
from unitd.wire.messages import Reply


@dataclass(eq=False)
class FakeClient:
    """A client behind no door: keeps what it is sent."""

    name: str = "fake"
    party: str = "fake"
    door: str = "test"
    is_gone: bool = False
    keeps_tasks: bool = True
    restores_tasks: bool = True
    frame_interval: float = 0.0
    grant: Grant = TRUSTED
    address: str = ""
    received: list[Reply] = field(default_factory=list)

    def admit(self, grant: Grant) -> "FakeClient":
        """It has shown a token."""
        self.grant = grant
        return self

    def send(self, reply: Reply) -> None:
        """Keeps it."""
        self.received.append(reply)

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Nothing is read from it anyway."""

    async def wait_for_room(self) -> None:
        """There is always room."""
