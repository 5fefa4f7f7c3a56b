"""A client's own tools in the form that the bundled model was taught (train/README.md, "Tools").

That model reads of a tool only its name and its parameters, and looks up the user's words in a list of devices in the
system prompt. Other tools have no such list: the model does not know `set_light(room: kitchen|bedroom, on)`. So each
value of the parameter that says which thing is meant becomes a device ("kitchen light"), a parameter that switches
between two states becomes `state: on|off`, and the model reads

    Devices:
    - kitchen light, kitchen; light in kitchen: "kitchen light"
    - bedroom light, bedroom; light in bedroom: "bedroom light"

    Tools:
    set_light(entity, state: on|off)

Its calls are turned back into the client's: {"room": "kitchen", "on": true}. The user's words limit the choice:
"kitchen" allows no call for another room, and "garage light", where there is none, allows no call.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from units.llm.tools import ToolCall, Tools

DEVICES_TITLE = "Devices:"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MOST_DEVICES = 30
"""The model was taught with 14; with more than this it finds nothing."""

_KINDS: tuple[tuple[str, str, str], ...] = (
    ("cover", "blinds", "blind blinds curtain curtains cover covers shutter shutters shade shades gate awning"),
    ("lock", "door", "lock locks unlock door doors"),
    ("light", "light", "light lights lighting lamp lamps led leds bulb bulbs brightness"),
    ("climate", "heating", "thermostat thermostats temperature heating heater heat climate hvac radiator boiler"),
    ("fan", "fan", "fan fans ventilator"),
    ("media", "speaker", "music speaker speakers volume tv television radio media stereo"),
    ("scene", "scene", "scene scenes"),
    ("sensor", "sensor", "sensor sensors humidity"),
)
"""The model's name for a kind of devices, a common name for one of them, and the words by which a tool is for it."""

_NOUNS = _set("blinds curtains shutters gate door light lamp heater thermostat radiator fan speaker tv radio")
"""Those of the words above that name a device by themselves."""

_OTHER_KIND = "switch"

_AREAS = _set("room area location place zone floor where")
_THINGS = _set("device entity appliance name target item thing id relay plug outlet socket switch")
_VALUES = _set("unit units color colour mode speed level state status action command position brightness temperature")
"""Words in the name of a parameter: of places, of things, and of neither."""

_STATES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "on|off": (
        ("on", "true", "enable", "enabled", "start", "activate", "active", "turn_on", "switch_on", "power_on", "1"),
        ("off", "false", "disable", "disabled", "stop", "deactivate", "inactive", "turn_off", "switch_off", "0"),
    ),
    "open|closed": (("open", "opened", "up", "raise"), ("closed", "close", "shut", "down", "lower")),
    "locked|unlocked": (("locked", "lock"), ("unlocked", "unlock")),
}
"""The model's names of two opposite states, and the names that tools give them."""

_SUBJECT, _STATE = "entity", "state"

_MANY = _set("all every everything everywhere both each")
_BEFORE_A_NOUN = _MANY | _set(
    "the a an my our your some any this that these those of other and no more less on off up down to turn switch set "
    "make put dim open close shut lock unlock start stop is are need want have get give me please which smart with"
)
"""Words before "light" that name no light."""


@dataclass(frozen=True)
class _Device:
    """One thing that a tool is for."""

    name: str
    kind: str
    area: str
    value: str
    """The client's name of the thing."""

    @property
    def line(self) -> str:
        """Return the device's line in the list, as train/corpus/tools/house.py writes it; an area alone is an alias."""
        if self.area:
            return f'- {self.name}, {self.area}; {self.kind} in {self.area}: "{self.name}"'
        return f'- {self.name}; {self.kind}: "{self.name}"'

    @property
    def words(self) -> set[str]:
        """Return the words that name the device."""
        return set(map(_single, _words(self.value)))


