"""Checks of Jinja templates in files that people write."""

from typing import TYPE_CHECKING

from unitd.core.home.tools_file import TemplateNames

if TYPE_CHECKING:
    from jinja2 import Environment


def template_error(templates: "Environment", text: str, known: TemplateNames) -> str:
    """Return what is wrong with a template that may use these names; "" if it is fine."""
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
