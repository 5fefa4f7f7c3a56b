"""A person's own skills at work: an MQTT message, an HTTP request, or a program.

Values in a URL are encoded, a topic takes none with a slash or a wildcard, and a program gets each of its arguments as
it is, without a shell. What an action returns is bounded in time and length.
"""

import asyncio
import logging
import os
import signal
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from unitd.core.config.problems import Problem, Problems
from unitd.core.config.toml_lines import with_lines
from unitd.core.home.own_skill_file import OwnAction, OwnSkill, read_own_skill
from unitd.core.outcomes import Outcome, failed
from unitd.doors.base import Commands
from unitd.doors.home.device_access import DeviceAccess, ToolFailed
from unitd.doors.home.templates import template_error
from unitd.runtime.children.process import environment
from unitd.runtime.skills.actions import Action, ActionFailed, Where
from unitd.wire.errors import ConfigError

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("unitd.skills")

PATIENCE_SECONDS = 10.0
"""A person waits no longer for an answer."""

MOST_BYTES = 64 * 1024
"""What an action may return; more is a failure."""

MOST_CHARACTERS = 1000
"""What is said of it."""

AT_ONCE = 4
"""So many actions are done at the same time."""

GOODBYE_SECONDS = 1.0
"""What a killed program has printed is read to its end within this time, so that its pipes are closed."""

MOST_FILES = 64


def read_own_skills(folder: Path) -> list[tuple[Path, OwnSkill]]:
    """Return the skills of a folder, by the names of their files.

    Raises:
        ConfigError: the folder or a file cannot be read or is no TOML; Problems: something in a file is wrong.
    """
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    try:
        paths = sorted(each for each in folder.iterdir() if each.suffix == ".toml")
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}") from error
    if len(paths) > MOST_FILES:
        raise ConfigError(f"{folder} has {len(paths)} skills, {MOST_FILES} are allowed")
    check = partial(template_error, ImmutableSandboxedEnvironment())
    problems: list[Problem] = []
    skills: list[tuple[Path, OwnSkill]] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
            skills.append((path, read_own_skill(path.stem, tomllib.loads(text), check)))
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise ConfigError(f"{path}: {error}") from error
        except Problems as error:
            problems += with_lines(error.problems, path, text)
    if problems:
        raise Problems(problems)
    return skills


class OwnSkills:
    """The skills of one folder."""

    def __init__(self, skills: Sequence[OwnSkill], mqtt: Commands | None) -> None:
        from jinja2.runtime import StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # only where there are such skills

        self._skills = {skill.name: skill for skill in skills}
        self._devices = DeviceAccess(mqtt, None)
        self._places = asyncio.Semaphore(AT_ONCE)
        self._http: httpx.AsyncClient | None = None
        make = partial(ImmutableSandboxedEnvironment, autoescape=False, undefined=StrictUndefined)
        self._plain = lru_cache(maxsize=256)(make().from_string)
        self._in_url = lru_cache(maxsize=64)(make(finalize=_encoded).from_string)
        self._in_topic = lru_cache(maxsize=64)(make(finalize=_part_of_topic).from_string)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return what the intent program needs of each skill."""
        return [skill.as_data() for skill in self._skills.values()]

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        return {"own_skill": self._do}

    async def close(self) -> None:
        """Close the connections of requests."""
        if self._http is not None:
            await self._http.aclose()

    async def _do(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        name, intent = str(arguments["skill"]), str(arguments["intent"])
        skill = self._skills.get(name)
        action = skill.actions.get(intent) if skill is not None else None
        if action is None:
            raise ActionFailed(failed(f"there is no action {name}.{intent}", ""))
        try:
            async with self._places, asyncio.timeout(PATIENCE_SECONDS):
                text = await self._done(action, dict(arguments["slots"]))
        except TimeoutError as error:
            log.warning("%s.%s takes longer than %.0f s", name, intent, PATIENCE_SECONDS)
            raise ActionFailed(failed("it takes too long", "")) from error
        except ToolFailed as failure:
            cause = str(failure.__cause__ or "")
            log.warning("%s.%s failed: %s%s", name, intent, failure, f" ({cause})" if cause else "")
            raise ActionFailed(failed(str(failure), ""), failure.reason) from failure
        return Outcome("", is_done=True, data={"text": text[:MOST_CHARACTERS], "data": _maybe_json(text)})

    async def _done(self, action: OwnAction, slots: dict[str, Any]) -> str:
        """Do an action; return the text that came back, "" for a message."""
        try:
            topic, url = self._in_topic(action.topic).render(slots), self._in_url(action.url).render(slots)
            payload, body = self._plain(action.payload).render(slots), self._plain(action.body).render(slots)
            argv = [self._plain(each).render(slots) for each in action.program]
        except Exception as error:  # filters and methods may raise any exception
            raise ToolFailed("its template failed") from error
        if topic:
            await self._devices.publish(topic.strip(), payload)
            return ""
        return await (self._request(action.method or "GET", url.strip(), body) if url else _run(argv))

    async def _request(self, method: str, url: str, body: str) -> str:
        import httpx  # only where a skill asks by HTTP

        if self._http is None:
            tls = await asyncio.to_thread(httpx.create_ssl_context)
            self._http = self._http or httpx.AsyncClient(verify=tls, timeout=PATIENCE_SECONDS, follow_redirects=False)
        kind = "application/json" if _maybe_json(body) is not None else "text/plain; charset=utf-8"
        headers = {"Content-Type": kind} if body else {}
        try:
            async with self._http.stream(method, url, content=body.encode() or None, headers=headers) as answer:
                if not answer.is_success:
                    raise ToolFailed(f"the server answered {answer.status_code}")
                found = bytearray()
                async for piece in answer.aiter_bytes():
                    found += piece
                    if len(found) > MOST_BYTES:
                        raise ToolFailed("the answer is too long")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ToolFailed("the server cannot be reached") from error
        return found.decode(errors="replace").strip()


async def _run(argv: Sequence[str]) -> str:
    """Run a program; return what it printed. It is killed, with all that it has started, when it is not waited for."""
    if any("\0" in each for each in argv):
        raise ToolFailed("its arguments cannot be used")
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            env=environment(),
            cwd="/",
        )
    except OSError as error:
        raise ToolFailed("its program cannot be started") from error
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        output, errors = await asyncio.gather(_read(process.stdout), _read(process.stderr))
        status = await process.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(TimeoutError):  # something that has left its group may hold the pipes
            async with asyncio.timeout(GOODBYE_SECONDS):
                await process.communicate()
    if status != 0:
        last = errors.strip().rpartition("\n")[2]
        raise ToolFailed(f"its program ended with {status}") from ValueError(last[:200])
    return output.strip()


async def _read(stream: asyncio.StreamReader) -> str:
    found = bytearray()
    while piece := await stream.read(4096):
        found += piece
        if len(found) > MOST_BYTES:
            raise ToolFailed("its program prints too much")
    return found.decode(errors="replace")


def _encoded(value: Any) -> str:
    """Return a value as a part of a URL."""
    return quote(_shown(value), safe="")


def _part_of_topic(value: Any) -> str:
    """Return a value as a part of one level of a topic; raise ValueError for one that would change the topic."""
    text = _shown(value)
    if not set(text).isdisjoint("/+#\0"):
        raise ValueError(f"{text[:40]!r} cannot be a part of a topic")
    return text


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _maybe_json(text: str) -> Any:
    """Return the object or array that a text is, or None."""
    if not text.startswith(("{", "[")):
        return None
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(text)
    return None
