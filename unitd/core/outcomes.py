"""Outcomes of tool calls, and the sentences about them, made by the daemon instead of a model. Pure.

A model that repeats a result may change it, or say that more was switched than was. Each device gets its own sentence:
after one sentence about several devices the bundled model applies the next wish to all of them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

_LEVELS = {"on": "brightness", "open": "position", "playing": "volume"}
"""The attribute that tells how much, by the state."""


@dataclass(frozen=True)
class DeviceState:
    """What a device reports, in the same words whatever its protocol."""

    state: str
    """on, off, open, closed, locked, unlocked, heat, playing, or a sensor's value; "" if it reports none."""

    unit: str = ""
    """The unit of a sensor's value: °C."""

    attributes: Mapping[str, Any] = field(default_factory=dict)
    """`brightness`, `position` and `volume` in percent, `temperature` (wanted), `current_temperature`, `color`."""

    @property
    def words(self) -> str:
        """Return the state with its unit, or with its level: "on, 50 percent"."""
        if self.unit:
            return f"{self.state} {self.unit}"
        level = self.attributes.get(_LEVELS.get(self.state, ""))
        return self.state if level is None else f"{self.state}, {level:g} percent"


class Reason(StrEnum):
    """Why a call was not done. The intent program has words for each in its languages, `text` has them in English."""

    BROKER_UNREACHABLE = "broker_unreachable"
    HOME_ASSISTANT_UNREACHABLE = "home_assistant_unreachable"
    HOME_ASSISTANT_FAILED = "home_assistant_failed"
    """It reports an error, or its answer makes no sense."""

    REFUSED = "refused"
    """Home Assistant refuses the token."""

    NOT_CONFIGURED = "not_configured"
    """The tool needs a broker or a Home Assistant, and the configuration names none."""

    UNKNOWN_DEVICE = "unknown_device"
    """Home Assistant has no such entity."""

    UNAVAILABLE = "unavailable"
    """Home Assistant has lost the device."""

    NO_PICTURE = "no_picture"
    """Home Assistant sends no picture of a camera: it is off, too slow, or sends something else."""

    PICTURE_TOO_LARGE = "picture_too_large"

    NO_VISION = "no_vision"
    """The model of the task cannot be shown pictures."""

    UNKNOWN_STATE = "unknown_state"
    """The device has not said how it is."""

    NOT_ALLOWED = "not_allowed"
    """An argument does not fit; `Outcome.allowed` has what would."""

    FAILED = "failed"
    """Anything else, such as a template that does not work."""


class SkillReason(StrEnum):
    """Why an action of a skill was not done, besides the above. Each skill has words of its own for them."""

    UNKNOWN_TIMER = "unknown_timer"
    PASSED = "passed"
    """The date and time of an alarm are over."""

    NO_LOUDSPEAKER = "no_loudspeaker"
    NOT_SAVED = "not_saved"
    """The disk is full or cannot be written, and nothing has changed."""

    TOO_MANY = "too_many"
    UNKNOWN_LIST = "unknown_list"
    UNKNOWN_ITEM = "unknown_item"
    NOTHING_SAID = "nothing_said"
    """There is no answer yet that could be said again."""