@dataclass(frozen=True)
class _Form:
    """The form in which one function is shown."""

    function: dict[str, Any]
    subject: str
    devices: tuple[_Device, ...]
    state: str
    """The parameter that switches; "" if none does."""

    states: Mapping[str, Any]
    """By the model's word for a state, the client's value."""

    def meant(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the client's arguments."""
        values = {device.name: device.value for device in self.devices}
        meant = dict(arguments)
        if _SUBJECT in meant:
            meant = {self.subject if key == _SUBJECT else key: each for key, each in meant.items()}
            meant[self.subject] = values.get(meant[self.subject], meant[self.subject])
        if self.state and _STATE in meant:
            meant = {self.state if key == _STATE else key: each for key, each in meant.items()}
            meant[self.state] = self.states.get(meant[self.state], meant[self.state])
        return meant

    def shown(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the model says them."""
        names = {device.value: device.name for device in self.devices}
        states = {repr(value): state for state, value in self.states.items()}
        shown: dict[str, Any] = {}
        for key, value in arguments.items():
            if key == self.subject:
                shown[_SUBJECT] = names.get(value, value) if isinstance(value, str) else value
            elif key == self.state:
                shown[_STATE] = states.get(repr(value), value)
            else:
                shown[key] = value
        return shown


class Devices:
    """The tools of a conversation with their list of devices."""

    def __init__(self, tools: Tools, forms: Mapping[str, _Form]) -> None:
        self._forms = forms
        self._devices = list(dict.fromkeys(device for form in forms.values() for device in form.devices))
        functions = tuple(forms[each["name"]].function if each["name"] in forms else each for each in tools.functions)
        self.tools = replace(tools, functions=functions)
        """The tools as the model reads them."""

    @property
    def listing(self) -> str:
        """Return the end of the system prompt."""
        return "\n".join([DEVICES_TITLE, *(device.line for device in self._devices)])

    def narrowed(self, text: str) -> Tools:
        """Return the tools for the devices that a text names; all of them if it names none, or says "all"."""
        said = set(map(_single, _words(text)))
        named = {device.name for device in self._devices if device.words <= said}
        if not named or said & _MANY:
            return self.tools
        return replace(self.tools, functions=tuple(_only(function, named) for function in self.tools.functions))

    def misses(self, text: str) -> bool:
        """Return True for a text that names a device or a place, and none of these."""
        words = list(map(_single, _words(text)))
        if any(device.words <= set(words) for device in self._devices) or _MANY & set(words):
            return False
        known = {_single(word) for device in self._devices for word in _words(f"{device.name} {device.value}")}
        kinds = {device.kind for device in self._devices}
        nouns = {_single(word) for kind, _, telling in _KINDS if kind in kinds for word in telling.split()}
        named = [before for before, word in itertools.pairwise(words) if word in nouns]
        if any(device.area for device in self._devices):
            named += [
                word for at, word in enumerate(words) if words[max(at - 2, 0) : at] in (["in", "the"], ["in", "my"])
            ]
        return any(word not in _BEFORE_A_NOUN and word not in known for word in named)

    def shown(self, call: ToolCall) -> ToolCall:
        """Return a client's call as the model would have written it."""
        form = self._forms.get(call.name)
        return call._replace(arguments=form.shown(call.arguments)) if form else call

    def meant(self, call: ToolCall) -> ToolCall:
        """Return a call of the model as the client wants it."""
        form = self._forms.get(call.name)
        return call._replace(arguments=form.meant(call.arguments)) if form else call


def devices_of(tools: Tools) -> Devices | None:
    """Return the tools with a list of devices, or None if their parameters name none, or too many."""
    known: dict[tuple[str, str], _Device] = {}
    forms = {each["name"]: form for each in tools.functions if (form := _form(each, known)) is not None}
    names = {device.name for form in forms.values() for device in form.devices}
    return Devices(tools, forms) if 0 < len(names) <= MOST_DEVICES else None


def _only(function: dict[str, Any], named: set[str]) -> dict[str, Any]:
    """Return the function for those of its devices that are named; for all if none of them is."""
    parameters = function.get("parameters") or {}
    subject = (parameters.get("properties") or {}).get(_SUBJECT) or {}
    kept = [each for each in subject.get("enum") or () if each in named]
    if not kept:
        return function
    properties = {**parameters["properties"], _SUBJECT: {**subject, "enum": kept}}
    return {**function, "parameters": {**parameters, "properties": properties}}


def _form(function: dict[str, Any], known: dict[tuple[str, str], _Device]) -> _Form | None:
    schema = function.get("parameters") or {}
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not all(isinstance(each, dict) for each in properties.values()):
        return None
    subject = _subject(function["name"], properties)
    if not subject or {_SUBJECT, _STATE} & (properties.keys() - {subject, *_switches(properties)}):
        return None
    devices = tuple(
        known.setdefault((device.kind, device.value), device)  # one tool sets a thermostat, another one reads it
        for device in _devices(function, subject, properties[subject]["enum"])
    )
    state, states = _state(devices[0].kind, {key: each for key, each in properties.items() if key != subject})
    shown = {}
    for key, each in properties.items():
        if key == subject:
            shown[_SUBJECT] = {"type": "string", "enum": [device.name for device in devices]}
        elif key == state:
            shown[_STATE] = {"type": "string", "enum": list(states)}
        else:
            shown[key] = each
    names = {subject: _SUBJECT, state: _STATE}
    required = [names.get(each, each) for each in schema.get("required") or ()]
    parameters = {**schema, "properties": shown, "required": required}
    return _Form({**function, "parameters": parameters}, subject, devices, state, states)


def _subject(name: str, properties: Mapping[str, dict[str, Any]]) -> str:
    """Return the parameter that says which thing is meant; "" if none does."""
    listed = [key for key, each in properties.items() if _is_texts(each.get("enum")) and not _states_of(each)]
    words = _words(name)
    known = [key for key in listed if set(_words(key)) & (_AREAS | _THINGS)]
    named = [key for key in listed if _kind_in(_words(key)) or key in words]
    others = [key for key in listed if not set(_words(key)) & _VALUES]
    return next(iter([*known, *[key for key in named if key in others], *others]), "")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) and each for each in value)


