"""Covers a person's own models through the whole daemon: a folder with a card, and what may be wrong with it."""

import base64
import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import shared_app
from tests.support.units.spoken import SAID_IN_CLIPS, chinese_clip, chinese_model
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

KWS = {"model": "xiaozhi", "response_format": "kws.json", "enoutput": True, "input": "kws.base64", "kws": "法国"}
ANOTHER = KWS | {"model": "another"}
ASR = {"model": "pinyin", "response_format": "asr.utf-8", "enoutput": True, "input": "asr.base64"}
KWS_CARD = 'name = "xiaozhi"\nunit = "kws"\nengine = "sherpa"\n'
ASR_CARD = 'name = "pinyin"\nunit = "asr"\nengine = "sherpa-onnx"\n'
KNOWN = "sherpa-onnx-kws-zipformer-wenetspeech-3.3M-2024-01-01"
"""A name of the original's, of which unitd knows engine and unit."""

Install = Callable[[str], Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the daemon."""
    return tmp_path_factory.mktemp("daemon")


@pytest.fixture(scope="module")
def module_app(folder: Path) -> Iterator[App]:
    """One daemon for all, with a task that hears with another model."""
    install_in(folder / "models" / "another", KWS_CARD.replace("xiaozhi", "another"))
    with shared_app(folder, {}, {"kws": ANOTHER}) as app:
        yield app


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """That daemon."""
    return shared_daemon


@pytest.fixture
def install(folder: Path) -> Iterator[Install]:
    """Unpacks the model into a folder of the daemon's and puts a card beside it; returns the folder."""
    place = folder / "models" / "model"
    yield functools.partial(install_in, place)
    shutil.rmtree(place)


def install_in(place: Path, card: str) -> Path:
    """Puts the model's files and a card into a folder."""
    shutil.copytree(chinese_model(), place, ignore=shutil.ignore_patterns("test_wavs"))
    (place / "card.toml").write_text(card)
    return place


def clip(number: int) -> str:
    """One of the model's own test clips, as clients send a WAV."""
    return base64.b64encode(chinese_clip(number).read_bytes()).decode()


async def upload(client: WireClient, task: str, number: int, *, request_id: str = "clip") -> None:
    """Sends a clip; what is heard in it comes by itself."""
    unit = task.partition(".")[0]
    fields = {"work_id": task, "action": "inference", "object": f"{unit}.base64.wav", "data": clip(number)}
    await client.send(request_id=request_id, **fields)


async def refusal_of(client: WireClient, unit: str, setup: dict[str, Any]) -> tuple[int, str]:
    """Code and message of a setup, and it is answered under the unit's name."""
    reply = await client.ask(work_id=unit, action="setup", object=f"{unit}.setup", data=setup)
    assert reply["work_id"] == unit
    return reply["error"]["code"], reply["error"]["message"]


# The happy day


async def test_all_keywords_are_heard_and_no_other(client: WireClient, install: Install) -> None:
    """Every clip in the name of its upload, false where no word is; with the last one all before it have been heard."""
    install(KWS_CARD)
    words = [word for said in SAID_IN_CLIPS.values() for word in said]
    kws = await client.setup("kws", KWS, kws=words, debounce=0)

    for number in SAID_IN_CLIPS:
        await upload(client, kws, number, request_id=str(number))
    await upload(client, kws, 3, request_id="last")
    heard: dict[str, list[Any]] = {name: [] for name in [*map(str, SAID_IN_CLIPS), "last"]}
    while len(heard["last"]) < 2:
        frame = await client.receive()
        heard[frame["request_id"]].append(frame["data"] and frame["data"]["phrase"])

    said: dict[str, list[Any]] = {str(number): words or [False] for number, words in SAID_IN_CLIPS.items()}
    assert heard == said | {"last": SAID_IN_CLIPS[3]}


async def test_the_same_files_write_down_what_is_said(client: WireClient, install: Install) -> None:
    """As the asr engine: a streaming transducer, its text is pinyin here."""
    install(ASR_CARD)
    asr = await client.setup("asr", ASR)

    await upload(client, asr, 3)

    assert "fǎguó" in (await client.receive())["data"]


async def test_a_card_may_set_the_words_to_wake(client: WireClient, install: Install) -> None:
    """And leave the engine away where the model is one that unitd knows by name."""
    install(f'name = "{KNOWN}"\nunit = "kws"\n[defaults]\nkws = "女儿"\nkeywords_threshold = 0.3\n')
    setup = {key: value for key, value in KWS.items() if key != "kws"}
    kws = await client.setup("kws", setup | {"model": KNOWN})

    await upload(client, kws, 4)

    assert (await client.receive())["data"]["phrase"] == "女儿"


# The damage


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ({"kws": "hello"}, "the phrase 'hello' of kws is not in this model's language: it has no token for ello"),
        ({"kws": ["法国", "HELLO"]}, "the phrase 'HELLO' of kws is not in this model's language"),
        ({"kws": "法国", "keywords_threshold": 7}, "keywords_threshold is 7"),
    ],
)
async def test_a_keyword_that_the_model_cannot_spell_is_refused(
    client: WireClient, install: Install, setup: dict[str, Any], words: str
) -> None:
    """By name, before the library sees it: the other task of the same program goes on hearing."""
    install(KWS_CARD)
    kws = await client.setup("kws", KWS)

    code, message = await refusal_of(client, "kws", KWS | setup)
    await upload(client, kws, 3)

    assert (code, words in message) == (-5, True)
    assert (await client.receive())["data"]["phrase"] == "法国"


