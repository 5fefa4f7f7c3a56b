"""The daemon as a door sees it: requests go in by `serve`, replies come back to the client that is named with them."""

from collections.abc import Callable
from typing import Any, Protocol

from unitd.core.tasks.table import Client
from unitd.runtime.metrics import Metrics
from unitd.runtime.sys.access import Access
from unitd.wire.messages import Request


class Server(Protocol):
    """What stands behind every door."""

    @property
    def metrics(self) -> Metrics:
        """Where doors count, and what they show of it."""

    @property
    def access(self) -> Access:
        """Who may come in."""

    def serve(self, client: Client, request: Request) -> None:
        """Serves one request."""

    def forget_client(self, client: Client) -> None:
        """The client is gone."""

    def when_answered(self, client: Client, then: Callable[[], None]) -> None:
        """Calls back once nothing of this client is being worked on."""

    def entry_of(self, work_id: str) -> dict[str, Any] | None:
        """What sys.lstask says of a task; None when there is none."""

    def outlives_its_owner(self, work_id: str) -> bool:
        """Return False for a task that ends with the client that set it up, and when there is none."""
