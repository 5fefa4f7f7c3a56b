"""Covers units.intent.answers and units.intent.wording: what is said after a wish, in the language of the sentence."""

# ruff: noqa: RUF001  # Chinese has marks of its own

import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from home_assistant_intents import get_intents, get_languages

from units.intent import answers
from units.intent.answers import DeviceAnswer, Problem, render

OURS = Path(answers.__file__).parent / "responses"
INTENTS_OF_OURS = ("UnitdAdjust", "UnitdStop")

LAMP = DeviceAnswer("desk lamp", "light", "light.desk", "on", attributes={"brightness": 50})
CEILING = DeviceAnswer("ceiling light", "light", "light.ceiling", "off")
DOOR = DeviceAnswer("front door", "lock", "lock.front", "locked")
BACK = DeviceAnswer("back door", "lock", "lock.back", "unlocked")
BLIND = DeviceAnswer("kitchen blind", "cover", "cover.kitchen", "open", attributes={"device_class": "blind"})
SCENE = DeviceAnswer("movie night", "scene", "scene.movie")
RADIO = DeviceAnswer("radio", "media_player", "media_player.radio", "playing", attributes={"volume": 30})
HEATER = DeviceAnswer("heater", "climate", "climate.heater", "heat", attributes={"current_temperature": 20.5})
GARDEN = DeviceAnswer("garden", "sensor", "sensor.garden", "-3.46", "°C")
WINDOW = DeviceAnswer("bathroom window", "binary_sensor", "w", "on", attributes={"device_class": "window"})
FAN = DeviceAnswer("fan", "fan", "fan.fan", "on")
SWITCH = DeviceAnswer("coffee machine", "switch", "switch.coffee", "off")
EACH_KIND = (LAMP, DOOR, BLIND, SCENE, RADIO, HEATER, GARDEN, WINDOW, FAN, SWITCH)

SLOTS = {
    "name": "desk lamp", "area": "kitchen", "floor": "upstairs", "state": "on", "device_class": "blinds",
    "brightness": 50, "color": "red", "temperature": 21.5, "position": 40, "volume_level": 30, "volume_step": 10,
    "percentage": 20, "item": "milk", "search_query": "jazz", "fan_mode": "auto", "minutes": 5, "canceled": 1,
    "time": datetime.time(14, 5), "date": datetime.date(2026, 3, 4), "timers": [], "quantity": "volume",
    "direction": "down",
}  # fmt: skip

WORKING = [
    language
    for language in sorted(get_languages())
    if {"HassTurnOn", "HassTurnOff"} <= (get_intents(language) or {})["intents"].keys()
]


def keys_in(language: str) -> Iterator[tuple[str, str]]:
    """Every intent of a language, and those of ours, with each key of its responses."""
    responses = (get_intents(language) or {})["responses"]["intents"]
    for intent in {*responses, *INTENTS_OF_OURS}:
        for key in {*responses.get(intent, ()), "default"}:
            yield intent, key


def stateless(device: DeviceAnswer) -> DeviceAnswer:
    """The device, of which only the name is known."""
    return DeviceAnswer(device.name, device.domain)


def situations() -> Iterator[tuple[dict[str, Any], list[DeviceAnswer], list[DeviceAnswer]]]:
    """Slots, matched and unmatched devices."""
    yield {}, [], []
    yield SLOTS, [], []
    for device in EACH_KIND:  # three situations each
        others = [replace(device, name=f"{device.name} {number}") for number in range(4)]
        yield SLOTS, [stateless(device)], []
        yield SLOTS, [device], others
        yield {}, others, [device]


SITUATIONS = tuple(situations())


def faults_of(text: str) -> str:
    """What is wrong with an answer; "" if it can be said."""
    wrong = re.search(r"None|TODO|[Uu]ndefined|Jinja|object at|\{[{%]|[%}]\}|\s\s|\n|^\s|\s$", text)
    return wrong.group() if wrong else "" if text else "empty"


@pytest.mark.parametrize("language", WORKING)
def test_every_response_can_be_said(language: str) -> None:
    """For each intent, kind of device and language, with states and without: nothing is missing in an answer.

    In a language that has only the library's words, each response meets every third situation, which is one of each
    kind of device.
    """
    step = 1 if (OURS / f"{language}.toml").exists() else 3
    said = {
        (intent, key, number): render(language, intent, key, *SITUATIONS[number])
        for at, (intent, key) in enumerate(sorted(keys_in(language)))
        for number in range(at % step, len(SITUATIONS), step)
    }

    assert len(said) > 300 // step
    assert {where: text for where, text in said.items() if faults_of(text)} == {}


