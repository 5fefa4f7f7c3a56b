"""Covers configs/: what lies there can be used as it is. Its pipelines are set up in tests/doors and tests/home."""

from pathlib import Path

import pytest

from unitd.doors.preflight import unusable_files
from unitd.settings import load_settings

CONFIGS = Path(__file__).parents[1] / "configs"
OTHERS = {"tools.toml", "original-models.toml"}
"""Tables of tools and of names; what reads them tests them."""

FILES = sorted(path for path in CONFIGS.glob("*.toml") if path.name not in OTHERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_configuration_passes_the_check(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the folder of the project, with every file that it names; which ports are taken is this machine's matter."""
    monkeypatch.chdir(CONFIGS.parent)

    settings = load_settings(path, {"STATE_DIRECTORY": str(tmp_path)}, checks=[unusable_files])

    assert settings.state.dir == tmp_path


def test_the_home_may_be_found_by_home_assistant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in its last comment is said as the check wants it."""
    monkeypatch.chdir(CONFIGS.parent)
    body, comment = (CONFIGS / "home.toml").read_text().split("# [wyoming]\n")
    opened = tmp_path / "home.toml"
    opened.write_text(f"{body}[wyoming]\n{comment.replace('# ', '').replace('#', '')}")

    settings = load_settings(opened, {"STATE_DIRECTORY": str(tmp_path)}, checks=[unusable_files])

    assert settings.wyoming is not None
    assert settings.wyoming.host == "0.0.0.0"