def _switches(properties: Mapping[str, dict[str, Any]]) -> list[str]:
    return [key for key, each in properties.items() if each.get("type") == "boolean" or _states_of(each)]


def _states_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the model says for the two values of an enum, to these values; {} if they are no opposites."""
    values = schema.get("enum")
    if not isinstance(values, list) or len(values) != 2:
        return {}
    for names, (first, second) in _STATES.items():
        said = {("" if each is None else str(each)).lower(): each for each in values}
        yes = [value for word, value in said.items() if word in first]
        no = [value for word, value in said.items() if word in second]
        if yes and no:
            return dict(zip(names.split("|"), (yes[0], no[0]), strict=True))
    return {}


def _state(kind: str, properties: Mapping[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return the parameter that switches, and what the model says for its values; "" if there is not exactly one."""
    switches = _switches(properties)
    if len(switches) != 1:
        return "", {}
    [key] = switches
    if states := _states_of(properties[key]):
        return key, states
    word = _words(key)[-1] if _words(key) else ""
    for names, (first, second) in _STATES.items():
        if word in first or word in second:
            return key, dict(zip(names.split("|"), (word in first, word in second), strict=True))
    names = {"cover": "open|closed", "lock": "locked|unlocked"}.get(kind, "on|off")
    return key, dict(zip(names.split("|"), (True, False), strict=True))


def _devices(function: Mapping[str, Any], subject: str, values: Sequence[str]) -> tuple[_Device, ...]:
    """Return one device for each value of the subject."""
    told = [*_words(subject), *_words(function["name"]), *_words(str(function.get("description", "")))]
    kind, noun = _kind_in(told) or (_OTHER_KIND, "")
    is_area = bool(set(_words(subject)) & _AREAS)
    is_thing = bool(set(_words(subject)) & _THINGS)
    return tuple(_device(value, kind, noun, is_area=is_area, is_thing=is_thing) for value in dict.fromkeys(values))


def _device(value: str, kind: str, noun: str, *, is_area: bool, is_thing: bool) -> _Device:
    said = " ".join(_words(value)) or value
    if is_area:
        return _Device(f"{said} {noun}".strip(), kind, said, value)
    if own := _kind_in(_words(value)):
        return _Device(said, own[0], "", value)
    return _Device(said if is_thing else f"{said} {noun}".strip(), kind, "", value)


def _kind_in(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the kind of device that the first telling word is for, and its noun; None if no word tells."""
    for word in words:
        for kind, noun, telling in _KINDS:
            if word in telling.split():
                single = word if word in _NOUNS else word.removesuffix("s")
                return kind, single if single in _NOUNS else noun
    return None


def _single(word: str) -> str:
    return word if word.endswith("ss") else word.removesuffix("s")


def _words(name: str) -> list[str]:
    """Return the words of an identifier, or of a text, in lower case."""
    return re.findall(r"[^\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
