"""Covers units.intent.steps, units.intent.answers: what is said of calls that have failed."""

import pytest

from tests.support.units.intent_home import Inhabitant, device, home
from unitd.core.outcomes import Outcome, Reason
from units.intent.answers import Problem, render
from units.intent.steps import read_outcome

LAMPS = [device(name, "light", "kitchen") for name in ("Anna", "Ben", "Carla", "David")]
OFF = {
    "en": "turn off all lights",
    "de": "schalte alle Lichter aus",
    "fr": "éteins toutes les lumières",
    "es": "apaga todas las luces",
    "zh-CN": "关闭所有灯",
    "it": "spegni tutte le luci",
}
SILENT = "That did not work for {0}: the broker does not answer."


def somebody(language: str, reason: str, *failing: str, **allowed: object) -> Inhabitant:
    """Return somebody in a home where these devices fail for this reason."""
    found = Inhabitant(home([*LAMPS, device("Heidi", "climate", "kitchen")], languages=[language]))
    found.failing = {name: SILENT.format(name) for name in failing}
    found.reasons = {name: {"reason": reason, "allowed": allowed} for name in failing}
    return found


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "That did not work for the Ben: the broker does not answer."),
        ("de", "Ben: Das hat nicht geklappt, der Broker antwortet nicht."),
        ("fr", "Cela n'a pas marché pour Ben : le broker ne répond pas."),
        ("es", "No ha funcionado con Ben: el bróker no responde."),
        ("zh-CN", "Ben没有成功：消息服务器没有响应。"),  # noqa: RUF001
    ],
)
def test_a_failure_is_said_in_the_language_of_the_sentence(language: str, answer: str) -> None:
    """With its reason, after what has worked."""
    calls, said = somebody(language, "broker_unreachable", "Ben").say(OFF[language])

    assert len(calls) == 4
    assert said.startswith(("Turned off", "Anna, Carla", "Éteint", "Apagado", "Anna、Carla"))
    assert said.endswith(answer)


def test_devices_that_failed_alike_are_in_one_sentence() -> None:
    """The sentence names the devices, or says how many they are."""
    two, all_four = (
        somebody("de", "unavailable", *names) for names in (("Anna", "Ben"), ("Anna", "Ben", "Carla", "David"))
    )

    assert two.say(OFF["de"])[1].endswith("Anna und Ben: Das hat nicht geklappt, das Gerät ist nicht erreichbar.")
    assert all_four.say(OFF["de"])[1] == "4 Geräte: Das hat nicht geklappt, das Gerät ist nicht erreichbar."


def test_a_language_without_words_of_ours_has_the_sentences_of_the_daemon() -> None:
    """In English, one for each device."""
    _, said = somebody("it", "broker_unreachable", "Ben", "Carla").say(OFF["it"])

    assert said.endswith(f"{SILENT.format('Ben')} {SILENT.format('Carla')}")


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "stelle Heidi auf 99 Grad", "Heidi: Das hat nicht geklappt, möglich sind 5 bis 30,5 Grad."),
        ("fr", "règle Heidi à 99 degrés", "Cela n'a pas marché pour Heidi : c'est possible de 5 à 30,5 degrés."),
        ("es", "pon Heidi a 99 grados", "No ha funcionado con Heidi: se puede de 5 a 30,5 grados."),
        ("zh-CN", "把Heidi调到99度", "Heidi没有成功：可以设为5到30.5度。"),  # noqa: RUF001
        ("en", "set Heidi to 99 degrees", SILENT.format("Heidi")),
    ],
)
def test_what_is_possible_is_said(language: str, sentence: str, answer: str) -> None:
    """In English by the daemon's own sentence."""
    here = somebody(language, "not_allowed", "Heidi", parameter="degrees", minimum=5, maximum=30.5)

    assert here.say(sentence)[1] == answer


@pytest.mark.parametrize("language", ["de", "fr", "es", "zh-CN"])
def test_words_that_are_possible_are_said(language: str) -> None:
    """Without bounds and words, that it is not possible."""
    of_words = Problem("failed", ["Anna"], text="x", reason="not_allowed", allowed={"enum": ["rot", "grün"]})
    of_nothing = Problem("failed", ["Anna"], text="x", reason="not_allowed", allowed={"parameter": "color"})
    words, nothing = (render(language, "HassLightSet", None, {}, [], [], each) for each in (of_words, of_nothing))

    assert "rot" in words
    assert "grün" in words
    assert len(nothing) > len(render(language, "HassLightSet", None, {}, [], [], Problem("failed", ["Anna"])))


@pytest.mark.parametrize("reason", [each for each in Reason if each is not Reason.FAILED])
@pytest.mark.parametrize("language", ["de", "fr", "es", "zh-CN"])
def test_every_reason_has_words(language: str, reason: Reason) -> None:
    """Other than those of a failure without a reason."""
    unknown, known = (
        render(language, "HassTurnOn", None, {}, [], [], Problem("failed", ["Anna"], text="x", reason=each))
        for each in (Reason.FAILED, reason)
    )

    assert len(known) > len(unknown) > len("Anna")


def test_a_failure_without_a_reason_is_said_as_the_daemon_says_it() -> None:
    """In English, whatever the language: nothing else is known of it."""
    here = somebody("de", "", "Anna", "Ben", "Carla", "David")

    assert here.say(OFF["de"])[1] == " ".join(here.failing.values())


def test_the_reason_of_an_outcome_is_read() -> None:
    """As the daemon sends it."""
    sent = Outcome("The heater takes 5 to 30 degrees.", False, reason=Reason.NOT_ALLOWED, allowed={"minimum": 5})

    read = read_outcome(sent.as_data())

    assert (read.text, read.reason, read.allowed) == (sent.text, "not_allowed", {"minimum": 5})
