"""What clients ask the board itself."""

from typing import Any

from tests.helpers import WireClient


async def ask_sys(client: WireClient, action: str, **fields: Any) -> dict[str, Any]:
    """One sys action and its reply."""
    return await client.ask(work_id="sys", action=action, **fields)