@pytest.mark.parametrize(
    ("unit", "card", "damage", "words"),
    [
        ("kws", KWS_CARD, lambda place: next(place.glob("encoder*")).unlink(), "there is no encoder*.onnx in"),
        ("kws", KWS_CARD, lambda place: (place / "tokens.txt").unlink(), "there is no tokens.txt in"),
        ("kws", KWS_CARD, lambda place: (place / "tokens.txt").write_text("<html>"), "is no list of tokens"),
        ("kws", KWS_CARD, lambda place: next(place.glob("joiner*")).write_bytes(b"<html>"), "does not load"),
        ("kws", KWS_CARD + 'file = "token.txt"\n', None, "token.txt, which the card names"),
        ("kws", KWS_CARD.replace("sherpa", "sherlock"), None, "kws has no engine 'sherlock'"),
        ("kws", KWS_CARD + 'keywords = "法国"\n', None, "card.toml: unknown key keywords"),
        ("kws", KWS_CARD + 'file = "../tokens.txt"\n', None, "file lies outside the model's folder"),
        ("kws", "name = xiaozhi", None, "card.toml is no model card"),
        ("kws", KWS_CARD.replace("kws", "asr"), None, "no kws model 'xiaozhi' (it is one for asr)"),
        ("asr", ASR_CARD, lambda place: next(place.glob("decoder*")).unlink(), "holds no decoder"),
        ("asr", ASR_CARD, lambda place: next(place.glob("encoder*")).write_bytes(b""), "is empty or a pointer"),
        ("asr", ASR_CARD.replace("sherpa", "sherlock"), None, "there is no asr engine 'sherlock-onnx'"),
    ],
)
async def test_what_is_wrong_with_a_model_is_the_setups_error(
    client: WireClient,
    install: Install,
    unit: str,
    card: str,
    damage: Callable[[Path], object] | None,
    words: str,
) -> None:
    """A missing file, a broken one, a wrong card: -5 with the reason, and the daemon hears with another model."""
    place = install(card)
    if damage is not None:
        damage(place)

    code, message = await refusal_of(client, unit, KWS if unit == "kws" else ASR)
    kws = await client.setup("kws", ANOTHER)
    await upload(client, kws, 3)

    assert (code, words in message) == (-5, True), message
    assert (await client.receive())["data"]["phrase"] == "法国"
