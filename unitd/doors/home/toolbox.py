"""Execution of the board's own tools: a call becomes an MQTT message or a request to Home Assistant.

Templates are Jinja, rendered in a sandbox; they can use `entity` (name, kind, area, id) and the call's other arguments;
an unknown name is an error. The outcome of a call is a sentence (`core.outcomes`); a failure is also logged, with its
cause.
"""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from unitd.core.config.schema import HomeSettings
from unitd.core.home.call_guard import ALLOWED, Attempt, Evidence, Verdict, check, evidence_of, targets
from unitd.core.home.call_guard_words import confirmed
from unitd.core.home.devices import Entity
from unitd.core.home.home import Home
from unitd.core.home.prompt import NO_TOOLS, with_prompt_text
from unitd.core.home.readings import read_message
from unitd.core.home.skill_tools import SKILL_TOOLS, beside, skill_functions, skills_among
from unitd.core.home.tools import Tool, misfit, unfit
from unitd.core.outcomes import DeviceState, Outcome, Reason, done, failed, shown, state
from unitd.doors.base import Commands
from unitd.doors.home.assistant_error import HomeAssistantError
from unitd.doors.home.device_access import DeviceAccess, ToolFailed
from unitd.doors.home.homeassistant import HomeAssistant
from unitd.doors.home.tools_reader import read_tools
from unitd.runtime.tasks.tool_messages import Call
from unitd.wire.errors import ConfigError, LoadFailed

log = logging.getLogger("unitd.tools")

# A state is a word or a number; the rest of a longer message is not spoken.
STATE_LENGTH = 200
# A model on another machine may produce any name.
NAME_LENGTH = 64

# While Home Assistant is unreachable, a setup in this time does not wait for it again.
REREAD_SECONDS = 10.0

# So many devices stand in the prompt of a model; in a larger home, those that a sentence may mean.
MOST_LISTED = 12

_BOUNDS = ("minimum", "maximum", "enum")
"""The keys of a schema that the words about an argument are made of."""


class Refused(ToolFailed):
    """A call that is refused; the words are a whole sentence. `allowed` see `Outcome`."""

    def __init__(self, words: str, reason: Reason = Reason.FAILED, allowed: Mapping[str, Any] | None = None) -> None:
        super().__init__(words, reason)
        self.allowed = allowed or {}


