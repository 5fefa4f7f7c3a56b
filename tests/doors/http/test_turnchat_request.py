"""Covers unitd.doors.http.turnchat.request."""

import base64
import io
import math
import wave
from typing import Any

import numpy as np
import orjson
import pytest

from unitd.doors.http.turnchat.request import (
    Generation,
    ImageOptions,
    Message,
    PictureItem,
    Recording,
    Speech,
    VideoItem,
    read_request,
)
from unitd.wire.errors import BadField, NotJson

HELLO = [{"role": "user", "content": "Hello!"}]
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()
WEBP = base64.b64encode(b"RIFF\x10\0\0\0WEBPVP8 ").decode()
BEEP = base64.b64encode(np.sin(np.arange(800) / 5).astype("<f4").tobytes()).decode()


def request(**fields: Any) -> bytes:
    """A request that asks nothing but "Hello!", with these fields on top."""
    return orjson.dumps({"messages": HELLO} | fields)


def item(**fields: Any) -> bytes:
    """A request with one content item."""
    return request(messages=[{"role": "user", "content": [fields]}])


def test_what_is_not_said_has_the_documents_defaults() -> None:
    """Streaming, 512 tokens, temperature 0.7, top-p 0.8, no voice, no thoughts."""
    read = read_request(request())

    assert read.messages == (Message("user", ("Hello!",)),)
    assert read.generation == Generation(max_new_tokens=512, temperature=0.7, top_p=0.8, length_penalty=1.0)
    assert (read.is_streaming, read.speech, read.thinks) == (True, None, False)


def test_null_says_nothing() -> None:
    """Clients that fill in every field may fill in null."""
    read = read_request(
        request(streaming=None, generation={"top_p": None}, tts=None, image={"max_slice_nums": None}, omni_mode=None)
    )

    assert read == read_request(request())


def test_everything_that_can_be_said_is_understood() -> None:
    """All keys of the document, and one that it does not know."""
    read = read_request(
        request(
            streaming=False,
            generation={"max_new_tokens": 16, "temperature": 0, "top_p": 1, "length_penalty": 2.0, "beams": 3},
            tts={"enabled": True, "mode": "omni", "ref_audio_path": "/etc/passwd", "language": "de"},
            image={"max_slice_nums": 4, "use_image_id": False},
            omni_mode=True,
            enable_thinking=True,
        )
    )

    assert read.generation.options == {
        "max_token_len": 16,
        "temperature": 0.0,
        "top_p": 1.0,
        "end_bias": -10 * math.log(2),
    }
    assert read.speech == Speech("de", wants_other_voice=True)
    assert read.image == ImageOptions(most_slices=4, are_numbered=False)
    assert (read.is_streaming, read.thinks, read.is_omni) == (False, True, True)


@pytest.mark.parametrize(("tts", "is_wanted"), [({}, True), ({"enabled": True}, True), ({"enabled": False}, False)])
def test_a_voice_is_wanted_unless_it_is_switched_off(tts: dict[str, Any], is_wanted: bool) -> None:
    """A `tts` alone is enough."""
    assert (read_request(request(tts=tts)).speech is not None) is is_wanted


def test_audio_becomes_a_wav_of_the_declared_rate() -> None:
    """Between two texts, in its place."""
    content = [
        {"type": "text", "text": "before"},
        {"type": "audio", "data": BEEP, "sample_rate": 44100},
        {"type": "text", "text": "behind"},
    ]

    (message,) = read_request(request(messages=[{"role": "user", "content": content}])).messages

    before, recording, behind = message.items
    assert (before, behind) == ("before", "behind")
    assert isinstance(recording, Recording)
    assert recording.where == "messages[0].content[1]"
    with wave.open(io.BytesIO(recording.wav)) as file:
        assert (file.getframerate(), file.getnframes()) == (44100, 800)


@pytest.mark.parametrize("text", ["", "hello", "{", "[1, 2]", '"messages"', "{'messages': []}", '{"a": NaN}'])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    """Before anything else is looked at."""
    with pytest.raises(NotJson, match="JSON"):
        read_request(text)


