"""Covers fetch.pull, fetch.sources, fetch.downloader, fetch.staging and fetch.reporter: a model's way here."""

import asyncio
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fetch.conftest import Pull
from tests.support.models.model_files import card_of, gguf, offer, packed, release, sha256
from tests.support.servers.local_hub import BLOCK, COMMIT, LocalHub
from tests.support.waiting import eventually
from unitd.core.models.catalog import Card, ModelFile
from unitd.core.models.progress import Progress
from unitd.fetch.downloader import Downloader
from unitd.fetch.failures import PullFailed
from unitd.fetch.integrity import verify
from unitd.fetch.pull import pull
from unitd.fetch.records import read_record
from unitd.fetch.reporter import ProgressReporter
from unitd.fetch.sources import Hub

BUNDLED = Path("units/models/unitd-chat/unitd-chat.gguf")


def left_in(models: Path) -> list[str]:
    """What people see in the folder of models."""
    return sorted(each.name for each in models.iterdir() if not each.name.startswith("."))


# The happy day


def test_a_model_comes_with_all_its_files(hub: LocalHub, pulled: Pull) -> None:
    """Large ones and small ones, in their folders, with a card that makes a model of them."""
    content = gguf()
    card = card_of(offer(hub, "x.gguf", content), offer(hub, "voice/config.json", b"{}", is_large=False))

    place = pulled(card)

    assert (place / "x.gguf").read_bytes() == content
    assert (place / "voice" / "config.json").read_bytes() == b"{}"
    assert (place / "card.toml").read_text() == 'name = "small"\nunit = "llm"\nengine = "llama"\nfile = "x.gguf"\n'


def test_where_it_came_from_is_kept(hub: LocalHub, pulled: Pull) -> None:
    """Every file's size and hash, the repository, and the commit that `main` was."""
    content = gguf()

    record = read_record(pulled(card_of(offer(hub, "x.gguf", content))))

    assert record is not None
    [file] = [each for each in record.files if each.path == "x.gguf"]
    assert (file.size, file.sha256, file.etag) == (len(content), sha256(content), sha256(content))
    assert (record.origin[0]["repository"], record.origin[0]["commit"]) == ("me/model", COMMIT)


def test_it_tells_how_far_it_is(hub: LocalHub, pulled: Pull, told: list[Progress]) -> None:
    """From the first bytes to the place where it is."""
    content = gguf()

    place = pulled(card_of(offer(hub, "x.gguf", content)))

    assert [each.state for each in told if each.state != "fetching"] == ["checking", "done"]
    assert {each.total for each in told if each.state == "fetching"} == {len(content)}
    assert told[-1].place == str(place)


def test_speed_and_time_left_follow_the_line() -> None:
    """Over the last seconds; what was there before is no speed."""
    told: list[Progress] = []
    clock = iter([10.0, 10.1, 12.0])
    reporter = ProgressReporter(10_000, told.append, lambda: next(clock))
    reporter.found(4000)

    reporter.add("x", 0)
    reporter.add("x", 1000)
    reporter.add("x", 1000)

    assert [each.bytes for each in told] == [4000, 6000]
    assert (told[-1].bytes_per_s, told[-1].seconds_left) == (1000.0, 4.0)


async def test_files_come_side_by_side(hub: LocalHub, pulled: Pull) -> None:
    """While one is held up, the other arrives."""
    slow, quick = offer(hub, "slow.gguf", gguf(20_000)), offer(hub, "quick.gguf", gguf(10))
    hub.holds_at = 4 * BLOCK

    pulling = asyncio.create_task(asyncio.to_thread(pulled, card_of(slow, quick)))
    await eventually(lambda: hub.sent == 4 * BLOCK + len(gguf(10)))
    hub.released.set()

    assert (await pulling / "slow.gguf").read_bytes() == gguf(20_000)


def test_an_archive_is_unpacked_without_the_folder_around_it(hub: LocalHub, pulled: Pull, told: list[Progress]) -> None:
    """From a page of releases, which is no hub."""
    archive = packed(("zipformer/encoder.onnx", b"weights"), ("zipformer/words/tokens.txt", b"a 1"))

    place = pulled(card_of(release(hub, "zipformer.tar.bz2", archive), file="encoder.onnx"))

    assert (place / "encoder.onnx").read_bytes() == b"weights"
    assert (place / "words" / "tokens.txt").read_bytes() == b"a 1"
    assert "unpacking" in [each.state for each in told]


