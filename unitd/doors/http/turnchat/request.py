"""The request of the turn-based chat, read from JSON into frozen dataclasses.

A key that is null counts as absent; an unknown key is ignored. Errors name the place, such as
`messages[1].content[0].data`. Audio is converted to 16-bit WAV here, so read requests in a thread.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from unitd.doors.pcm import HIGHEST_RATE, LOWEST_RATE, s16_of_floats, wav_of
from unitd.wire.errors import BadBase64, BadField, NotJson
from unitd.wire.fields import Fields
from unitd.wire.joining import decode_base64
from unitd.wire.pictures import MAX_SLICES, media_type
from unitd.wire.reading import read_json
from unitd.wire.videos import MAX_STACKED

ROLES = ("system", "user", "assistant")
TTS_MODES = ("default", "audio_assistant", "omni", "audio_roleplay", "voice_cloning")
USUAL_RATE = 16000

# At these limits -10·ln(penalty) outweighs any model's preference: the answer never ends, or ends at once.
LENGTH_PENALTIES = (0.01, 100)
END_BIAS_PER_LOG = -10.0

_PICTURE_NAMES = "PNG, JPEG, GIF, WebP and BMP"


@dataclass(frozen=True)
class Recording:
    """An audio item: 16-bit WAV at the rate that the client declared."""

    wav: bytes
    where: str
    """Its place in the request."""


@dataclass(frozen=True)
class PictureItem:
    """An image item, as base64 of its file."""

    image: str
    where: str


@dataclass(frozen=True)
class VideoItem:
    """A video item."""

    data: bytes
    stack: int
    """Pictures a second; those between two seconds are shown together in one."""

    where: str


Item = str | Recording | PictureItem | VideoItem


@dataclass(frozen=True)
class Message:
    """One message of the conversation: texts, recordings, pictures and videos in order."""

    role: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Generation:
    """The options of generation."""

    max_new_tokens: int = 512
    temperature: float = 0.7
    top_p: float = 0.8
    length_penalty: float = 1.0
    """Over 1 the answer grows longer, below 1 shorter."""

    @property
    def options(self) -> dict[str, Any]:
        """Return the options under the llm unit's names."""
        return {
            "max_token_len": self.max_new_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "end_bias": END_BIAS_PER_LOG * math.log(self.length_penalty),
        }


@dataclass(frozen=True)
class Speech:
    """The request to speak the answer."""

    language: str = ""
    """The language of the voice; "" for the unit's usual voice."""

    wants_other_voice: bool = False
    """True when the request contains a voice sample."""


@dataclass(frozen=True)
class ImageOptions:
    """How images are shown to the model."""

    most_slices: int = 0
    """The number of slices into which the model may cut an image; 0: as many as it wants."""

    are_numbered: bool = True
    """True when several images have a number each, which stands before them."""


@dataclass(frozen=True)
class ChatRequest:
    """A question with the conversation before it."""

    messages: tuple[Message, ...]
    image: ImageOptions = ImageOptions()
    is_omni: bool = False
    """True when the sound of a video stands among its pictures, not after them."""

    is_streaming: bool = True
    generation: Generation = Generation()
    speech: Speech | None = None
    thinks: bool = False


def read_request(data: str | bytes) -> ChatRequest:
    """Return the request in a message or body.

    Raises:
        NotJson: the data is no JSON object.
        TooLong: it holds too many values.
        BadField: a field is missing or cannot be used.
    """
    try:
        document = read_json(data)
    except orjson.JSONDecodeError as error:
        raise NotJson(f"the request is no JSON: {error}") from error
    if not isinstance(document, dict):
        raise NotJson("the request must be a JSON object")
    fields = _Fields(document, "")
    return ChatRequest(
        messages=_messages(fields),
        image=_image_options(fields.table("image")),
        is_omni=fields.flag("omni_mode", False),
        is_streaming=fields.flag("streaming", True),
        generation=_generation(fields.table("generation")),
        speech=_speech(fields),
        thinks=fields.flag("enable_thinking", False),
    )


