"""Reads tools.toml, with a check of its templates."""

import tomllib
from functools import partial
from pathlib import Path

from unitd.core.config.problems import Problems
from unitd.core.config.toml_lines import with_lines
from unitd.core.home.home import Home
from unitd.core.home.tools_file import read_home
from unitd.doors.home.templates import template_error
from unitd.wire.errors import ConfigError


def read_tools(path: Path) -> Home:
    """Return the tools and devices of a file.

    Raises:
        ConfigError: the file cannot be read or is no TOML; Problems: something in it is wrong.
    """
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    templates = ImmutableSandboxedEnvironment()
    try:
        text = path.read_text()
        return read_home(tomllib.loads(text), partial(template_error, templates))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    except Problems as error:
        raise Problems(with_lines(error.problems, path, text)) from error