@pytest.mark.parametrize("language", WORKING)
def test_every_problem_can_be_said(language: str) -> None:
    """With names and without, alone and after what was done."""
    many = [f"lamp {number}" for number in range(30)]
    about: list[tuple[list[str], list[str]]] = [([], []), (["lamp"], []), ([], ["hall"]), (["lamp"], ["hall", "attic"])]
    problems = [
        Problem(kind, *each) for kind in get_args(answers.Kind) for each in [*about, (many, []), (["lamp"], many)]
    ]
    said = [
        (intent, problem, render(language, intent, None, {}, done, [], problem))
        for intent in ("HassTurnOn", "HassLightSet", "HassGetState", "UnitdAdjust", "HassNevermind")
        for problem in problems
        for done in ([], [LAMP])
    ]

    assert [each for each in said if faults_of(each[-1])] == []


def test_each_language_of_ours_has_the_same_keys() -> None:
    """A key that one of them lacks would be said in no language or another."""
    files = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in OURS.glob("*.toml")}
    keys = {
        language: {(table, key) for table, rows in each.items() if isinstance(rows, dict) for key in rows}
        for language, each in files.items()
    }

    assert set(files) == {"en", "de", "fr", "es", "zh-CN"}
    assert [language for language, each in keys.items() if each != keys["en"]] == []


def test_what_is_not_turned_on_gets_the_words_of_its_kind() -> None:
    """The library's English default says "Turned on None" for them."""
    said = [render("en", "HassTurnOn", "default", {}, [each], []) for each in (LAMP, DOOR, BLIND, SCENE, RADIO)]

    assert said == ["Turned on the light", "Locking", "Opening", "Activated", "Turned on the media player"]


def test_turning_off_a_lock_is_unlocking() -> None:
    """Also where the library's file has no words for locks."""
    assert render("en", "HassTurnOff", "default", {}, [DOOR], []) == "Unlocking"
    assert render("ru", "HassTurnOff", "default", {}, [DOOR], []) == "Unlocked the front door"


WITH_TWO_LIGHTS = {
    "en": "Turned off the desk lamp and the ceiling light",
    "de": "Desk lamp und ceiling light ausgeschaltet",
    "fr": "Éteint : desk lamp et ceiling light",
    "es": "Apagado: desk lamp y ceiling light",
    "zh-CN": "Desk lamp和ceiling light已关闭",
}
WITH_FIVE = {
    "en": "Closed 5 blinds",
    "de": "5 Jalousien geschlossen",
    "fr": "Fermé : 5 stores",
    "es": "Cerrado: 5 persianas",
    "zh-CN": "5个百叶帘已关闭",
}


@pytest.mark.parametrize("language", WITH_TWO_LIGHTS)
def test_several_devices_are_named_or_counted(language: str) -> None:
    """Three by name, more by their number."""
    blinds = [replace(BLIND, name=f"blind {number}") for number in range(5)]

    assert render(language, "HassTurnOff", "default", {}, [LAMP, CEILING], []) == WITH_TWO_LIGHTS[language]
    assert render(language, "HassTurnOff", "cover", {}, blinds, []) == WITH_FIVE[language]


def test_a_set_has_the_response_that_its_sentence_names() -> None:
    """The library has words for all lights of a room, and counts them not."""
    assert render("en", "HassTurnOff", "lights_area", {}, [LAMP, CEILING], []) == "Turned off the lights"
    assert render("de", "HassTurnOff", "light_all", {}, [LAMP, CEILING], []) == "Alle Lichter ausgeschaltet"


def test_different_kinds_are_devices() -> None:
    """ "Everything upstairs" is no light."""
    everything = [LAMP, RADIO, FAN, SWITCH, HEATER]

    assert render("en", "HassTurnOff", "default", {}, everything, []) == "Turned off 5 devices"


def test_what_failed_is_said_after_what_was_done() -> None:
    """The daemon's sentence is said as it is."""
    problem = Problem("failed", ["radio"], text="That did not work for the radio: no answer.")

    said = render("en", "HassTurnOff", "lights_area", {}, [LAMP, CEILING], [], problem)

    assert said == "Turned off the desk lamp and the ceiling light. That did not work for the radio: no answer."
    assert render("en", "HassTurnOff", "light_all", {}, [LAMP], [CEILING]) == "Turned off the desk lamp"
    assert render("de", "HassTurnOff", "light", {}, [], [], problem) == problem.text


