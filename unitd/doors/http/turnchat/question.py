"""The conversation of a request as the llm unit reads it: texts and pictures.

Recordings become what asr understands. A video becomes pictures and what is said in it: after the pictures, in omni
mode among them. Several images are numbered, so that a text can name one.
"""

import base64
import re
from typing import Any

from unitd.core.tasks.kinds import DEFAULT_NAME
from unitd.doors.http.speech import Transcriber
from unitd.doors.http.turnchat.request import ChatRequest, Item, Message, PictureItem, Recording, VideoItem
from unitd.doors.local_client import LocalClient
from unitd.doors.pcm import wav_of
from unitd.runtime.children.video import Video, VideoReader, VideoSound
from unitd.runtime.models.store import ModelStore
from unitd.wire.errors import EmptyInput, RunFailed, Unavailable, UnitdError
from unitd.wire.pictures import MAX_PICTURES
from unitd.wire.videos import MAX_FRAMES, MAX_SOUND_SECONDS, SOUND_RATE

Part = dict[str, Any]

VOICE_SAMPLE = "is a voice sample of a system message; it is not transcribed and no part of the prompt"
NO_SPEECH = "no speech is understood in it"

_PLACE = re.compile(r"messages\[\d+\]\.content\[\d+\]")
_IN_WORDS = {PictureItem: "an image", VideoItem: "a video"}


class PreparedQuestion:
    """The messages of one request."""

    def __init__(
        self, local_client: LocalClient, request: ChatRequest, model_store: ModelStore, videos: VideoReader
    ) -> None:
        self.warnings: list[str] = []
        """What of the request is no part of the messages, and why."""

        self._local_client = local_client
        self._request = request
        self._model_store = model_store
        self._videos = videos
        self._transcriber: Transcriber | None = None
        self._image_number = 0
        self._places: dict[str, str] = {}
        """The item of the request that each part comes from, by the place of the part."""

    async def messages(self) -> list[dict[str, Any]]:
        """Return the messages.

        Raises:
            UnitdError: an item cannot be used, the model has no vision, the last message says nothing.
        """
        await self._check_vision()
        said = self._request.messages
        messages = [{"role": each.role, "content": await self._content(at, each)} for at, each in enumerate(said)]
        if self._transcriber is not None:
            self._transcriber.close()
        if not messages[-1]["content"]:
            raise EmptyInput(f"messages[{len(messages) - 1}] says nothing that could be answered")
        return messages

    def with_own_place(self, error: UnitdError) -> UnitdError:
        """Return an error of the llm unit with the place of the request's item instead of the part's."""
        found = _PLACE.match(error.reason)
        if found is None or found[0] not in self._places:
            return error
        return type(error)(self._places[found[0]] + error.reason.removeprefix(found[0]))

    async def _check_vision(self) -> None:
        seen = [f"{each.where} is {_IN_WORDS[type(each)]}" for each in self._seen(PictureItem, VideoItem)]
        if not seen:
            return
        card = await self._model_store.resolve("llm", DEFAULT_NAME)
        if not card.has_vision:
            raise Unavailable(f"{', '.join(seen)}; the model {card.name} has no vision")

    def _seen(self, *kinds: type) -> list[Any]:
        return [item for message in self._request.messages for item in message.items if isinstance(item, kinds)]

    async def _content(self, at: int, message: Message) -> str | list[Part]:
        """Return a text, or texts and pictures in order; two texts stand below each other."""
        parts: list[Part] = []
        for item in message.items:
            for part in await self._parts_of(item, message.role):
                if part["type"] == "text" and parts and parts[-1]["type"] == "text":
                    part["text"] = "\n" + part["text"]
                if not isinstance(item, str):
                    self._places[f"messages[{at}].content[{len(parts)}]"] = item.where
                parts.append(part)
        if any(part["type"] == "image" for part in parts):
            return parts
        return "".join(part["text"] for part in parts)

    async def _parts_of(self, item: Item, role: str) -> list[Part]:
        if isinstance(item, PictureItem):
            return self._picture_parts(item)
        if isinstance(item, VideoItem):
            return await self._video_parts(item)
        if isinstance(item, str):
            return _text_parts(item)
        if role == "system":
            self.warnings.append(f"{item.where} {VOICE_SAMPLE}")
            return []
        return _text_parts(await self._hear(item))

    async def _hear(self, recording: Recording) -> str:
        text = await self._transcribe(recording.wav)
        if not text:
            self.warnings.append(f"{recording.where}: {NO_SPEECH}")
        return text

    async def _transcribe(self, wav: bytes) -> str:
        self._transcriber = self._transcriber or await Transcriber.open(self._local_client)
        return await self._transcriber.hear(wav)

    def _picture_parts(self, item: PictureItem) -> list[Part]:
        options = self._request.image
        part: Part = {"type": "image", "image": item.image}
        if options.most_slices:
            part["max_slices"] = options.most_slices
        self._image_number += 1
        is_numbered = options.are_numbered and len(self._seen(PictureItem)) > 1
        return [*_text_parts(f"Image {self._image_number}: " if is_numbered else ""), part]

    async def _video_parts(self, item: VideoItem) -> list[Part]:
        pictures_each = 1 if item.stack == 1 else 2
        room = MAX_PICTURES - len(self._seen(PictureItem))
        most = min(MAX_FRAMES, max(1, room // len(self._seen(VideoItem)) // pictures_each))
        try:
            video = await self._videos.read(item.data, frames=most, stack=item.stack, in_pieces=self._request.is_omni)
        except RunFailed as error:
            raise RunFailed(f"{item.where} cannot be read: {error.reason}") from error
        if video.seconds > most:
            self.warnings.append(f"{item.where}: {most} moments of its {video.seconds:.0f} s are seen")
        if video.is_sound_cut:
            self.warnings.append(f"{item.where}: the first {MAX_SOUND_SECONDS} s of its sound are heard")
        return await self._seen_and_heard(video, item.where)

    async def _seen_and_heard(self, video: Video, where: str) -> list[Part]:
        """Return the parts for a video; a frame is looked at as a whole, since there are many."""
        parts: list[Part] = []
        for each in video.parts:
            if isinstance(each, VideoSound):
                parts += _text_parts(await self._transcribe(wav_of(each.pcm, SOUND_RATE)))
            else:
                parts.append({"type": "image", "image": base64.b64encode(each.jpeg).decode(), "detail": "low"})
        if len(video.parts) > video.frames == len(parts):
            self.warnings.append(f"{where}: {NO_SPEECH}")
        return parts


def _text_parts(text: str) -> list[Part]:
    """Return a part for a text, none for one that says nothing."""
    return [{"type": "text", "text": text}] if text.strip() else []
