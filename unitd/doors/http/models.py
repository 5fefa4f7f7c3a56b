"""`/api/models`: `sys.lsmode`, `pull_model` and `rmmode` over HTTP, to list, fetch and remove models.

A pull is reported as server-sent events, each with the data of a frame of the wire. It goes on when the client leaves.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from unitd.doors.http.bodies import read_body
from unitd.doors.http.context import HttpContext
from unitd.doors.http.errors import ApiError, api_error, bad_value, explaining
from unitd.doors.http.responses import Served, Stream, event
from unitd.runtime.sys.models import WHOLE
from unitd.wire.errors import BadFile, Unavailable, UnitdError


def routes(context: HttpContext) -> list[BaseRoute]:
    """Return the routes."""
    models = Models(context)
    return [
        Route("/api/models", explaining(models.list, _told), methods=["GET"]),
        Route("/api/models/pull", explaining(models.pull, _told), methods=["POST"]),
        Route("/api/models/{name:path}", explaining(models.remove, _told), methods=["DELETE"]),
    ]


class Models:
    """The endpoints."""

    def __init__(self, context: HttpContext) -> None:
        self._context = context

    async def list(self, request: Request) -> Response:
        """Return each model once, as `sys.lsmode` has it, with its other names."""
        rows = await self._ask(request, "lsmode", WHOLE)
        models = {row["card"]: row | {"aliases": []} for row in rows if row["mode"] == row["card"]}
        for row in rows:
            if row["mode"] != row["card"] and row["card"] in models:  # its own name may be another model's alias
                models[row["card"]]["aliases"].append(row["mode"])
        return JSONResponse({"models": list(models.values())})

    async def pull(self, request: Request) -> Response:
        """Fetch a model, by any of its names."""
        name = read_body(await request.body()).get("model")
        if not isinstance(name, str) or not name:
            raise bad_value("model must be the name of a model.", "model")
        return Pulled(self._context, request, name)

    async def remove(self, request: Request) -> Response:
        """Delete an installed model."""
        name = request.path_params["name"]
        await self._ask(request, "rmmode", name)
        return JSONResponse({"removed": name})

    async def _ask(self, request: Request, action: str, data: Any) -> Any:
        local_client = self._context.local_client(request)
        try:
            return (await local_client.ask("sys", action, data)).data
        finally:
            local_client.close()


class Pulled(Served):
    """The progress of a pull; a slow reader gets only the newest state."""

    async def serve(self, stream: Stream) -> None:
        """Send states until the last one."""
        frames = self._local_client.follow("sys", "pull_model", self._model)
        async for frame in frames:
            newest = [frame, *frames.take_arrived()][-1].data
            await stream.say(event(newest))
            if newest["finish"]:
                await stream.end()
                return

    async def _explained(self, error: UnitdError) -> ApiError:
        return _told(error)


def _told(error: UnitdError) -> ApiError:
    """Return an error as this API shows it: missing models and conflicts have a status of their own."""
    if isinstance(error, BadFile):
        return ApiError(404, error.reason, code="model_not_found", param="model")
    if isinstance(error, Unavailable):
        return ApiError(409, error.reason, code="not_available")
    return api_error(error)