class HomeToolbox:
    """A `board_tools.Toolbox`."""

    defaults: Mapping[str, Any] = {"temperature": 0}
    """Tool calls need the most probable answer."""

    def __init__(
        self,
        home: Home,
        mqtt: Commands | None,
        homeassistant: HomeAssistant | None,
        settings: HomeSettings,
        skills: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Make the toolbox; it reads devices of the settings' domains from Home Assistant. `skills` are the person's
        own, for the intent program."""
        from jinja2.runtime import StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # only where there are tools

        self._home = home
        self._homeassistant = homeassistant
        self._skills = {"skills": list(skills)}
        self._devices = DeviceAccess(mqtt, homeassistant)
        self._area, self._languages = settings.area, settings.languages
        self._unread_domains = settings.domains if homeassistant is not None else ()
        self._reading = asyncio.Lock()
        self._read_again_at = 0.0
        self._unread_because = ""
        templates = ImmutableSandboxedEnvironment(autoescape=False, undefined=StrictUndefined)
        self._compiled = lru_cache(maxsize=256)(templates.from_string)

    @property
    def homeassistant(self) -> HomeAssistant | None:
        """Return the Home Assistant of this board, or None."""
        return self._homeassistant

    @property
    def home(self) -> Home:
        """Return all devices and tools that are known so far."""
        return self._home

    @property
    def state_topics(self) -> list[str]:
        """Return every topic whose last value a tool may read.

        Raises:
            ConfigError: a template uses more than the device.
        """
        topics = set()
        for tool in self._home.tools:
            if tool.state:
                try:
                    topics |= {self._render(tool.state, names) for names in self._subjects(tool)}
                except ToolFailed as failure:
                    raise ConfigError(f"tool {tool.name!r}: state: {failure.__cause__}") from failure
        return sorted(topics)

    def _subjects(self, tool: Tool) -> list[dict[str, Any]]:
        """Return the variables of a tool's template for each device."""
        if not tool.kinds:
            return [{}]
        return [{"entity": each} for each in self._home.entities if self._home.way(tool.name, each) is tool]

    async def read_devices(self) -> None:
        """Add Home Assistant's devices to those of the file; when it is unreachable, later setups try again."""
        now = asyncio.get_running_loop().time
        async with self._reading:
            if self._homeassistant is None or not self._unread_domains or now() < self._read_again_at:
                return
            try:
                found = await self._homeassistant.home(self._unread_domains)
            except HomeAssistantError as error:
                level = logging.DEBUG if self._read_again_at else logging.WARNING
                log.log(level, "no devices are read from Home Assistant: %s", error)
                self._read_again_at = now() + REREAD_SECONDS
                self._unread_because = f"; {error}"
                return
            self._unread_domains, self._unread_because = (), ""
        if kinds := sorted({each.kind for each in found.entities} & self._home.own_kinds):
            log.info("these kinds of Home Assistant's devices have the tools of the file alone: %s", ", ".join(kinds))
        self._home, left_out = self._home.joined_by(found)
        for each in left_out:
            log.info("%s of Home Assistant is left out: the file has this device", each.id)

    async def prepare(self, setup: dict[str, Any], *, sees: bool = False, calls_skills: bool = False) -> dict[str, Any]:
        """Return the setup with schemas for the grammar, and with the devices in its prompt or `messages`.

        A model that sees nothing is told of no cameras; one that calls skills gets their schemas after those of the
        home.

        Raises:
            LoadFailed: there are no tools, or no devices for them.
        """
        await self.read_devices()
        if not self._home.functions():
            raise LoadFailed(f"this board has no tools, or no devices for them: see [home]{self._unread_because}")
        home = self._home if sees else self._home.without_cameras()
        functions = home.only(home.first(MOST_LISTED)).functions()
        if calls_skills:
            functions += beside(functions, skill_functions(setup.get("language") or self._languages))
        if not functions:
            return with_prompt_text(setup, NO_TOOLS) | {"tools": None}
        if len(home.entities) > MOST_LISTED:
            return setup | {"tools": functions}
        return with_prompt_text(setup, home.devices(self._room_of(setup))) | {"tools": functions}

    def narrowed(self, setup: Mapping[str, Any], names: Collection[str], *, sees: bool = False) -> dict[str, Any]:
        """Return the keys of a setup that change where only these devices may be meant; {} in a small home."""
        home = self._home if sees else self._home.without_cameras()
        if len(home.entities) <= MOST_LISTED:
            return {}
        home = home.only(names)
        changed = with_prompt_text(setup, home.devices(self._room_of(setup)))
        functions = home.functions() + skills_among(setup.get("tools") or ())
        return {key: changed[key] for key in ("prompt", "messages") if key in changed} | {"tools": functions}

    def _room_of(self, setup: Mapping[str, Any]) -> str:
        """Return the room in which a task listens; "" if it is not known."""
        return str(setup.get("area") or self._area)

    def recognition(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Return the setup of the intent program: the home, and the room and the languages of a task."""
        own = {key: setup[key] for key in ("area", "language") if setup.get(key)}
        return {"home": self._home.as_data(self._area, self._languages)} | self._skills | own

    def is_skill(self, name: str) -> bool:
        """Return whether a call with this name is one of a skill, and of no tool of the home."""
        return name in SKILL_TOOLS and not self._home.ways(name)

    def check(
        self, call: Call, evidence: Evidence | None, before: Evidence | None, read: Mapping[str, DeviceState]
    ) -> Verdict:
        """Return whether the words of a person back a call of a model; `do` refuses an unknown tool or device."""
        try:
            tool, entity = self._meant(call["name"], call["arguments"])
        except Refused:
            return ALLOWED
        known = read.get(str(call["arguments"].get("entity")))
        set_here = tool.name.removeprefix("set_")  # the target of a thermostat backs no wish for what it measures
        state = {key: each for key, each in (known.attributes if known else {}).items() if key == set_here}
        is_first = tool.name in self._home.confirm
        return check(Attempt(tool.name, call["arguments"], tool, entity, is_first, state), evidence, before)

    def targets(self, call: Call, evidence: Evidence | None) -> list[Call]:
        """Return the calls that a model's call stands for: one for each device that the words mean."""
        try:
            tool, entity = self._meant(call["name"], call["arguments"])
        except Refused:
            return [call]
        if entity is None or tool.picture_of:  # each picture takes up some of the prompt
            return [call]
        found = targets(entity, self._home.entities, evidence)
        reached = [each for each in found if self._home.way(tool.name, each) is not None]
        if not reached or reached == [entity]:
            return [call]
        return [
            call | {"id": f"{call['id']}-{at}", "arguments": call["arguments"] | {"entity": self._home.called(each)}}
            for at, each in enumerate(reached, 1)
        ]

    def evidence_of(self, calls: Sequence[Call], language: str) -> Evidence:
        """Return what a turn with these calls was about."""
        found = [self._home.entity(str(call["arguments"].get("entity"))) for call in calls]
        return evidence_of([each for each in found if each is not None], language)

    def confirmation(self, calls: Sequence[Call], language: str) -> str:
        """Return the question to ask before these calls are done; "" when none of them needs one."""
        call = next((each for each in calls if each["name"] in self._home.confirm), None)
        if call is None:
            return ""
        values = dict(call["arguments"])
        entity = self._home.entity(str(values.pop("entity", "")))
        return confirmed(language, call["name"], entity.name if entity else "", values)

    async def listing(self) -> list[dict[str, Any]]:
        """Return name, description and devices of each tool that can be used; empty when there is none."""
        await self.read_devices()
        return self._home.listing()

    async def close(self) -> None:
        """Close the connections to Home Assistant."""
        if self._homeassistant is not None:
            await self._homeassistant.close()

    async def do(self, call: Call, *, sees: bool = False) -> Outcome:
        """Execute a call and return what came of it. The log has no words of the person.

        No picture is fetched for a model that sees nothing.
        """
        name, arguments = call["name"], call["arguments"]
        device = ""
        try:
            tool, entity = self._meant(name, arguments)
            device = entity.name if entity is not None else ""
            names = _checked(tool, arguments, entity)
            if tool.picture_of:
                return await self._look(self._render(tool.picture_of, names), device, sees=sees)
            return await self._do(tool, names, entity)
        except Refused as refusal:
            log.info("tool %s is not used: %s", name, refusal)
            return Outcome(str(refusal), is_done=False, reason=refusal.reason, allowed=refusal.allowed)
        except ToolFailed as failure:
            cause = str(failure.__cause__ or "")  # a timeout has no words
            log.warning("tool %s failed: %s%s", name, failure, f" ({cause})" if cause else "")
            return Outcome(failed(str(failure), device), is_done=False, reason=failure.reason)
        except Exception:  # a bug may fail this call, not the daemon, whose task group the tools share
            log.exception("tool %s failed", name)
            words = failed("an error in unitd, which its log describes", device)
            return Outcome(words, is_done=False, reason=Reason.FAILED)

    def _meant(self, name: str, arguments: dict[str, Any]) -> tuple[Tool, Entity | None]:
        """Return the tool of a call, and its device; None for a tool without devices.

        Raises:
            Refused: there is no such tool, no such device, or more than one.
        """
        ways = self._home.ways(name)
        if not ways:
            raise Refused(f"There is no tool {name[:NAME_LENGTH]}.")
        kinds = {kind for way in ways for kind in way.kinds}
        if not kinds:
            return ways[0], None
        found = self._home.named(str(arguments.get("entity")), kinds)
        reached = [(way, each) for each in found if (way := self._home.way(name, each)) is not None]
        called = str(arguments.get("entity") or "such device")[:NAME_LENGTH]
        if not reached:
            raise Refused(f"There is no {called} here.")
        if len(reached) > 1:
            names = " or ".join(self._home.called(each) for _, each in reached)
            raise Refused(f"There is more than one {called} here: {names}.")
        return reached[0]

    async def _do(self, tool: Tool, names: dict[str, Any], entity: Entity | None) -> Outcome:
        device = entity.name if entity is not None else ""
        if tool.state:
            text = self._devices.last_on(self._render(tool.state, names))
            known = read_message(text, entity)
            return _outcome(known.words if tool.protocol else text, known, device)
        if tool.state_of:
            known = await self._devices.state_of(self._render(tool.state_of, names))
            return _outcome(known.words, known, device)
        confirmation = self._render(tool.confirmation, names)  # a template that fails must fail before the action
        if tool.topic:
            await self._devices.publish(self._render(tool.topic, names), self._render(tool.payload, names))
        else:
            service = self._render(tool.service, names)
            await self._devices.call_service(service, self._render(tool.data or "{}", names))
        words = confirmation or done(tool.name, names, device)
        return Outcome(words, is_done=True, is_confirmation=bool(confirmation))

    async def _look(self, entity_id: str, device: str, *, sees: bool) -> Outcome:
        if not sees:
            raise ToolFailed("this model sees no pictures", Reason.NO_VISION)
        picture = await self._devices.picture_of(entity_id)
        return Outcome(shown(device), is_done=True, picture=picture)

    def _render(self, template: str, names: dict[str, Any]) -> str:
        try:
            return self._compiled(template).render(names).strip()
        except Exception as error:  # filters and methods may raise any exception
            raise ToolFailed("its template failed") from error


def _checked(tool: Tool, arguments: dict[str, Any], entity: Entity | None) -> dict[str, Any]:
    """Return the variables of the call's templates.

    Raises:
        Refused: an argument cannot be used.
    """
    if name := unfit(tool, arguments):
        schema = {key: value for key, value in tool.parameters[name].items() if key in _BOUNDS}
        words = misfit(tool, arguments, entity.name if entity else "")
        raise Refused(words, Reason.NOT_ALLOWED, {"parameter": name, **schema})
    return arguments | {"entity": entity} if entity else arguments


def _outcome(text: str, known: DeviceState, device: str) -> Outcome:
    """Return the outcome of a question; an empty state is a failure."""
    if not text:
        raise ToolFailed("the device does not respond", Reason.UNKNOWN_STATE)
    return Outcome(state(_plain(text)[:STATE_LENGTH], device), is_done=True, state=known)


def _plain(value: str) -> str:
    """Return a state as people say it: of an object its `state`, and no word in capitals."""
    try:
        fields = orjson.loads(value)
    except orjson.JSONDecodeError:
        fields = None
    said = str(fields["state"]) if isinstance(fields, dict) and "state" in fields else value
    return said.lower() if said.isupper() and said.isalpha() else said


async def open_toolbox(
    settings: HomeSettings, mqtt: Commands | None, skills: Sequence[Mapping[str, Any]] = ()
) -> HomeToolbox:
    """The tools and devices of the file, and the devices that Home Assistant knows.

    When Home Assistant cannot be reached, its devices are missing; the daemon starts nevertheless.

    Raises:
        ConfigError: the file or the token cannot be read, or something in the file is wrong.
    """
    home = await asyncio.to_thread(read_tools, settings.tools) if settings.tools else Home()
    _warn_of_missing(home, mqtt, settings)
    homeassistant = await asyncio.to_thread(_homeassistant, settings) if settings.homeassistant_url else None
    toolbox = HomeToolbox(home, mqtt, homeassistant, settings, skills)
    await toolbox.read_devices()
    if settings.area and toolbox.home.area(settings.area) is None:
        log.warning("[home] area is %r, and the home has no such area", settings.area)
    return toolbox


def _warn_of_missing(home: Home, mqtt: Commands | None, settings: HomeSettings) -> None:
    """Log the tools that cannot work with this configuration."""
    for name, is_remote in dict.fromkeys((tool.name, bool(tool.service or tool.state_of)) for tool in home.tools):
        if is_remote and not settings.homeassistant_url:
            log.warning("tool %s needs Home Assistant, and [home] homeassistant_url is missing", name)
        elif not is_remote and mqtt is None:
            log.warning("tool %s needs a broker, and [mqtt] is missing", name)


def _homeassistant(settings: HomeSettings) -> HomeAssistant:
    token_file = settings.homeassistant_token_file
    return HomeAssistant(settings.homeassistant_url, _read_token(token_file) if token_file else "")


def _read_token(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
