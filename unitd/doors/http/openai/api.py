"""The paths of the OpenAI API."""

import secrets
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unitd.core.tasks.kinds import DEFAULT_NAME
from unitd.doors.http.bodies import read_body
from unitd.doors.http.context import HttpContext
from unitd.doors.http.errors import explaining, unknown_model
from unitd.doors.http.openai.answer import Answer, Fetch
from unitd.doors.http.openai.audio import Speech, Transcript, read_speech, read_transcript
from unitd.doors.http.openai.chat import ChatForm
from unitd.doors.http.openai.completions import CompletionForm
from unitd.doors.http.openai.requests import Asked, read_chat, read_completion
from unitd.doors.http.responses import is_known
from unitd.wire.errors import LoadFailed

UNITS = ("llm", "asr", "tts")
"""The units whose models this API offers."""

# A form of this API has one file and a few short fields.
MAX_FILES, MAX_FIELDS = 1, 20


def routes(context: HttpContext) -> list[BaseRoute]:
    """Return the routes."""
    api = Api(context)
    return [
        Route("/v1/models", explaining(api.list_models), methods=["GET"]),
        Route("/v1/models/{id:path}", explaining(api.show_model), methods=["GET"]),
        Route("/v1/chat/completions", explaining(api.chat), methods=["POST"]),
        Route("/v1/completions", explaining(api.complete), methods=["POST"]),
        Route("/v1/audio/transcriptions", explaining(api.transcribe), methods=["POST"]),
        Route("/v1/audio/speech", explaining(api.speak), methods=["POST"]),
    ]


class Api:
    """The endpoints; the responses compute while they are sent."""

    def __init__(self, context: HttpContext) -> None:
        self._context = context
        self._created = int(context.clock())
        self._fetch = _image_fetch() if context.settings.http.fetch_images else None

    async def list_models(self, request: Request) -> Response:
        """List every installed model, chat models first; requests may also use the other names that `sys.lsmode` lists.

        The configured chat model is the first, because many clients use the first one.
        """
        local_client = self._context.local_client(request)
        try:
            rows = (await local_client.ask("sys", "lsmode")).data
        finally:
            local_client.close()
        usual = await self._usual_chat_model()
        own = [row for row in rows if row["type"] in UNITS and row["installed"] and row["mode"] == row["model"]]
        own.sort(key=lambda row: (UNITS.index(row["type"]), row["mode"] != usual))
        return _json({"object": "list", "data": [self._model(row["mode"]) for row in own]})

    async def _usual_chat_model(self) -> str:
        """Return the name of the model that "default" stands for; "" if there is none."""
        try:
            return (await self._context.models.resolve("llm", DEFAULT_NAME)).name
        except LoadFailed:
            return ""

    async def show_model(self, request: Request) -> Response:
        """Show one model, by any of its names."""
        name = request.path_params["id"]
        for unit in UNITS:
            if await is_known(self._context.models, unit, name):
                return _json(self._model(name))
        raise unknown_model(name, "")

    async def chat(self, request: Request) -> Response:
        """Continue a conversation."""
        asked = read_chat(read_body(await request.body()))
        form = ChatForm(*self._stamp(asked), tells_usage=asked.tells_usage)
        return Answer(self._context, request, asked, form, self._fetch)

    async def complete(self, request: Request) -> Response:
        """Continue a text."""
        asked = read_completion(read_body(await request.body()))
        return Answer(self._context, request, asked, CompletionForm(*self._stamp(asked), tells_usage=asked.tells_usage))

    async def transcribe(self, request: Request) -> Response:
        """Transcribe a recording."""
        async with request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS) as form:
            asked = await read_transcript(form)
        return Transcript(self._context, request, asked)

    async def speak(self, request: Request) -> Response:
        """Speak a text."""
        return Speech(self._context, request, read_speech(read_body(await request.body())))

    def _stamp(self, asked: Asked) -> tuple[str, int, str]:
        """Return id, time and model, which are part of every event of an answer."""
        return secrets.token_hex(12), int(self._context.clock()), asked.model

    def _model(self, name: str) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": self._created, "owned_by": "unitd"}


def _image_fetch() -> Fetch:
    """Return what gets images from the web."""
    from unitd.doors.http.openai.fetching import ImageFetcher  # httpx only where it is wanted

    return ImageFetcher().fetch


def _json(value: dict[str, Any]) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")
