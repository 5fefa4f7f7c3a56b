"""Covers cli.suggest: the board, the table with its one mark, and what is said when the board cannot be measured."""

import os
from pathlib import Path

import pytest

from tests.support.command_line import Finished, unitd, unitd_in_process
from unitd.cli.commands.suggest import measured
from unitd.core.models.forecast import Pace, Speed

LONG = 120
"""The board is measured beside all else that runs on it."""

COLUMNS = ["", "model", "unit", "size", "fits", "tokens/s", "first token", "memory left", "installed"]


def table_of(done: Finished) -> dict[str, dict[str, str]]:
    """The rows of a piped table by the model's name."""
    header, *rows = (line.split("\t") for line in done.out.splitlines())
    return {row[1]: dict(zip(header, row, strict=True)) for row in rows}


@pytest.mark.timeout(LONG)
async def test_suggest_says_what_will_run_here(config: Path) -> None:
    """The board in a sentence, every model in a line, the bundled one with figures, one at most with the mark."""
    config.write_text(f"{config.read_text()}[llm]\nthreads = 1\n")  # others run on this machine

    done = await unitd("models", "suggest", "--config", str(config))

    rows = table_of(done)
    bundled, voice = rows["unitd-chat"], rows["unitd-tts"]
    assert done.code == 0
    assert done.out.splitlines()[0].split("\t") == COLUMNS
    assert f"{os.cpu_count()} core" in done.err
    assert " MiB of memory, " in done.err
    assert (bundled["fits"], bundled["installed"]) == ("yes", "yes")
    assert float(bundled["tokens/s"].replace(",", "")) > 1
    assert bundled["first token"].endswith(" s")
    assert (voice["tokens/s"], voice["first token"]) == ("-", "-")
    assert sum(row[""] == "*" for row in rows.values()) <= 1


async def test_suggest_knows_what_is_too_large(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 300 MiB for models the bundled one is what stays to be suggested, on a board of this speed."""
    speed = Speed(token_s=4e-5, small=Pace(8e-11, 3e-11), large=Pace(4e-11, 5e-12), small_below=2**26)
    monkeypatch.setattr("unitd.cli.commands.suggest.measured", lambda models, threads: speed)
    config.write_text(f'{config.read_text()}[limits]\nmemory = "300M"\n')

    done = await unitd_in_process("models", "suggest", "--config", str(config))

    rows = table_of(done)
    assert (rows["qwen2.5-0.5b"]["fits"], rows["qwen2.5-0.5b"]["memory left"]) == ("no", "-")
    assert (rows["qwen2.5-0.5b"]["installed"], rows["unitd-chat"][""]) == ("no", "*")
    assert "300 of them for models" in done.err
    assert "unitd chat --model unitd-chat" in done.err


def test_suggest_needs_the_bundled_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is what the board is measured with."""
    with pytest.raises(SystemExit):
        measured(tmp_path, 0)

    assert "the bundled model is not there" in capsys.readouterr().err


def test_suggest_passes_on_why_a_board_cannot_be_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program's last words."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "unitd-chat.gguf").write_text("no weights")

    with pytest.raises(SystemExit):
        measured(tmp_path, 0)

    assert capsys.readouterr().err == "unitd: this board cannot be measured: unitd-chat.gguf is no GGUF file\n"