def test_an_archive_of_unknown_size_is_asked_for_it(hub: LocalHub, pulled: Pull) -> None:
    """A card may leave the size out."""
    release(hub, "x.tar.bz2", packed(("encoder.onnx", b"weights")))

    place = pulled(card_of(ModelFile("x.tar.bz2", url=f"{hub.cdn_url}/release/x.tar.bz2"), file="encoder.onnx"))

    assert (place / "encoder.onnx").exists()


def test_a_repository_that_has_moved_is_followed(hub: LocalHub, pulled: Pull) -> None:
    """As the hub does when its owner gets another name."""
    offer(hub, "x.gguf", gguf())
    hub.moved["old/name"] = "me/model"

    place = pulled(card_of(ModelFile("x.gguf", repository="old/name")))

    assert (place / "x.gguf").exists()


def test_a_token_goes_to_the_hub_alone(hub: LocalHub, models: Path) -> None:
    """The machine that it sends us to for the bytes is another's."""
    hub.token = "hf_secret"

    pull(card_of(offer(hub, "x.gguf", gguf())), models, lambda _: None, Hub(hub.url, token="hf_secret"))

    assert {each.token for each in hub.seen if "/resolve/" in each.path} == {"Bearer hf_secret"}
    assert {each.token for each in hub.seen if "cdn/" in each.path} == {""}


def test_a_model_that_is_there_is_not_fetched_again(hub: LocalHub, pulled: Pull) -> None:
    """It is looked through, and nobody is asked."""
    card = card_of(offer(hub, "x.gguf", gguf()))
    pulled(card)
    asked = len(hub.seen)

    pulled(card)

    assert len(hub.seen) == asked


def test_a_damaged_model_is_replaced(hub: LocalHub, pulled: Pull) -> None:
    """So is one that the card has a newer version of."""
    card = card_of(offer(hub, "x.gguf", gguf()))
    (pulled(card) / "x.gguf").write_bytes(b"rubbish")

    place = pulled(card)

    assert verify(place) == []


async def test_two_pulls_of_a_model_are_one(hub: LocalHub, pulled: Pull, models: Path, told: list[Progress]) -> None:
    """The second waits, and finds it there."""
    content = gguf(20_000)
    card = card_of(offer(hub, "x.gguf", content))
    hub.holds_at = BLOCK

    pulling = [asyncio.create_task(asyncio.to_thread(pulled, card)) for _ in range(2)]
    await eventually(lambda: Progress("waiting") in told)
    hub.released.set()

    assert await asyncio.gather(*pulling) == [models / "small"] * 2
    assert hub.sent == len(content)