@dataclass(frozen=True)
class Outcome:
    """What came of a call."""

    text: str
    """A sentence for the person and the model."""

    is_done: bool
    """Whether the call was done: a command was sent, or a state was read."""

    state: DeviceState | None = None
    """What was read; None for a command, and for a call that failed."""

    is_confirmation: bool = False
    """True when the sentence is the confirmation that tools.toml has for the tool."""

    reason: Reason | SkillReason | None = None
    """Why the call was not done; None where it was."""

    allowed: Mapping[str, Any] = field(default_factory=dict)
    """The name of an argument that does not fit as `parameter`, and of its schema `minimum`, `maximum` and `enum`."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """What an action of a skill has found or made."""

    picture: bytes = b""
    """The file of the picture that was fetched; it is for a model, which answers the question about it."""

    def as_data(self) -> dict[str, Any]:
        """Return the outcome as JSON for the program that understands sentences."""
        return {name: each for name, each in asdict(self).items() if name != "picture"}


MOST_TOLD = 3
"""So many devices of a set get a sentence each."""

# The words after "is", by the tool names that the bundled model has learned, with the names of their arguments.
_DONE = {
    "turn_on": "on",
    "turn_off": "off",
    "set_brightness": "at {percent} percent",
    "set_color": "{color}",
    "open_cover": "open",
    "close_cover": "closed",
    "set_position": "at {percent} percent",
    "set_temperature": "set to {degrees} degrees",
    "play_media": "playing {media}",
    "pause_media": "paused",
    "set_volume": "at {percent} percent",
    "lock": "locked",
    "unlock": "unlocked",
    "activate_scene": "active",
}
_DONE_WITHOUT_DEVICE = {"set_timer": "The timer is set for {amount} {unit}.", "cancel_timer": "The timer is cancelled."}
_FIELD = re.compile(r"{(\w+)}")


def done(tool: str, arguments: Mapping[str, Any], device: str) -> str:
    """Return the sentence about a call that was done, for a tool without a confirmation of its own.

    `device` is the name of the device that was called; "" if there is none.
    """
    template = (_DONE if device else _DONE_WITHOUT_DEVICE).get(tool, "")
    values = {name: value for name, value in arguments.items() if name != "entity" or not device}
    if template and set(_FIELD.findall(template)) <= values.keys():  # its parameters may have other names
        words = template.format_map(values)
        return _is(device, words) if device else words
    words = ", ".join([tool.replace("_", " "), *([device] if device else []), *map(str, values.values())])
    return f"Done: {words}."


def state(value: str, device: str) -> str:
    """Return the sentence about a state: the device, and the value word for word."""
    if not device:
        return ended(value)
    return _is(device, f"at {value}" if value[:1].isdigit() else value)


def shown(device: str) -> str:
    """Return the sentence that comes with a picture of a device."""
    return f"This is the picture of {with_article(device)}."


def failed(reason: str, device: str) -> str:
    """Return the sentence about a call that failed, with a reason in a few words."""
    where = f" for {with_article(device)}" if device else ""
    return ended(f"That did not work{where}: {reason}")


def takes(device: str, name: str, schema: Mapping[str, Any]) -> str:
    """Return the sentence about an argument that a schema does not allow: The heater takes 5 to 30 degrees."""
    subject = _capitalized(with_article(device)) if device else "That"
    verb = "take" if _is_plural(device) else "takes"
    return f"{subject} {verb} {_allowed(name.replace('_', ' '), schema)}."


def ended(words: str) -> str:
    """Return the words with a full stop, if they end without one."""
    return words if words.endswith((".", "!", "?")) else f"{words}."


def told(sentences: Sequence[str]) -> str:
    """Return the sentences of several calls as one text, without repetitions."""
    return " ".join(dict.fromkeys(sentences))


def told_of_set(outcomes: Sequence[Outcome]) -> str:
    """Return the sentences about one call of several devices; of many that were done, the first's and their number."""
    done = [each.text for each in outcomes if each.is_done]
    failures = [each.text for each in outcomes if not each.is_done]
    if len(done) > MOST_TOLD:
        done = [done[0], f"The same for {len(done) - 1} others."]
    return told([*done, *failures])


def _allowed(name: str, schema: Mapping[str, Any]) -> str:
    """Return what a schema allows, in words: 5 to 30 degrees."""
    if values := [str(each) for each in schema.get("enum", ())]:
        return f"{' or '.join(filter(None, (', '.join(values[:-1]), values[-1])))} for {name}"
    low, high = (f"{schema[key]:g}" if key in schema else "" for key in ("minimum", "maximum"))
    if low and high:
        return f"{low} to {high} {name}"
    if low or high:
        return f"{low or high} {name} or {'more' if low else 'less'}"
    return f"a {schema.get('type', 'different value')} for {name}"


def _is(device: str, words: str) -> str:
    return ended(f"{_capitalized(with_article(device))} {'are' if _is_plural(device) else 'is'} {words}")


def with_article(name: str) -> str:
    """Return a device's name with its article: the kitchen light, but Anna's lamp."""
    return name if "'s " in name or name.lower().startswith(("the ", "my ")) else f"the {name}"


def _is_plural(name: str) -> bool:
    """Return True for a name in the plural: the blinds."""
    return name.endswith("s") and not name.endswith("ss")


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]