class _Fields(Fields):
    """One JSON object of the request."""

    null_is_absent = True

    def refusal(self, key: str, wanted: str, shown: str = "") -> BadField:
        """Return the error, which names the place."""
        return BadField(f"{self.place(key)} must be {wanted}")

    def present(self, key: str) -> Any:
        """Return a value that must be there.

        Raises:
            BadField: it is missing.
        """
        if key not in self:
            raise BadField(f"{self.place(key)} is missing")
        return self.get(key)

    def present_text(self, key: str) -> str:
        """Return a text that must be there."""
        self.present(key)
        return self.text(key, "")

    def data(self) -> bytes:
        """Return what is in `data` as base64; it must be there and not be empty."""
        try:
            content = decode_base64([self.present_text("data")])
        except BadBase64 as error:
            raise BadField(f"{self.place('data')} is no base64") from error
        if not content:
            raise BadField(f"{self.place('data')} is empty")
        return content


def _messages(fields: _Fields) -> tuple[Message, ...]:
    fields.present("messages")
    if not (listed := fields.listed("messages")):
        raise BadField("messages is empty")
    return tuple(_message(_Fields(each, f"messages[{at}]")) for at, each in enumerate(listed))


def _message(fields: _Fields) -> Message:
    role = fields.one_of("role", fields.present_text("role"), ROLES)
    content, where = fields.present("content"), fields.place("content")
    if isinstance(content, str):
        return Message(role, (content,))
    if not (listed := fields.listed("content", "a text or a list of items")):
        raise BadField(f"{where} is empty")
    items = tuple(_item(_Fields(each, f"{where}[{at}]")) for at, each in enumerate(listed))
    seen = [item for item in items if isinstance(item, PictureItem | VideoItem)]
    if role == "assistant" and seen:
        raise BadField(f"{seen[0].where} is something to see, which an assistant's message cannot have")
    return Message(role, items)


def _item(fields: _Fields) -> Item:
    return _ITEMS[fields.one_of("type", fields.present_text("type"), list(_ITEMS))](fields)


def _audio(fields: _Fields) -> Recording:
    rate = fields.whole("sample_rate", USUAL_RATE, LOWEST_RATE, HIGHEST_RATE)
    try:
        pcm = s16_of_floats(fields.data())
    except ValueError as error:
        raise BadField(f"{fields.place('data')} is no 32-bit float PCM: {error}") from error
    return Recording(wav_of(pcm, rate), fields.where)


def _image(fields: _Fields) -> PictureItem:
    if not media_type(fields.data()):
        raise BadField(f"{fields.place('data')} is no image; {_PICTURE_NAMES} are known")
    return PictureItem(fields.present_text("data"), fields.where)


def _video(fields: _Fields) -> VideoItem:
    return VideoItem(fields.data(), fields.whole("stack_frames", 1, 1, MAX_STACKED), fields.where)


_ITEMS: dict[str, Callable[[_Fields], Item]] = {
    "text": lambda fields: fields.present_text("text"),
    "image": _image,
    "audio": _audio,
    "video": _video,
}


def _generation(fields: _Fields) -> Generation:
    usual = Generation()
    return Generation(
        max_new_tokens=fields.whole("max_new_tokens", usual.max_new_tokens, 1, 1_048_576),
        temperature=fields.number("temperature", usual.temperature, 0, 100),
        top_p=fields.number("top_p", usual.top_p, 0, 1),
        length_penalty=fields.number("length_penalty", usual.length_penalty, *LENGTH_PENALTIES),
    )


def _speech(fields: _Fields) -> Speech | None:
    """Return the `tts` part; None without one, or with `enabled` false. Voice samples are neither read nor opened."""
    if "tts" not in fields:
        return None
    tts = fields.table("tts")
    tts.one_of("mode", tts.text("mode", "default"), TTS_MODES)
    samples = [tts.text(key, "") for key in ("ref_audio_path", "ref_audio_data")]
    speech = Speech(tts.text("language", ""), wants_other_voice=any(samples))
    return speech if tts.flag("enabled", True) else None


def _image_options(image: _Fields) -> ImageOptions:
    # The document has no limit; more slices than MAX_SLICES no model makes here.
    most = image.whole("max_slice_nums", 0, 1, 1024)
    return ImageOptions(min(most, MAX_SLICES), image.flag("use_image_id", True))
