"""Checks of a whole configuration: values that are missing, and values that contradict each other. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence

from unitd.core.config.exposure import unprotected_doors
from unitd.core.config.problems import Key, Problem, name_of
from unitd.core.config.schema import PipelineSettings, PipelineTask, Settings
from unitd.core.models.memory import limit_of

Check = Callable[[Settings], Iterator[Problem]]
"""Yields the problems of a whole tree."""


def addresses_of(settings: Settings) -> Iterator[tuple[Key, str, int]]:
    """Yield where the doors will listen: the key of the port, the host, and the port (0 is any free one)."""
    if settings.tcp.enabled:
        yield ("tcp", "port"), settings.tcp.host, settings.tcp.port
    if settings.http.enabled:
        yield ("http", "port"), settings.http.host, settings.http.port
        for at, port in enumerate(settings.http.extra_ports):
            yield ("http", "extra_ports", at), settings.http.host, port
    if settings.wyoming is not None:
        yield ("wyoming", "port"), settings.wyoming.host, settings.wyoming.port


def _check_ports(settings: Settings) -> Iterator[Problem]:
    """Refuse a port that two doors share, unless each has an address of its own."""
    taken: list[tuple[Key, str, int]] = []
    for key, host, port in addresses_of(settings):
        for other, other_host, other_port in taken:
            if port and port == other_port and (host == other_host or not {host, other_host}.isdisjoint(_EVERYWHERE)):
                yield Problem(key, f"{name_of(key)} is {port}, and so is {name_of(other)}")
                break
        taken.append((key, host, port))


_EVERYWHERE = ("", "0.0.0.0", "::")


def _check_serial(settings: Settings) -> Iterator[Problem]:
    """Require the device, the only key without a default."""
    if settings.serial is not None and not settings.serial.device:
        yield Problem(("serial", "device"), "serial.device is missing")


def _check_pipelines(settings: Settings) -> Iterator[Problem]:
    """Require a unit and a unique name for each task: names are how tasks refer to each other."""
    yield from _check_names(("pipeline",), settings.pipeline)
    for at, pipeline in enumerate(settings.pipeline):
        yield from _check_names(("pipeline", at, "tasks"), pipeline.tasks)
        for number, task in enumerate(pipeline.tasks):
            if not task.unit:
                key = ("pipeline", at, "tasks", number, "unit")
                yield Problem(key, f"{name_of(key)} is missing")


def _check_names(where: Key, rows: Sequence[PipelineSettings | PipelineTask]) -> Iterator[Problem]:
    names = [row.name for row in rows]
    for at, name in enumerate(names):
        key = (*where, at, "name")
        if not name:
            yield Problem(key, f"{name_of(key)} is missing")
        elif (first := names.index(name)) < at:
            yield Problem(key, f"{name_of(key)} is {name!r}, and so is {name_of((*where, first, 'name'))}")


def _check_urls(settings: Settings) -> Iterator[Problem]:
    """Refuse URLs that cannot be used, and this daemon's own: it would ask itself without end."""
    url, http = settings.llm.url, settings.http
    found = _URL.fullmatch(url)
    if url and found is None:
        yield Problem(("llm", "url"), f"llm.url is {url!r}, it must look like http://localhost:8000")
    is_own_port = found and found[2] and http.enabled and int(found[2]) in (http.port, *http.extra_ports)
    if found and is_own_port and found[1] in ("localhost", "127.0.0.1", "[::1]", http.host):
        words = f"llm.url is {url}, where this daemon's own http door listens; give it another http.port"
        yield Problem(("llm", "url"), words)
    if (url := settings.home.homeassistant_url) and not _URL.fullmatch(url):
        words = f"home.homeassistant_url is {url!r}, it must look like http://homeassistant.local:8123"
        yield Problem(("home", "homeassistant_url"), words)


_URL = re.compile(r"https?://([^/:@\s]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?(?:/\S*)?")


def _check_languages(settings: Settings) -> Iterator[Problem]:
    """Require at least one language, and that each is written as a tag. Which ones there are, the intent unit knows."""
    languages = settings.home.languages
    if not languages:
        yield Problem(("home", "languages"), "home.languages is empty, it must name a language, such as en")
    for at, language in enumerate(languages):
        key = ("home", "languages", at)
        if not _LANGUAGE.fullmatch(language):
            yield Problem(key, f"{name_of(key)} is {language!r}, it must look like en or pt-BR")
        elif (first := languages.index(language)) < at:
            yield Problem(key, f"{name_of(key)} is {language!r}, and so is {name_of(('home', 'languages', first))}")


_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,8})?")


def _check_mqtt(settings: Settings) -> Iterator[Problem]:
    """Refuse wildcards and control characters in topics: a broker closes the connection on them."""
    if settings.mqtt is None:
        return
    for key in ("node", "discovery_prefix"):
        value = getattr(settings.mqtt, key)
        if not value.isprintable() or "+" in value or "#" in value or (key == "node" and not value.strip("/")):
            yield Problem(("mqtt", key), f"mqtt.{key} is {value!r}, it must be a part of a topic: without + and #")


def _check_exposure(settings: Settings) -> Iterator[Problem]:
    for key, words in unprotected_doors(settings):
        yield Problem(tuple(key.split(".")), f"{key} {words}")


def _check_memory(settings: Settings) -> Iterator[Problem]:
    try:
        limit_of(settings.limits.memory, 0)
    except ValueError as error:
        yield Problem(("limits", "memory"), f"limits.memory: {error}")


CHECKS: tuple[Check, ...] = (
    _check_serial,
    _check_ports,
    _check_pipelines,
    _check_urls,
    _check_languages,
    _check_mqtt,
    _check_exposure,
    _check_memory,
)
