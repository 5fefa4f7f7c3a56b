"""Reads tools.toml, with a check of its templates."""

import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from unitd.core.config.problems import Problems
from unitd.core.config.toml_lines import with_lines
from unitd.core.home.home import Home
from unitd.core.home.tools_file import TemplateNames, read_home
from unitd.wire.errors import ConfigError

if TYPE_CHECKING:
    from jinja2 import Environment


def read_tools(path: Path) -> Home:
    """Return the tools and devices of a file.

    Raises:
        ConfigError: the file cannot be read or is no TOML; Problems: something in it is wrong.
    """
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    templates = ImmutableSandboxedEnvironment()
    try:
        text = path.read_text()
        return read_home(tomllib.loads(text), partial(_template_error, templates))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    except Problems as error:
        raise Problems(with_lines(error.problems, path, text)) from error


def _template_error(templates: "Environment", text: str, known: TemplateNames) -> str:
    from jinja2 import nodes
    from jinja2.exceptions import TemplateSyntaxError
    from jinja2.meta import find_undeclared_variables

    try:
        templates.from_string(text)
    except TemplateSyntaxError as error:
        return error.message or "its syntax is wrong"
    tree = templates.parse(text)
    unknown = find_undeclared_variables(tree) - known.keys() - templates.globals.keys()
    own_names = {each.name for each in tree.find_all(nodes.Name) if each.ctx == "store"}
    for each in tree.find_all(nodes.Getattr):
        name = each.node.name if isinstance(each.node, nodes.Name) else ""
        if name not in own_names and (properties := known.get(name)) and each.attr not in properties:
            unknown.add(f"{name}.{each.attr}")
    return f"{min(unknown)!r} is undefined" if unknown else ""
