"""Covers turnchat.question and turnchat.request of unitd.doors.http where they show a model images and videos.

The model's eye has random weights: its answers mean nothing, but they differ with what it sees.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from tests.doors.http.conftest import Start
from tests.support.clients.turnchat_client import GREEDY, Message, ask, chat, chat_socket, post, receive, types_of
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, huge_png, square
from tests.support.servers.teller import Teller, story_teller
from tests.support.units.spoken import RATE, joined, silence, speak
from tests.support.videos import only_sound, video
from unitd.app import App
from unitd.doors.pcm import floats_of_s16

pytestmark = pytest.mark.timeout(90)

EYE = "unitd-eye-test"
QVGA = (320, 240)


def text(words: str) -> Message:
    """A text item."""
    return {"type": "text", "text": words}


def image(data: bytes) -> Message:
    """An image item."""
    return {"type": "image", "data": base64.b64encode(data).decode()}


def clip(data: bytes, **fields: Any) -> Message:
    """A video item."""
    return {"type": "video", "data": base64.b64encode(data).decode(), **fields}


def audio(words: str) -> Message:
    """An audio item."""
    floats = floats_of_s16(speak(words).tobytes())
    return {"type": "audio", "data": base64.b64encode(floats).decode(), "sample_rate": RATE}


RED, BLUE = (image(file_of(square(color))) for color in ("red", "blue"))


class Far(NamedTuple):
    """A daemon whose model is behind a server, which tells what it was shown."""

    app: App
    teller: Teller

    async def shown(self, *items: Message, **fields: Any) -> list[str]:
        """Return what the server is shown of these items: the texts, and "image" for each image."""
        async with chat_socket(self.app) as ws:
            await ws.send(orjson.dumps(ask(list(items), **fields)).decode())
            assert (await receive(ws))["type"] == "prefill_done"
        content = self.teller.asked[-1]["messages"][-1]["content"]
        return [part.get("text", "image").strip() for part in content]


@pytest.fixture
async def far(start: Start, tmp_path: Path) -> AsyncIterator[Far]:
    """A server whose card says that it has vision."""
    folder = tmp_path / "models" / "far-eye"
    folder.mkdir(parents=True)
    with story_teller() as teller:
        card = {"name": "far-eye", "unit": "llm", "engine": "openai", "base_url": teller.url, "remote_model": "x"}
        lines = [f'{key} = "{value}"\n' for key, value in card.items()]
        (folder / "card.toml").write_text("".join([*lines, 'capabilities = ["vision"]\n']))
        yield Far(await start(llm={"model": "far-eye"}), teller)


@pytest.fixture
async def seeing(start: Start, tmp_path: Path) -> AsyncIterator[App]:
    """A daemon whose usual model has an eye."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    yield await start(llm={"model": EYE})


async def done_of(app: App, *items: Message, **fields: Any) -> Message:
    """The last message of the answer to these items."""
    *_, last = await chat(app, ask(list(items), **fields))
    return last


async def tokens_of(app: App, *items: Message, **fields: Any) -> int:
    """How many tokens these items have as a prompt."""
    done = await done_of(app, *items, **fields)
    assert done["type"] == "done", done
    return int(done["input_tokens"])


# The document's example


async def test_the_documents_example_with_everything_is_answered(seeing: App) -> None:
    """A text, an image, a recording and a video with sound, in one message."""
    shown = await asyncio.to_thread(video, "red", "blue", sound=speak("what is the capital of france"))
    content = [text("Describe this image"), RED, audio("tell me a story"), clip(shown, stack_frames=1)]

    messages = await chat(seeing, ask(content, tts={"enabled": True}))
    response = await post(seeing, ask(content))

    assert types_of(messages) == ["prefill_done", "chunk", "done"]
    assert messages[-1]["warnings"] == []
    assert messages[-1]["input_tokens"] > 3 * 16
    assert response.json()["text"] == messages[-1]["text"] != ""


