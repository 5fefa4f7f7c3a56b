"""asyncio and child processes. No network library: bytes come in and go out through the doors."""
