"""Covers units.llm.measure and units.llm.probe: the probe is a model, and the program measures this machine with it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gguf
import pytest

from tests.support.units.engine_bench import BUNDLED
from unitd.core.models.forecast import forecast, multiplied_weights, read_speed
from unitd.core.models.gguf import Shape, read_shape
from unitd.core.models.gguf_check import check_tensors
from units.llm.context import Alarm, Context, Entry
from units.llm.llama import Model
from units.llm.probe import Probe

# Three trials of a tenth of a second, five steps at the least, on whatever else runs here.
LONG = 120
SMALL = Probe(layers=2, width=64, hidden=128, heads=2, kv_heads=1, vocabulary=256)


def measure(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs the program as the command does."""
    return subprocess.run([sys.executable, "-m", "units.llm.measure", *arguments], capture_output=True, text=True)


# The probe


def test_a_probe_is_a_sound_gguf(tmp_path: Path) -> None:
    """Its header says what was wanted, all tensors lie inside the file, and the format's own library reads them."""
    path = tmp_path / "probe.gguf"

    SMALL.write(path)

    with path.open("rb") as file:
        assert read_shape(file) == Shape(layers=2, width=64, hidden=128, heads=2, cached_values=2 * 32 * 2)
        file.seek(0)
        check_tensors(file, path.stat().st_size)
    assert sum(int(tensor.n_bytes) for tensor in gguf.GGUFReader(path).tensors) == SMALL.size


def test_a_probe_takes_no_room_on_the_disk(tmp_path: Path) -> None:
    """A quarter of a gigabyte of weights is a hole behind a header."""
    path = tmp_path / "probe.gguf"

    Probe.of_size(2**28).write(path)

    status = path.stat()
    assert status.st_size > 2**28
    assert status.st_blocks * 512 < 2**20


@pytest.mark.parametrize("size", [1, 2**26, 2**28])
def test_a_probe_is_hardly_larger_than_wanted(size: int) -> None:
    """By less than a layer, but it has one."""
    probe = Probe.of_size(size)
    less = Probe(probe.layers - 1)

    assert probe.layers >= 1
    assert less.size < size <= probe.size or probe.layers == 1


def test_llama_computes_with_a_probe(tmp_path: Path) -> None:
    """It has numbers for words, so a decode is all it can do."""
    path = tmp_path / "probe.gguf"
    SMALL.write(path)
    loaded = Model(str(path), lambda fraction: None)
    context = Context(loaded, Alarm(), slots=1, context=256, threads=1, exact=False)

    is_done = context.decode([Entry(0, 0, 0, True)])
    context.close()

    assert is_done
    assert loaded.vocab_size == 256


def test_a_model_and_its_header_agree_on_its_weights(model: Model) -> None:
    """What the program divides by is what the forecast multiplies with."""
    with BUNDLED.open("rb") as file:
        shape = read_shape(file)

    assert multiplied_weights(shape) == pytest.approx(model.matrix_weights, rel=0.01)


# The program


@pytest.mark.timeout(LONG)
def test_a_board_is_measured() -> None:
    """One thread, since others run here: the bundled model then makes from twenty to ten thousand tokens a second."""
    done = measure(str(BUNDLED), "1")

    speed = read_speed(json.loads(done.stdout))
    expected = forecast(speed, BUNDLED.stat().st_size, None)
    assert (done.returncode, done.stderr) == (0, "")
    assert 20 < expected.tokens_per_s < 10_000
    assert speed.large.byte_s > 0
    assert speed.large.weight_s > 0


def test_a_file_that_is_no_model_ends_with_a_sentence(tmp_path: Path) -> None:
    """The last line is what the command shows."""
    path = tmp_path / "notes.gguf"
    path.write_text("buy milk")

    done = measure(str(path))

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "notes.gguf is no GGUF file"


@pytest.mark.timeout(LONG)
def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """The probe goes when it was measured."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "units.llm.measure", str(BUNDLED), "1"]

    subprocess.run(command, capture_output=True, check=True, env=environment)

    assert list(tmp_path.iterdir()) == []
