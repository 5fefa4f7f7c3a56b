"""A client for tests of the layers below the doors."""

from dataclasses import dataclass, field

from unitd.core.access.grants import TRUSTED, Grant
from unitd.wire.messages import Reply


@dataclass(eq=False)
class FakeClient:
    """A client without a door: keeps what is sent to it."""

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
        """Take over the rights of a token; return this client."""
        self.grant = grant
        return self

    def send(self, reply: Reply) -> None:
        """Keep the reply."""
        self.received.append(reply)

    def hold(self, reason: str, *, is_held: bool) -> None:
        """Do nothing: nothing is read from this client."""

    async def wait_for_room(self) -> None:
        """Return at once: there is always room."""