async def test_the_documents_example_on_the_bundled_models(start: Start) -> None:
    """The bundled eye and ears: all four items at once, and each that shows something by itself, truly."""
    app = await start()
    red = image(file_of(square("red", size=QVGA)))
    shown = await asyncio.to_thread(video, "red", "blue", size=QVGA, sound=speak("what is the capital of france"))
    mute = await asyncio.to_thread(video, "red", size=QVGA)
    everything = [text("Describe this image"), red, audio("tell me a story"), clip(shown, stack_frames=1)]

    whole = await chat(app, ask(everything, tts={"enabled": True}))
    seen = await done_of(app, text("Describe this image"), red)
    heard = await done_of(app, red, audio("what colour is the square"))
    filmed = await done_of(app, clip(mute, stack_frames=1), text("what do you see?"))

    assert types_of(whole) == ["prefill_done", "chunk", "done"]
    assert whole[-1]["warnings"] == []
    assert whole[-1]["text"]
    assert "red square" in seen["text"]
    assert "red" in heard["text"]
    assert "white square" in filmed["text"]


# Images


async def test_an_answer_depends_on_what_is_seen(seeing: App) -> None:
    """And on nothing else."""
    red, blue, again = [await done_of(seeing, text("what is this?"), each) for each in (RED, BLUE, RED)]

    assert red["text"] == again["text"] != blue["text"]


async def test_several_images_are_numbered(seeing: App) -> None:
    """Unless that is not wanted; one alone has no number."""
    one = await tokens_of(seeing, RED)
    two = await tokens_of(seeing, RED, BLUE)
    plain = await tokens_of(seeing, RED, BLUE, image={"use_image_id": False})
    written = await tokens_of(seeing, text("Image 1: "), RED, text("Image 2: "), BLUE, image={"use_image_id": False})

    assert plain == one + 16
    assert two == written > plain


async def test_images_may_stand_in_older_messages(seeing: App) -> None:
    """In system messages, and in earlier questions."""
    turns = [
        {"role": "system", "content": [text("Look at this."), RED]},
        {"role": "user", "content": [BLUE, text("what is this?")]},
        {"role": "assistant", "content": "A square."},
        {"role": "user", "content": "are you sure?"},
    ]

    *_, done = await chat(seeing, {"messages": turns, "generation": GREEDY})

    assert done["type"] == "done"
    assert done["input_tokens"] > 2 * 16


async def test_a_picture_may_be_as_large_as_what_may_wait(seeing: App) -> None:
    """A picture over 16 MiB as base64 gets an error, and a body over the size of a request is refused unread."""
    jpeg = file_of(square("red"), "JPEG")
    large, larger, largest = (image(jpeg + bytes(size * 1024 * 1024)) for size in (11, 13, 25))

    shown = await tokens_of(seeing, large)
    error = await done_of(seeing, larger)
    refused = await post(seeing, ask([largest]))

    assert shown == await tokens_of(seeing, image(jpeg))
    assert error["type"] == "error"
    assert "of earlier requests wait; 16777216 may wait for one client" in error["error"]
    assert refused.status_code == 413


# Videos


async def test_a_video_is_a_picture_a_second(seeing: App) -> None:
    """Show that three seconds make three pictures, and six with two a second."""
    shown = await asyncio.to_thread(video, "red", "blue", "green")

    question = await tokens_of(seeing, text("what is this?"))
    plain = await tokens_of(seeing, text("what is this?"), clip(shown))
    stacked = await tokens_of(seeing, text("what is this?"), clip(shown, stack_frames=2))

    assert plain == question + 3 * 16
    assert stacked == question + 6 * 16


async def test_a_long_video_says_how_much_of_it_is_seen(seeing: App) -> None:
    """A warning, and the pictures that there is room for."""
    shown = await asyncio.to_thread(lambda: video(*["red", "blue"] * 20, rate=2))

    done = await done_of(seeing, clip(shown))

    assert done["warnings"] == ["messages[0].content[0]: 16 moments of its 40 s are seen"]
    assert 16 * 16 < done["input_tokens"] < 17 * 16 + 32


async def test_what_is_said_in_a_video_is_a_part_of_the_question(seeing: App) -> None:
    """After its pictures; the answer is that to the same question in writing."""
    shown = await asyncio.to_thread(video, "red", "blue", sound=speak("what is the capital of france"))
    frames = await asyncio.to_thread(video, "red", "blue")

    heard = await done_of(seeing, clip(shown))
    written = await done_of(seeing, clip(frames), text("what is the capital of france"))

    assert heard["text"] == written["text"]
    assert heard["input_tokens"] == written["input_tokens"]