BAD_FIELDS: list[tuple[bytes, str]] = [
    (b"{}", "messages is missing"),
    (request(messages=[]), "messages is empty"),
    (request(messages="Hello!"), "messages must be a list"),
    (request(messages=["Hello!"]), r"messages\[0\] must be an object"),
    (request(messages=[{"content": "Hello!"}]), r"messages\[0\].role is missing"),
    (request(messages=[{"role": "robot", "content": "Hello!"}]), r"messages\[0\].role must be one of system, user"),
    (request(messages=[*HELLO, {"role": "user"}]), r"messages\[1\].content is missing"),
    (request(messages=[{"role": "user", "content": 7}]), r"messages\[0\].content must be a text or a list"),
    (request(messages=[{"role": "user", "content": []}]), r"messages\[0\].content is empty"),
    (request(streaming="yes"), "streaming must be true or false"),
    (request(omni_mode=1), "omni_mode must be true or false"),
    (request(enable_thinking="no"), "enable_thinking must be true or false"),
    (request(generation=[]), "generation must be an object"),
    (request(generation={"max_new_tokens": 0}), "generation.max_new_tokens must be a whole number from 1"),
    (request(generation={"max_new_tokens": 1.5}), "generation.max_new_tokens must be a whole number"),
    (request(generation={"max_new_tokens": True}), "generation.max_new_tokens must be a whole number"),
    (request(generation={"temperature": "hot"}), "generation.temperature must be a number from 0 to 100"),
    (request(generation={"top_p": 1.1}), "generation.top_p must be a number from 0 to 1"),
    (request(generation={"length_penalty": 0}), "generation.length_penalty must be a number from 0.01 to 100"),
    (request(tts="on"), "tts must be an object"),
    (request(tts={"mode": "opera"}), "tts.mode must be one of default, audio_assistant"),
    (request(tts={"language": 7}), "tts.language must be a text"),
    (request(tts={"ref_audio_data": 7}), "tts.ref_audio_data must be a text"),
    (request(image={"max_slice_nums": 0}), "image.max_slice_nums must be a whole number from 1"),
    (item(text="Hello!"), r"messages\[0\].content\[0\].type is missing"),
    (item(type="smell", data="abcd"), r"content\[0\].type must be one of text, image, audio, video"),
    (item(type="text"), r"content\[0\].text is missing"),
    (item(type="audio"), r"content\[0\].data is missing"),
    (item(type="audio", data=""), r"content\[0\].data is empty"),
    (item(type="audio", data="***"), r"content\[0\].data is no base64"),
    (item(type="audio", data=base64.b64encode(bytes(5)).decode()), "5 bytes are no whole number of 32-bit samples"),
    (item(type="audio", data="AADAfw=="), "samples that are no numbers"),
    (item(type="audio", data=BEEP, sample_rate=100), r"content\[0\].sample_rate must be a whole number from 8000"),
    (item(type="image", data="***"), r"content\[0\].data is no base64"),
    (item(type="image", data=BEEP), r"content\[0\].data is no image"),
    (item(type="video", data="AAAA", stack_frames=0), r"content\[0\].stack_frames must be a whole number from 1 to 16"),
    (item(type="video", data="***"), r"content\[0\].data is no base64"),
]


@pytest.mark.parametrize(("data", "words"), BAD_FIELDS)
def test_what_is_wrong_is_named_by_its_place(data: bytes, words: str) -> None:
    """The error says which field, and what it must be."""
    with pytest.raises(BadField, match=words):
        read_request(data)


@pytest.mark.parametrize("data", [PNG, WEBP])
def test_an_image_stays_the_file_that_it_is(data: str) -> None:
    """With its place, for errors; the model's program looks into it."""
    (message,) = read_request(item(type="image", data=data)).messages

    assert message.items == (PictureItem(data, "messages[0].content[0]"),)


def test_a_video_has_its_pictures_a_second() -> None:
    """One, unless more are wanted."""
    plain, stacked = [
        read_request(item(type="video", data="AAAA", **fields)).messages[0].items
        for fields in ({}, {"stack_frames": 4})
    ]

    assert plain == (VideoItem(bytes(3), 1, "messages[0].content[0]"),)
    assert stacked == (VideoItem(bytes(3), 4, "messages[0].content[0]"),)


@pytest.mark.parametrize("kind", ["image", "video"])
def test_an_answer_shows_nothing(kind: str) -> None:
    """Templates of models have no place for it."""
    shown = {"type": kind, "data": PNG}

    with pytest.raises(BadField, match=r"messages\[0\].content\[1\] is something to see"):
        read_request(request(messages=[{"role": "assistant", "content": [{"type": "text", "text": "So:"}, shown]}]))


def test_more_slices_than_any_model_makes_are_no_error() -> None:
    """The document has no limit."""
    assert read_request(request(image={"max_slice_nums": 1000})).image.most_slices == 64
