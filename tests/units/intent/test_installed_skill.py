"""Covers units.intent.skills.registry with skills of another package, installed: one good, and several that break."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.command_line import start
from tests.support.home.boards import frames_of, said

# pip makes a package of the folder and installs it: seconds, on a slow board many.
pytestmark = pytest.mark.timeout(120)

PROJECT = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "unitd-others"
version = "1.0"

[project.entry-points."unitd.skills"]
dice = "unitd_others:DICE"
broken = "unitd_others:BROKEN"
late = "unitd_others:LATE"
unreadable = "unitd_others:UNREADABLE"
no_skill = "unitd_others:PROJECT"
gone = "unitd_others.gone:SKILL"

[tool.setuptools]
packages = ["unitd_others"]
"""
MODULE = """
from units.intent.skills.skill import Said, Skill, SkillCall
from units.intent.skills.texts import Texts

PROJECT = "no skill"

def roll(asked):
    return Said("rolled", {"sides": asked.slots.get("sides", "six")})

def breaks(asked):
    raise RuntimeError("a bug")

def breaks_later(asked):
    yield [SkillCall("board_state")]
    raise RuntimeError("a later bug")

def texts(*sentences):
    return {"en": Texts({"go": list(sentences)}, {"rolled": "A die of {{ sides }} sides: three."})}

DICE = Skill("dice", texts("roll a die [of {sides} sides]", "mute the dice"), {"go": roll})
BROKEN = Skill("broken", texts("roll a die", "break yourself"), {"go": breaks})
LATE = Skill("late", texts("break yourself later"), {"go": breaks_later})
UNREADABLE = Skill("unreadable", texts("roll a (die"), {"go": roll})
"""
SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package is installed into."""
    folder = tmp_path_factory.mktemp("others")
    (folder / "unitd_others").mkdir()
    (folder / "unitd_others" / "__init__.py").write_text(MODULE)
    (folder / "pyproject.toml").write_text(PROJECT)
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder / "site")]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(folder)], check=True)
    return folder / "site"


async def test_a_good_skill_answers_and_broken_ones_hurt_nobody(installed: Path, tmp_path: Path) -> None:
    """A daemon that finds the package; the log names what is wrong."""
    config = tmp_path / "unitd.toml"
    config.write_text(
        f'state.dir = "{tmp_path}/state"\nunix.path = "{tmp_path}/socket"\ntcp.enabled = false\n'
        'http.enabled = false\naudio.playback = ""\n'
    )
    daemon = await start("serve", "--config", str(config), environment={"PYTHONPATH": str(installed)})
    assert daemon.stderr is not None
    async for line in daemon.stderr:
        if b"ready: " in line:
            break
    client = WireClient(*await asyncio.open_unix_connection(tmp_path / "socket"))
    task = await client.setup("intent", SETUP)

    answers = [
        said(await frames_of(client, task, each))
        for each in ("roll a die", "roll a die of 20 sides", "break yourself", "break yourself later", "louder")
    ]
    await client.close()
    daemon.terminate()
    _, log = await daemon.communicate()

    assert answers == [
        "A die of six sides: three.",
        "A die of 20 sides: three.",
        "I did not understand.",
        "The skill late failed.",
        "I have no loudspeaker here.",
    ]
    for words in (
        b"the skill broken failed",
        b"the skill late failed",
        b"the skill unreadable cannot be used in en",
        b"the skill no_skill cannot be used",
        b"the skill gone cannot be used",
        b"a later bug",
    ):
        assert words in log