async def test_in_omni_mode_words_stand_where_they_are_said(far: Far) -> None:
    """The question is asked twice, with a pause between: the first time it comes before the last pictures."""
    question = "what is the capital of france"
    sound = joined(speak(question), silence(5), speak(question))
    shown = await asyncio.to_thread(lambda: video(*["red", "blue"] * 5, sound=sound))

    apart = await far.shown(clip(shown))
    among = await far.shown(clip(shown), omni_mode=True)

    assert apart == ["image"] * 10 + [f"{question} {question}"]
    assert sorted(among) == ["image"] * 10 + [question] * 2
    assert 2 < among.index(question) < 8


async def test_limits_of_slices_are_passed_on(far: Far) -> None:
    """As far as the model is here; a server has only high and low, and low is one slice."""
    await far.shown(RED, image={"max_slice_nums": 1})
    (one,) = far.teller.asked[-1]["messages"][-1]["content"]
    await far.shown(RED, image={"max_slice_nums": 4})
    (four,) = far.teller.asked[-1]["messages"][-1]["content"]

    assert one["image_url"].get("detail") == "low"
    assert four["image_url"].get("detail") != "low"


async def test_a_video_without_a_word_is_told(seeing: App) -> None:
    """As for a recording."""
    shown = await asyncio.to_thread(video, "red", sound=silence(1))

    done = await done_of(seeing, text("what is this?"), clip(shown))

    assert done["warnings"] == ["messages[0].content[1]: no speech is understood in it"]


# What cannot be shown


async def test_a_model_without_vision_says_so_of_each_item(start: Start, tmp_path: Path) -> None:
    """Before anything is decoded or heard."""
    await asyncio.to_thread(blind_model, tmp_path / "models")
    app = await start(llm={"model": BLIND})
    content = [text("look:"), RED, clip(b"no video at all")]

    (error,) = await chat(app, ask(content))
    response = await post(app, ask(content))

    words = f"messages[0].content[1] is an image, messages[0].content[2] is a video; the model {BLIND} has no vision"
    assert error == {"type": "error", "error": words}
    assert (response.status_code, response.json()) == (503, error)


async def test_a_bad_item_is_named_as_the_client_sent_it(seeing: App) -> None:
    """Behind a video, which takes many parts, and between numbers."""
    shown = await asyncio.to_thread(video, "red", "blue")
    broken = image(file_of(square())[:60])

    (error,) = await chat(seeing, ask([RED, clip(shown), broken]))
    response = await post(seeing, ask([RED, clip(shown), broken]))

    assert "messages[0].content[2] cannot be read: it is truncated" in error["error"]
    assert (response.status_code, response.json()) == (422, error)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: b"hello", "it is no video"),
        (lambda: only_sound(silence(1)), "it has no pictures"),
        (
            lambda: video("red", size=(4000, 3000), rate=1),
            "its pictures have 4000 x 3000 pixels, 9 megapixels are the most",
        ),
    ],
)
async def test_a_hostile_video_ends_its_own_answer(seeing: App, make: Callable[[], bytes], words: str) -> None:
    """With its place and a reason; the next one is seen."""
    (error,) = await chat(seeing, ask([clip(await asyncio.to_thread(make))]))

    assert f"messages[0].content[0] cannot be read: {words}" in error["error"]
    assert (await done_of(seeing, RED))["type"] == "done"


async def test_a_hostile_picture_ends_its_own_answer(seeing: App) -> None:
    """A hundred megapixels."""
    (error,) = await chat(seeing, ask([image(await asyncio.to_thread(huge_png, 10_000, 10_000))]))

    assert "100.0 megapixels" in error["error"]
    assert (await done_of(seeing, RED))["type"] == "done"


async def test_what_does_not_fit_is_told_with_figures(start: Start, tmp_path: Path) -> None:
    """Before any work."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    app = await start(llm={"model": EYE, "context": 256})
    shown = await asyncio.to_thread(lambda: video(*["red", "blue"] * 10, rate=2))

    (error,) = await chat(app, ask([clip(shown)]))

    assert "256 of them for pictures, the context holds 256" in error["error"]
