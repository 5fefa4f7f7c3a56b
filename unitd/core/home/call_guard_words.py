"""What is said in place of a call that is not done, in five languages; in any other in English. Pure."""

from collections.abc import Collection, Mapping
from typing import Any

from unitd.core.outcomes import with_article

LANGUAGES = ("en", "de", "fr", "es", "zh")
"""The languages of the words below."""

_REFUSED = {
    "en": "I did not understand.",
    "de": "Das habe ich nicht verstanden.",
    "fr": "Je n'ai pas compris.",
    "es": "No he entendido.",
    "zh": "我没有听懂。",
}
_ASKED_BACK = {
    "en": "Do you mean {what}?",
    "de": "Ist {what} gemeint?",
    "fr": "S'agit-il de {what} ?",
    "es": "¿Se refiere a {what}?",
    "zh": "是指{what}吗？",  # noqa: RUF001
}
_FORGOTTEN = {"en": "All right.", "de": "In Ordnung.", "fr": "D'accord.", "es": "De acuerdo.", "zh": "好的。"}
_CANNOT_WAIT = {
    "en": "That needs a confirmation when it is done, so it cannot be done later.",
    "de": "Das muss bestätigt werden, wenn es getan wird, und geht deshalb nicht später.",
    "fr": "Cela doit être confirmé au moment de le faire, ce n'est donc pas possible plus tard.",
    "es": "Eso hay que confirmarlo al hacerlo, así que no se puede dejar para más tarde.",
    "zh": "这需要当场确认，不能稍后执行。",  # noqa: RUF001
}
_TOO_MANY_WAIT = {
    "en": "Too many commands wait already.",
    "de": "Es warten schon zu viele Befehle.",
    "fr": "Trop de commandes attendent déjà.",
    "es": "Ya hay demasiadas órdenes en espera.",
    "zh": "等待的命令太多了。",
}

_CONFIRMED = {
    "en": "Shall I {done}?",
    "de": "Soll ich {done}?",
    "fr": "Dois-je {done} ?",
    "es": "¿Debo {done}?",
    "zh": "要{done}吗？",  # noqa: RUF001
}
_DONE = {
    "turn_on": {
        "en": "turn on {it}", "de": "{it} einschalten", "fr": "allumer {it}",
        "es": "encender {it}", "zh": "打开{it}",
    },
    "turn_off": {
        "en": "turn off {it}", "de": "{it} ausschalten", "fr": "éteindre {it}",
        "es": "apagar {it}", "zh": "关闭{it}",
    },
    "open_cover": {
        "en": "open {it}", "de": "{it} öffnen", "fr": "ouvrir {it}",
        "es": "abrir {it}", "zh": "打开{it}",
    },
    "close_cover": {
        "en": "close {it}", "de": "{it} schließen", "fr": "fermer {it}",
        "es": "cerrar {it}", "zh": "关上{it}",
    },
    "lock": {
        "en": "lock {it}", "de": "{it} abschließen", "fr": "verrouiller {it}",
        "es": "bloquear {it}", "zh": "锁上{it}",
    },
    "unlock": {
        "en": "unlock {it}", "de": "{it} aufschließen", "fr": "déverrouiller {it}",
        "es": "desbloquear {it}", "zh": "解锁{it}",
    },
    "activate_scene": {
        "en": "activate {it}", "de": "{it} aktivieren", "fr": "activer {it}", "es": "activar {it}", "zh": "启动{it}"
    },
    "pause_media": {
        "en": "pause {it}", "de": "{it} anhalten", "fr": "mettre {it} en pause", "es": "pausar {it}", "zh": "暂停{it}"
    },
}  # fmt: skip
_SET = {
    "en": "set {it} to {values}", "de": "{it} auf {values} stellen", "fr": "régler {it} sur {values}",
    "es": "poner {it} a {values}", "zh": "把{it}设为{values}",
}  # fmt: skip
_OTHER = {
    "en": "do this: {name}", "de": "das tun: {name}", "fr": "faire ceci : {name}", "es": "hacer esto: {name}",
    "zh": "执行: {name}",
}  # fmt: skip
_UNITS = {"percent": " %", "degrees": " °"}


