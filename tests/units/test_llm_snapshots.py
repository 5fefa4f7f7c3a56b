"""Covers units.llm.snapshots, alone and through the llm unit with the bundled model."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.units.engine_bench import BUNDLED
from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.llm import reading_ahead, snapshots
from units.llm.snapshots import Snapshots, identity_of
from units.llm.unit import LlmUnit

TOKENS = [1, 2, 3]
PERSONA = "You are a kind assistant in a small house by the sea, and you like short answers. " * 8


@pytest.fixture
def store(tmp_path: Path) -> Snapshots:
    """An empty folder's."""
    return Snapshots(tmp_path, "a model", lambda words: None)


def test_a_stored_state_comes_back(store: Snapshots) -> None:
    """The state is restored for exactly the same tokens."""
    store.store(TOKENS, b"state").join()

    assert store.load(TOKENS) == bytearray(b"state")
    assert store.load([1, 2]) is None


def test_another_model_finds_nothing(store: Snapshots, tmp_path: Path) -> None:
    """The name depends on everything the state depends on."""
    store.store(TOKENS, b"state").join()

    assert Snapshots(tmp_path, "another model", lambda words: None).load(TOKENS) is None


def test_a_changed_file_is_another_model(tmp_path: Path) -> None:
    """Size and time count."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"one")
    before = identity_of(path, 4096)
    path.write_bytes(b"other")

    assert identity_of(path, 4096) != before


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 100])
def test_a_damaged_file_is_deleted(tmp_path: Path, damage: bytes) -> None:
    """It is told once, and the prompt is read anew."""
    warnings: list[str] = []
    store = Snapshots(tmp_path, "a model", warnings.append)
    store.store(TOKENS, b"state").join()
    next(tmp_path.glob("*.kv")).write_bytes(damage)

    assert store.load(TOKENS) is None
    assert store.load(TOKENS) is None
    assert len(warnings) == 1


def test_the_oldest_make_room(store: Snapshots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder does not grow over its limit."""
    monkeypatch.setattr(snapshots, "MAX_TOTAL_BYTES", 1000)

    for number in range(10):
        store.store([number], b"x" * 200).join()

    assert sum(path.stat().st_size for path in tmp_path.glob("*.kv")) <= 1000
    assert store.load([9]) is not None


def test_a_folder_that_cannot_be_made_costs_only_the_snapshot(tmp_path: Path) -> None:
    """A full disk looks the same."""
    warnings: list[str] = []
    (tmp_path / "file").touch()
    store = Snapshots(tmp_path / "file" / "below", "a model", warnings.append)

    store.store(TOKENS, b"state").join()

    assert store.load(TOKENS) is None
    assert "cannot be kept" in warnings[0]


def started(host: FakeHost, folder: Path) -> LlmUnit:
    """The unit with the bundled model and this folder for its snapshots."""
    program = LlmUnit(host)
    load = {"engine": "llama", "path": str(BUNDLED), "slots": 2, "context": 1024, "threads": 1, "exact": True}
    program.load(load | {"cache_dir": str(folder)})
    return program


def run(program: LlmUnit, message: Envelope) -> None:
    """One message, and all that it sets off."""
    program.handlers[message.type](message)
    while program.is_busy:
        program.step()


Ask = Callable[[], tuple[str, FakeHost]]


@pytest.fixture
def restarted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Starts the unit anew, sets a task with the persona up, and asks."""
    monkeypatch.setattr(reading_ahead, "WORTH_KEEPING_SECONDS", 0.0)

    def ask() -> tuple[str, FakeHost]:
        host = FakeHost()
        program = started(host, tmp_path)
        data = {"prompt": PERSONA, "temperature": 0, "max_token_len": 60}
        run(program, Envelope("setup", {"task": "llm.1", "data": data, "memory": None}))
        run(program, Envelope("infer", {"task": "llm.1", "inference": 1, "is_text": True}, b"tell me a story"))
        program.close()
        return host.text(), host

    return ask


def test_a_restored_prompt_changes_no_word(restarted: Ask, tmp_path: Path) -> None:
    """The second start reads the state instead of the prompt."""
    first, _ = restarted()
    (kept,) = _settled(tmp_path)

    second, host = restarted()

    assert second == first
    assert _settled(tmp_path) == [kept]
    assert host.logged() == ""


def test_a_damaged_snapshot_changes_no_word(restarted: Ask, tmp_path: Path) -> None:
    """The prompt is read again and kept again."""
    first, _ = restarted()
    (kept,) = _settled(tmp_path)
    kept.write_bytes(kept.read_bytes()[:-1] + b"?")

    second, host = restarted()

    assert second == first
    assert "is damaged" in host.logged()
    assert _settled(tmp_path) == [kept]


def test_what_was_said_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript that a client has read ahead is the board's as long as it runs."""
    monkeypatch.setattr(reading_ahead, "WORTH_KEEPING_SECONDS", 0.0)
    program = started(FakeHost(), tmp_path)
    transcript = {"messages": [{"role": "system", "content": PERSONA + "This was said before: my name is Ann."}]}

    run(program, Envelope("setup", {"task": "llm.1", "data": {"prompt": ""} | transcript, "memory": None}))
    run(program, Envelope("warm", {"seq": 1, "task": "llm.1"}))
    run(program, Envelope("warm", {"seq": 2, "task": "llm.1", "data": transcript}))
    program.close()

    assert _settled(tmp_path) == []


@pytest.mark.parametrize("is_public", [False, True])
def test_a_client_s_own_prompt_is_kept_for_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_public: bool
) -> None:
    """Another one's setup does not find it, so its first answer tells nothing; the board's own is kept for all."""
    monkeypatch.setattr(reading_ahead, "WORTH_KEEPING_SECONDS", 0.0)
    whose = {"data": {"prompt": PERSONA}, "memory": None, "has_public_prompt": is_public}
    for owner in ("anna", "bert", "anna"):
        program = started(FakeHost(), tmp_path)
        run(program, Envelope("setup", {"task": "llm.1", "owner": owner} | whose))
        program.close()

    assert len(_settled(tmp_path)) == (1 if is_public else 2)


def _settled(folder: Path) -> list[Path]:
    """The snapshots once every writer is done."""
    for thread in threading.enumerate():
        if thread.name == "writer.kv":
            thread.join()
    return sorted(folder.glob("*.kv"))
