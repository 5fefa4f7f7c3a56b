"""Forms of the verbs that switch things: the same wish as a command, in the past, and in other sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """One way to name an action; every form contains the slot for the device, and the past is also the participle."""

    do: str
    did: str
    doing: str
    does: str

    def of(self, **words: str) -> dict[str, str]:
        """Return the forms with the device and its values."""
        forms = {"do": self.do, "did": self.did, "doing": self.doing, "does": self.does}
        return {name: form.format(**words) for name, form in forms.items()}


def _verb(base: str, past: str, gerund: str, third: str, *patterns: str) -> list[Verb]:
    """Return the verb in several orders of words; `*` is its place."""
    return [Verb(*(pattern.replace("*", form) for form in (base, past, gerund, third))) for pattern in patterns]


def _switched(state: str) -> tuple[Verb, ...]:
    orders = (f"* {state} {{it}}", f"* {{it}} {state}")
    return (
        *_verb("turn", "turned", "turning", "turns", *orders, *orders),
        *_verb("switch", "switched", "switching", "switches", *orders),
        *_verb("put", "put", "putting", "puts", f"* {{it}} {state}"),
    )


VERBS: dict[str, tuple[Verb, ...]] = {
    "turn_on": _switched("on"),
    "turn_off": (*_switched("off"), *_verb("shut", "shut", "shutting", "shuts", "* off {it}", "* {it} off")),
    "open": (*_verb("open", "opened", "opening", "opens", "* {it}", "* {it}", "* {it}", "* up {it}"),),
    "close": (
        *_verb("close", "closed", "closing", "closes", "* {it}", "* {it}", "* {it}"),
        *_verb("shut", "shut", "shutting", "shuts", "* {it}"),
    ),
    "lock": tuple(_verb("lock", "locked", "locking", "locks", "* {it}", "* {it}", "* up {it}")),
    "unlock": tuple(_verb("unlock", "unlocked", "unlocking", "unlocks", "* {it}")),
    "brightness": (
        *_verb("set", "set", "setting", "sets", "* {it} to {n} percent"),
        *_verb("dim", "dimmed", "dimming", "dims", "* {it} to {n} percent"),
    ),
    "color": (
        *_verb("make", "made", "making", "makes", "* {it} {colour}"),
        *_verb("set", "set", "setting", "sets", "* {it} to {colour}"),
        *_verb("turn", "turned", "turning", "turns", "* {it} {colour}"),
    ),
    "temperature": (
        *_verb("set", "set", "setting", "sets", "* {it} to {n} degrees"),
        *_verb("turn", "turned", "turning", "turns", "* {it} to {n} degrees"),
    ),
    "volume": tuple(_verb("set", "set", "setting", "sets", "* the volume of {it} to {n} percent")),
    "position": (
        *_verb("set", "set", "setting", "sets", "* {it} to {n} percent"),
        *_verb("open", "opened", "opening", "opens", "* {it} to {n} percent"),
    ),
    "pause": tuple(_verb("pause", "paused", "pausing", "pauses", "* {it}")),
}
"""The verbs of each meaning; the more frequent ones stand several times."""

COULD = {
    "turn_on": "turn on {it}", "turn_off": "turn off {it}", "open": "open {it}", "close": "close {it}",
    "lock": "lock {it}", "unlock": "unlock {it}", "brightness": "set the brightness of {it}",
    "color": "set the color of {it}", "position": "set the position of {it}", "volume": "set the volume of {it}",
    "temperature": "set the temperature of {it}", "pause": "pause {it}", "play": "play something on {it}",
    "state": "read the state of {it}",
}  # fmt: skip
"""What an answer names when the tool is missing, as the daemon does: "I have no way to …"."""