def refused(language: str) -> str:
    """Return the answer to what was not understood."""
    return _in(_REFUSED, language)


def forgotten(language: str) -> str:
    """Return the answer to a no."""
    return _in(_FORGOTTEN, language)


def cannot_wait(language: str) -> str:
    """Return the answer to a command for later that needs a confirmation."""
    return _in(_CANNOT_WAIT, language)


def too_many_wait(language: str) -> str:
    """Return the answer to a command for later where no more can wait."""
    return _in(_TOO_MANY_WAIT, language)


def asked_back(language: str, device: str, doubts: Mapping[str, Any]) -> str:
    """Return the question whether the device of a call, or its values, are meant."""
    values = {name: value for name, value in doubts.items() if name != "entity" or not device}
    named = [_named(device, language)] if "entity" in doubts and device else []
    return _in(_ASKED_BACK, language).format(what=", ".join([*named, *_told(values)]))


def confirmed(language: str, tool: str, device: str, values: Mapping[str, Any]) -> str:
    """Return the question whether a call is to be done."""
    it, told = _named(device, language), ", ".join(_told(values))
    if not device or not (tool in _DONE or values):
        name = ", ".join(filter(None, (tool.replace("_", " "), device, told)))
        done = _in(_OTHER, language).format(name=name)
    elif values:
        done = _in(_SET, language).format(it=it, values=told)
    else:
        done = _in(_DONE[tool], language).format(it=it)
    return _in(_CONFIRMED, language).format(done=done)


def _in(texts: Mapping[str, str], language: str) -> str:
    return texts.get(language.partition("-")[0], texts["en"])


def _named(device: str, language: str) -> str:
    """Return a device's name; only in English its article is known."""
    return device if not device or language.partition("-")[0] in LANGUAGES[1:] else with_article(device)


def _told(values: Mapping[str, Any]) -> list[str]:
    return [f"{value}{_UNITS.get(name, '')}" for name, value in values.items()]


_ON = frozenset(
    {
        *("on", "activate", "enable", "start", "an", "ein", "anschalten", "einschalten", "anmachen"),
        *("allume", "allumer", "enciende", "encender", "prende", "prender", "activa", "active", "\u5f00"),
    }
)
_OFF = frozenset(
    {
        *("off", "out", "kill", "deactivate", "disable", "extinguish", "douse", "aus", "ausschalten", "ausmachen"),
        *("eteins", "eteindre", "coupe", "apaga", "apagar", "desactiva", "desactive", "\u5173"),
    }
)
_OPPOSITE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {"turn_on": (_ON, _OFF), "turn_off": (_OFF, _ON)}
"""By tool the words for it, and those for the opposite."""


_MORE_WORDS: Mapping[str, frozenset[str]] = {
    "turn_on": frozenset(
        {
            *("up", "run", "running", "brew", "boot", "fire", "wake", "warm", "warmer", "cold", "hot", "cool"),
            *("cooler", "heat", "dark", "stuffy", "need", "illuminate", "lit", "hell", "dunkel", "warm", "kalt"),
            *("noir", "sombre", "froid", "oscuro", "frio", "\u4eae", "\u70ed", "\u51b7", "\u542f"),
        }
    ),
    "turn_off": frozenset(
        {
            *("down", "stop", "end", "quit", "shut", "cut", "bright", "loud", "sleep", "hot", "warm", "cold", "lose"),
            *("stopp", "stoppe", "hell", "arrete", "arreter", "eteindre", "para", "quita", "\u505c"),
        }
    ),
}
"""By tool more words that may mean it, and whose opposites mean nothing."""


def is_worded(tool: str, words: Collection[str]) -> bool:
    """Return whether a sentence has a word for a tool that switches; of any other tool the values are the words."""
    wanted, _ = _OPPOSITE.get(tool, (frozenset(), frozenset()))
    return not wanted or not (wanted | _MORE_WORDS[tool]).isdisjoint(words)


def contradicts(tool: str, words: Collection[str]) -> bool:
    """Return whether a sentence, by its words, wants the opposite of what a tool does."""
    wanted, opposite = _OPPOSITE.get(tool, (frozenset(), frozenset()))
    return not opposite.isdisjoint(words) and wanted.isdisjoint(words)
