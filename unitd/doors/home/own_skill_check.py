"""The whole check of a person's own skills: their sentences are read by the library that will match them.

That is done in a program of its own, so that the daemon does not carry the library.
"""

import subprocess
import sys
from pathlib import Path

import orjson

from unitd.core.config.problems import Problem, Problems, name_of
from unitd.core.config.toml_lines import with_lines
from unitd.doors.home.own_skills import read_own_skills
from unitd.wire.errors import ConfigError

CHECK_ARGV = (sys.executable, "-m", "units.intent.skills.check")
"""Reads rows of skills as JSON, and prints rows [name, key, fault]."""

PATIENCE_SECONDS = 60.0


def check_own_skills(folder: Path) -> None:
    """Check every file of a folder.

    Raises:
        ConfigError: the folder or a file cannot be read; Problems: something in a file is wrong.
    """
    skills = read_own_skills(folder)
    if not skills:
        return
    rows = orjson.dumps([skill.as_data() for _, skill in skills])
    try:
        found = subprocess.run(CHECK_ARGV, input=rows, capture_output=True, timeout=PATIENCE_SECONDS, check=True)
        faults = orjson.loads(found.stdout)
    except (OSError, subprocess.SubprocessError, orjson.JSONDecodeError) as error:
        raise ConfigError(f"{folder}: the sentences cannot be checked: {error}") from error
    problems: list[Problem] = []
    for path, skill in skills:
        of_file = [
            Problem(tuple(key), f"{name_of(tuple(key))}: {words}") for name, key, words in faults if name == skill.name
        ]
        problems += with_lines(of_file, path, path.read_text(encoding="utf-8"))
    if problems:
        raise Problems(problems)