Question = tuple[str, str, dict[str, Any], list[DeviceAnswer], list[DeviceAnswer], str]
QUESTIONS: dict[str, list[Question]] = {
    "en": [
        ("HassGetState", "one", {"name": "garden"}, [GARDEN], [], "Garden is -3.46 °C"),
        ("HassGetState", "one", {"name": "kitchen TV"}, [RADIO], [], "Kitchen TV is playing"),
        ("HassGetState", "one_yesno", {"name": "window", "state": "closed"}, [], [WINDOW], "No, open"),
        ("HassGetState", "all", {"state": "locked"}, [DOOR], [BACK], "No, back door is not locked"),
        ("HassGetState", "any", {"state": "on"}, [LAMP], [CEILING], "Yes, desk lamp"),
        ("HassGetState", "how_many", {"state": "on"}, [LAMP], [CEILING], "1"),
        ("HassClimateGetTemperature", "default", {}, [HEATER], [], "20.5 degrees"),
    ],
    "de": [
        ("HassGetState", "one", {"name": "Garten"}, [GARDEN], [], "Garten ist -3,5 Grad"),
        ("HassGetState", "one", {"name": "Lampe"}, [LAMP], [], "Lampe ist an"),
        ("HassGetState", "one_yesno", {"name": "Fenster", "state": "closed"}, [], [WINDOW], "Nein, offen"),
        ("HassGetState", "all", {"state": "abgeschlossen"}, [DOOR], [BACK], "Nein, back door ist nicht abgeschlossen"),
        ("HassGetState", "which", {"state": "an"}, [], [CEILING], "Keins"),
        ("HassClimateGetTemperature", "current_temperature", {}, [HEATER], [], "20,5 Grad"),
    ],
    "fr": [
        ("HassGetState", "one", {"name": "jardin"}, [GARDEN], [], "Jardin est -3,46 °C"),
        ("HassGetState", "one", {"name": "lampe"}, [CEILING], [], "Lampe est éteint"),
        ("HassGetState", "any", {"state": "verrouillé"}, [DOOR], [BACK], "Oui, front door"),
        ("HassClimateGetTemperature", "default", {}, [HEATER], [], "20,5 degrés"),
    ],
    "es": [
        ("HassGetState", "one", {"name": "jardín"}, [GARDEN], [], "El dispositivo Jardín indica -3,46 °C"),
        ("HassGetState", "one", {"name": "lámpara"}, [LAMP], [], "El dispositivo Lámpara está encendido"),
        ("HassGetState", "one_yesno", {"state": "closed"}, [], [WINDOW], "No, su estado es abierto"),
        ("HassClimateGetTemperature", "default", {}, [HEATER], [], "20,5 grados"),
    ],
    "zh-CN": [
        ("HassGetState", "one", {"name": "花园"}, [GARDEN], [], "花园是-3.46 °C"),
        ("HassGetState", "one", {"name": "台灯"}, [LAMP], [], "台灯是开着的"),
        ("HassGetState", "all", {"state": "锁着的"}, [DOOR], [BACK], "不是"),
        ("HassClimateGetTemperature", "default", {}, [HEATER], [], "现在温度是20.5度"),
    ],
    "nl": [("HassGetState", "one", {"name": "lamp"}, [LAMP], [], "Lamp is aan")],
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_states_are_said_in_the_language_of_the_question(language: str) -> None:
    """Words, decimals and units."""
    said = [
        (intent, key, slots, matched, unmatched, render(language, intent, key, slots, matched, unmatched))
        for intent, key, slots, matched, unmatched, _ in QUESTIONS[language]
    ]

    assert said == QUESTIONS[language]


ADJUSTED = {
    "en": "Brighter, 50 percent",
    "de": "Heller, 50 Prozent",
    "fr": "Plus lumineux, 50 pour cent",
    "es": "Más brillo, 50 por ciento",
    "zh-CN": "已调亮到50%",
}


@pytest.mark.parametrize("language", ADJUSTED)
def test_a_relative_wish_says_what_came_of_it(language: str) -> None:
    """The value is the lamp's own, or the one that was set."""
    slots = {"quantity": "brightness", "direction": "up"}

    assert render(language, "UnitdAdjust", None, slots, [LAMP], []) == ADJUSTED[language]
    assert render(language, "UnitdAdjust", None, slots | {"value": 50}, [CEILING], []) == ADJUSTED[language]


LATER = {
    "en": "Command will be executed in 5 minutes",
    "de": "Anweisung wird in 5 Minuten ausgeführt",
    "fr": "Commande reçue",
    "es": "Orden recibida",
    "zh-CN": "好的，已开始计时",
}
STOPPED = {"en": "All right", "de": "In Ordnung", "fr": "D'accord", "es": "De acuerdo", "zh-CN": "好的"}


@pytest.mark.parametrize("language", LATER)
def test_later_and_not_at_all(language: str) -> None:
    """A delayed command has the library's answer; "stop" one of ours."""
    assert render(language, "HassStartTimer", "command", {"minutes": 5}, [], []) == LATER[language]
    assert render(language, "UnitdStop", None, {}, [], []) == STOPPED[language]


PROBLEMS = {
    "en": [
        "Do you mean the desk lamp?",
        "Which one do you mean: the desk lamp, the ceiling light or Anna's lamp?",
        "I have no way to lock the front door.",
        "There is no device called sauna.",
        "I did not understand.",
        "There are several devices called lamp. Which one do you mean: the kitchen or the bedroom?",
    ],
    "de": [
        "Meinst du desk lamp?",
        "Was meinst du: desk lamp, ceiling light oder Anna's lamp?",
        "Ich kann front door nicht abschließen.",
        "Es gibt kein Gerät namens sauna.",
        "Das habe ich nicht verstanden.",
        "Es gibt mehrere Geräte namens lamp. Welches meinst du: kitchen oder bedroom?",
    ],
    "fr": [
        "Voulez-vous dire desk lamp ?",
        "Que voulez-vous dire : desk lamp, ceiling light ou Anna's lamp ?",
        "Je ne peux pas verrouiller front door.",
        "Il n'y a pas d'appareil nommé sauna.",
        "Je n'ai pas compris.",
        "Il y a plusieurs appareils nommés lamp. Lequel voulez-vous dire : kitchen ou bedroom ?",
    ],
    "es": [
        "¿Quieres decir desk lamp?",
        "¿A cuál te refieres: desk lamp, ceiling light o Anna's lamp?",
        "No puedo cerrar front door con llave.",
        "No hay ningún dispositivo llamado sauna.",
        "No he entendido.",
        "Hay varios dispositivos llamados lamp. ¿A cuál te refieres: kitchen o bedroom?",
    ],
    "zh-CN": [
        "你是说desk lamp吗？",
        "你指的是哪一个：desk lamp、ceiling light还是Anna's lamp？",
        "我没有办法锁上front door。",
        "没有名为sauna的设备。",
        "我没有听懂。",
        "有多个名为lamp的设备。你指的是哪一个：kitchen还是bedroom？",
    ],
}


@pytest.mark.parametrize("language", PROBLEMS)
def test_problems_are_said_in_the_language_of_the_sentence(language: str) -> None:
    """What is asked back, and what cannot be done."""
    problems = [
        Problem("which", ["desk lamp"]),
        Problem("which", ["desk lamp", "ceiling light", "Anna's lamp"]),
        Problem("no_way", ["front door"]),
        Problem("no_device", ["sauna"]),
        Problem("not_understood"),
        Problem("duplicate", ["lamp"], ["kitchen", "bedroom"]),
    ]
    said = [render(language, "HassTurnOn", "default", {"domain": "lock"}, [], [], each) for each in problems]

    assert said == PROBLEMS[language]


def test_a_language_without_words_of_ours_has_the_librarys_for_errors() -> None:
    """And English ones for the rest."""
    assert render("it", "HassTurnOn", None, {}, [], [], Problem("no_device", ["sauna"])).endswith("sauna")
    assert render("it", "HassTurnOn", None, {}, [], [], Problem("which", ["sauna"])) == "Do you mean the sauna?"


def test_sentences_of_one_answer_end_with_a_full_stop() -> None:
    """A single one is left as the library has it."""
    assert answers.joined("en", ["Turned on the light"]) == "Turned on the light"
    assert answers.joined("en", ["Turned on the light", "That failed."]) == "Turned on the light. That failed."
    assert answers.joined("zh-CN", ["灯已打开", "没有成功。"]) == "灯已打开。 没有成功。"


def test_many_choices_are_not_read_out() -> None:
    """Nobody waits for the end of thirty names."""
    lamps = [f"lamp {number}" for number in range(30)]

    assert render("en", "HassTurnOn", "default", {}, [], [], Problem("which", lamps)) == "Which one do you mean?"


def test_a_list_is_not_said() -> None:
    """A question may mean several states, where its words have none."""
    assert render("en", "HassGetState", "all", {"state": ["on", "open"]}, [], [CEILING]) == "No"


def test_an_unknown_state_is_not_a_no() -> None:
    """A question about what has no state is not answered with yes or no."""
    said = render("en", "HassGetState", "all", {"state": "locked"}, [], [stateless(DOOR)])

    assert said == "I do not know the state of the front door."
    assert render("en", "HassGetState", "all", {"state": "locked"}, [], []) == "I do not know that."


def test_a_response_that_cuts_decimals_off_is_not_said() -> None:
    """The Chinese one would say 21 degrees."""
    said = [
        render("zh-CN", "HassClimateSetTemperature", None, {"temperature": each}, [HEATER], []) for each in (21.5, 21)
    ]

    assert said == ["Heater已调到21.5度", "好的，已把温度调到21度"]


def test_names_are_no_templates() -> None:
    """A device may be called anything."""
    odd = replace(LAMP, name="{{ 7 * 7 }} {% if %}")

    assert render("en", "HassGetState", "one", {"name": odd.name}, [odd], []) == "{{ 7 * 7 }} {% if %} is on"
    assert render("en", "HassTurnOn", None, {}, [odd, CEILING], []).startswith("Turned on the {{ 7 * 7 }} {% if %} and")