# Cuts


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ten_cuts_cost_no_byte(hub: LocalHub, pulled: Pull, seed: int) -> None:
    """At random bytes: the right hash at the end, and nothing has been sent twice."""
    content = BUNDLED.read_bytes()
    chance = random.Random(seed)
    hub.cuts = [chance.randrange(1, len(content) // 10) for _ in range(10)]

    place = pulled(card_of(offer(hub, "x.gguf", content)))

    assert hub.cuts == []
    assert sha256((place / "x.gguf").read_bytes()) == sha256(content)
    assert hub.sent == len(content)


def test_an_archive_is_continued_as_well(hub: LocalHub, pulled: Pull) -> None:
    """Pages of releases know Range."""
    archive = packed(("encoder.onnx", random.Random(3).randbytes(300_000)))
    hub.cuts = [100_000, 120_000]

    pulled(card_of(release(hub, "x.tar.bz2", archive), file="encoder.onnx"))

    assert hub.sent == len(archive)


def test_a_server_without_range_sends_it_again(hub: LocalHub, pulled: Pull, told: list[Progress]) -> None:
    """There is no other way then; the file is right all the same, and so is the bar."""
    content = gguf(100_000)
    hub.knows_range, hub.cuts = False, [100_000]

    place = pulled(card_of(offer(hub, "x.gguf", content)))

    assert (place / "x.gguf").read_bytes() == content
    assert max(each.bytes for each in told) == len(content)


def test_a_server_that_always_begins_anew_is_given_up(
    hub: LocalHub, pulled: Pull, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes are an advance only where there were none before."""
    monkeypatch.setattr("unitd.fetch.failures.WAITS_SECONDS", (0.0,) * 5)
    hub.knows_range, hub.cuts = False, [200_000, 100_000] * 20

    with pytest.raises(PullFailed, match="tried 6 times"):
        pulled(card_of(offer(hub, "x.gguf", gguf(100_000))))

    assert len(hub.gets("cdn/")) == 7


def test_another_version_does_not_continue_the_old_one(hub: LocalHub, pulled: Pull) -> None:
    """What is left of a pull belongs to the file that it was of."""
    card = card_of(offer(hub, "x.gguf", gguf(100_000)), offer(hub, "y.gguf", gguf(10)))
    hub.files["me/model/y.gguf"].says_etag = "0" * 64
    with pytest.raises(PullFailed):
        pulled(card)
    new = gguf(90_000)
    offer(hub, "x.gguf", new)
    offer(hub, "y.gguf", gguf(10))

    place = pulled(card)

    assert (place / "x.gguf").read_bytes() == new


# What can go wrong


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([(401, {})], "or has no such repository: HF_TOKEN may open it"),
        ([(403, {"X-Error-Code": "GatedRepo"})], "accept its terms on its page and set HF_TOKEN"),
        ([(404, {"X-Error-Code": "EntryNotFound"})], "has no x.gguf of me/model at the revision main"),
        ([(404, {"X-Error-Code": "RepoNotFound"})], "has no x.gguf of me/model"),
        ([(418, {})], "answers 418 for x.gguf of me/model"),
        ([(429, {"Retry-After": "3600"})], "has had too many requests; it asks to wait 3600 seconds"),
        ([(429, {"RateLimit": '"resolvers";r=0;t=250'})], "it asks to wait 250 seconds"),
        ([(503, {"Retry-After": "0"})] * 6, "is not able to answer (503); tried 6 times"),
    ],
)
def test_a_refusal_is_one_sentence(
    hub: LocalHub, pulled: Pull, models: Path, answers: list[tuple[int, dict[str, str]]], words: str
) -> None:
    """It says what to do about it, and nothing is installed."""
    card = card_of(offer(hub, "x.gguf", gguf()))
    hub.answers = list(answers)

    with pytest.raises(PullFailed, match=re.escape(words)):
        pulled(card)

    assert hub.answers == []
    assert left_in(models) == []


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_bad_moment_is_waited_out(hub: LocalHub, pulled: Pull, status: int) -> None:
    """At the look-up and at the bytes, for as long as the server asks."""
    card = card_of(offer(hub, "x.gguf", gguf()))
    hub.answers = [(status, {"Retry-After": "0"})] * 2

    assert (pulled(card) / "x.gguf").exists()


def test_a_token_that_may_not_read_it_is_told(hub: LocalHub, models: Path) -> None:
    """Gated models have terms to be accepted."""
    hub.token = "hf_right"

    with pytest.raises(PullFailed, match="accept its terms"):
        pull(card_of(offer(hub, "x.gguf", gguf())), models, lambda _: None, Hub(hub.url, token="hf_wrong"))


def test_a_hub_that_is_not_there_is_told_at_once(hub: LocalHub, models: Path) -> None:
    """Nobody waits for a network that is switched off."""
    with pytest.raises(PullFailed, match=r"127\.0\.0\.1:9 cannot be reached: Connection refused$"):
        pull(card_of(offer(hub, "x.gguf", gguf())), models, lambda _: None, Hub("http://127.0.0.1:9"))


def test_what_is_no_hub_is_told(hub: LocalHub, pulled: Pull) -> None:
    """A portal that answers everything, say."""
    hub.is_a_hub = False

    with pytest.raises(PullFailed, match="is no hub"):
        pulled(card_of(offer(hub, "x.gguf", gguf())))


def test_a_card_without_files_is_told(pulled: Pull) -> None:
    """Some cards only lend a name."""
    with pytest.raises(PullFailed, match="does not say where its files are"):
        pulled(Card("small", "llm"))


@pytest.mark.parametrize("name", ["../small", ".small", "", "a/b", "a\nb"])
def test_a_name_that_is_no_folder_s_is_refused(hub: LocalHub, pulled: Pull, name: str) -> None:
    """It becomes a folder's, and a lock's."""
    with pytest.raises(PullFailed, match="cannot be a model's name"):
        pulled(replace(card_of(offer(hub, "x.gguf", gguf())), name=name))


def test_a_folder_of_somebody_s_own_stays(hub: LocalHub, pulled: Pull, models: Path) -> None:
    """It has the model's name, and was not pulled."""
    (models / "small").mkdir(parents=True)
    (models / "small" / "mine.gguf").write_bytes(b"mine")

    with pytest.raises(PullFailed, match="is there and was not pulled"):
        pulled(card_of(offer(hub, "x.gguf", gguf())))

    assert (models / "small" / "mine.gguf").read_bytes() == b"mine"


def test_a_disk_that_is_too_small_is_told_before_a_byte_comes(hub: LocalHub, pulled: Pull) -> None:
    """With figures."""
    card = card_of(offer(hub, "x.gguf", gguf()))
    hub.files["me/model/x.gguf"].says_size = 2**60

    with pytest.raises(PullFailed, match=r"small needs 1152921504\.\d GB on the disk of .* are free"):
        pulled(card)

    assert hub.gets("") == []


def test_a_disk_that_becomes_full_is_told(hub: LocalHub, pulled: Pull, models: Path) -> None:
    """Another program may take the room meanwhile; /dev/full is where it has."""
    part, here = offer(hub, "x.gguf", gguf()), Hub(hub.url)
    partial = models / ".incoming" / "small" / "partial"
    partial.mkdir(parents=True)
    Downloader(here, partial).partial_file(here.locate(part)).symlink_to("/dev/full")

    with pytest.raises(PullFailed, match="is full: make room and try again"):
        pulled(card_of(part))


def test_a_folder_that_cannot_be_written_is_told(hub: LocalHub, pulled: Pull, tmp_path: Path) -> None:
    """By its name."""
    (tmp_path / "models").write_text("a file")

    with pytest.raises(PullFailed, match=r"models.*: (Not a directory|File exists)"):
        pulled(card_of(offer(hub, "x.gguf", gguf())))


def test_a_failure_leaves_nothing_but_what_has_come(hub: LocalHub, pulled: Pull, models: Path) -> None:
    """A file that was there in full is not fetched again when another could not be had."""
    good, bad = gguf(30_000), gguf(10)
    card = card_of(offer(hub, "good.gguf", good), offer(hub, "bad.gguf", bad))
    hub.files["me/model/bad.gguf"].content = bad[:-1] + b"!"
    hub.files["me/model/bad.gguf"].says_etag = sha256(bad)
    with pytest.raises(PullFailed):
        pulled(card)
    assert left_in(models) == []
    hub.files["me/model/bad.gguf"].content = bad

    place = pulled(card)

    assert verify(place) == []
    assert len(hub.gets("cdn/me/model/good.gguf")) == 1


# What could not be compared


def test_a_file_without_a_hash_in_the_catalogue_is_told(hub: LocalHub, pulled: Pull, told: list[Progress]) -> None:
    """With what it was compared: the hash of the hub."""
    known = gguf()
    parts = (replace(offer(hub, "x.gguf", known), sha256=sha256(known)), offer(hub, "mmproj.gguf", gguf()))

    pulled(card_of(*parts))

    words = "not verified, for the catalogue has no hash: mmproj.gguf (compared with the hub's own hash only)"
    assert (told[-1].unchecked, str(told[-1])) == (words, f"installed; {words}")


def test_a_file_without_any_hash_is_told(hub: LocalHub, pulled: Pull, told: list[Progress]) -> None:
    """A page of releases has none of its own."""
    pulled(card_of(replace(release(hub, "x.gguf", gguf()), sha256="")))

    assert told[-1].unchecked == "not verified, for there is no hash: x.gguf (only the length was compared)"


def test_a_file_that_the_catalogue_knows_needs_no_words(hub: LocalHub, pulled: Pull, told: list[Progress]) -> None:
    """Its hash was compared."""
    pulled(card_of(release(hub, "x.gguf", gguf())))

    assert (told[-1].unchecked, str(told[-1])) == ("", "installed")
