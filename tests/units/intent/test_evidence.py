"""Covers units.intent.evidence: what a sentence names, asks, forbids and counts."""

import json
from typing import Any

import pytest

from tests.units.intent.houses import FAMILY, device, family, home
from units.intent.evidence import evidence
from units.intent.naming import HomeIndex


def found(said: str, area: str = "", language: str = "en") -> dict[str, Any]:
    """Return the evidence of a sentence in the house of twelve devices."""
    return evidence(said, family(area, language), language)


def test_evidence_can_be_sent_as_json() -> None:
    assert json.loads(json.dumps(found("set the desk lamp to 20 percent")))["entities"] == ["desk lamp"]


@pytest.mark.parametrize(
    "said",
    ["turn on the desk lamp", "desk lamps on", "the DESK LAMP, please", "desklamp on", "Desk-Lamp on!"],
)
def test_a_name_is_found_as_people_and_transcripts_write_it(said: str) -> None:
    assert found(said)["entities"] == ["desk lamp"]


def test_a_misheard_name_is_only_near() -> None:
    heard = found("turn on the dusk lamp")
    assert (heard["entities"], heard["meant"], heard["near"]) == ([], [], ["desk lamp"])


def test_a_word_of_the_sentence_is_no_part_of_a_misheard_name() -> None:
    house = HomeIndex(home(device("hall light", "light", "hall"), device("night light", "light", "attic"), area="hall"))
    assert evidence("all lights off", house, "en")["near"] == []
    assert evidence("turn the lights off", house, "en")["meant"] == ["hall light"]


def test_numbered_names_are_not_taken_for_one_another() -> None:
    house = HomeIndex(home(device("hall spot 1", "light", "hall"), device("hall spot 2", "light", "hall")))
    heard = evidence("turn on hall spot 1", house, "en")
    assert (heard["entities"], heard["near"]) == (["hall spot 1"], [])


def test_a_kind_means_the_named_room_else_the_room_of_the_board_else_the_only_device() -> None:
    assert found("lights on in the bedroom")["meant"] == ["bedside lamp", "bedroom light"]
    assert found("lights on", area="kitchen")["meant"] == ["kitchen light"]
    assert found("turn on the fan")["meant"] == ["bathroom fan"]
    assert found("lights on")["meant"] == []


def test_all_means_the_house_and_leaves_out_what_is_excepted() -> None:
    lamps = ["kitchen light", "desk lamp", "bedside lamp", "bedroom light"]
    assert found("turn off all lights", area="kitchen")["meant"] == lamps
    assert found("turn off all lights except the desk lamp")["meant"] == [each for each in lamps if each != "desk lamp"]


def test_everything_means_neither_covers_nor_locks() -> None:
    assert found("turn off everything upstairs")["meant"] == [
        "bedside lamp",
        "bedroom light",
        "bedroom tv",
        "bathroom fan",
    ]


def test_a_floor_names_its_areas() -> None:
    assert found("it is dark upstairs")["areas"] == ["bathroom", "bedroom"]


def test_blinds_are_no_doors_and_a_tv_is_no_radio() -> None:
    house = HomeIndex(home(*FAMILY, device("shutter door", "cover", "kitchen", device_class="door")))
    assert evidence("close the blinds in the kitchen", house, "en")["meant"] == ["kitchen blinds"]
    assert found("turn off all tvs")["meant"] == ["bedroom tv"]


def test_two_devices_of_one_name_are_near_until_a_room_is_named() -> None:
    twins = [device("lamp one", "light", room, id=f"light.{room}") for room in ("kitchen", "attic")]
    house = HomeIndex(home(*twins))
    assert evidence("lamp one on", house, "en")["near"] == ["light.kitchen", "light.attic"]
    assert evidence("lamp one in the attic on", house, "en")["entities"] == ["light.attic"]


def test_a_word_that_is_neither_common_nor_in_the_house_is_unknown() -> None:
    assert found("could you please turn on the dishwasher in the kitchen")["unknown"] == ["dishwasher"]
    assert found("could you please turn on the light in the kitchen now")["unknown"] == []


COMMANDS = {
    "en": (
        "turn on the light", "could you turn on the light?", "would you mind turning on the light?", "can you dim it",
        "turn the light on, will you?", "why don't you turn on the light", "is it possible to turn on the light",
        "turn on the light when I come home", "Lights on!", "how about turning on the light?",
    ),
    "de": (
        "mach das Licht an", "kannst du das Licht anmachen?", "würdest du bitte das Licht ausschalten", "Licht an",
        "wärst du so nett, das Licht auszuschalten?",
    ),
    "fr": (
        "allume la lumière", "peux-tu allumer la lumière ?", "est-ce que tu peux fermer les volets ?",
        "ça te dérange d'éteindre la lampe ?",
    ),
    "es": ("enciende la luz", "¿puedes encender la luz?", "¿me apagas la luz?", "¿te importaría cerrar las persianas?"),
    "zh": ("打开灯", "能不能打开灯", "可以把灯打开吗", "麻烦打开灯"),
}  # fmt: skip
QUESTIONS = {
    "en": (
        "is the light on", "are the lights on?", "did you turn off the light", "which lights are on", "how many lamps",
        "what is the temperature", "was the door locked", "can you tell me whether the light is on", "hey, is it on",
        "could you check if the door is locked", "tell me if it is on", "the light is on, isn't it?", "light on?",
        "I wonder if the light is on", "What happens when I turn on the light",
        "have the doors been locked",
    ),
    "de": (
        "ist das Licht an", "welche Lampen sind an", "wie warm ist es", "hast du das Licht ausgemacht?",
        "kannst du mir sagen, ob das Licht an ist", "weißt du ob die Tür zu ist", "was kostet eine Lampe",
    ),
    "fr": (
        "la lumière est-elle allumée", "est-ce que la lumière est allumée", "quelles lumières sont allumées",
        "peux-tu me dire si la porte est fermée", "combien de lampes sont allumées",
    ),
    "es": (
        "está encendida la luz", "¿hay luces encendidas?", "cuántas luces hay",
        "puedes decirme si la luz está encendida",
    ),
    "zh": ("灯开着吗", "灯是不是开着", "哪些灯开着", "能告诉我灯开着吗", "温度是多少"),
}  # fmt: skip
FORBIDDEN = {
    "en": ("don't turn on the light", "please do not open the door", "never unlock the door", "not the desk lamp"),
    "de": ("mach das Licht nicht an", "öffne niemals die Tür", "bitte keine Lampe"),
    "fr": ("n'allume pas la lumière", "ne ferme jamais la porte", "surtout pas la lampe"),
    "es": ("no enciendas la luz", "nunca abras la puerta"),
    "zh": ("不要打开灯", "别关灯"),
}
NOT_FORBIDDEN = {
    "en": ("don't forget to turn off the light", "it is not bright enough", "why don't you turn on the light"),
    "de": ("vergiss nicht, das Licht auszumachen", "es ist nicht hell genug"),
    "fr": ("n'oublie pas d'éteindre la lampe", "il n'y a pas assez de lumière"),
    "es": ("no olvides apagar la luz", "no, la lámpara"),
    "zh": ("别忘了关灯", "特别亮"),
}


def each_of(said: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return all sentences with their languages."""
    return [(language, text) for language, texts in said.items() for text in texts]


@pytest.mark.parametrize(("language", "said"), each_of(COMMANDS))
def test_a_polite_request_is_a_command(language: str, said: str) -> None:
    heard = found(said, language=language)
    assert (heard["is_question"], heard["is_request"]) == (False, True)


@pytest.mark.parametrize(("language", "said"), each_of(QUESTIONS))
def test_a_question_is_no_request(language: str, said: str) -> None:
    heard = found(said, language=language)
    assert (heard["is_question"], heard["is_request"]) == (True, False)


@pytest.mark.parametrize(("language", "said"), each_of(FORBIDDEN))
def test_what_is_forbidden_is_negated(language: str, said: str) -> None:
    assert found(said, language=language)["is_negated"]


@pytest.mark.parametrize(("language", "said"), each_of(NOT_FORBIDDEN))
def test_a_negation_may_forbid_nothing(language: str, said: str) -> None:
    assert not found(said, language=language)["is_negated"]


@pytest.mark.parametrize("said", ["I like your lamp", "we had dinner in the kitchen", "thank you", "I have four lamps"])
def test_a_statement_is_no_request(said: str) -> None:
    assert not found(said)["is_request"]


@pytest.mark.parametrize(
    ("language", "said", "number"),
    [
        ("en", "to 20%", 20), ("en", "to twenty-one point five", 21.5), ("en", "twenty one and a half degrees", 21.5),
        ("en", "half an hour", 30), ("en", "half", 50), ("en", "three quarters", 75), ("en", "1/4", 25),
        ("en", "21,5", 21.5),
        ("en", "a hundred percent", 100), ("en", "fully", 100), ("en", "one hundred and twenty minutes", 120),
        ("en", "an hour", 60), ("de", "auf dreißig Prozent", 30), ("de", "einundzwanzigeinhalb Grad", 21.5),
        ("de", "zur Hälfte", 50), ("de", "einundzwanzig Komma fünf", 21.5), ("fr", "vingt et un degrés et demi", 21.5),
        ("fr", "soixante-quinze pour cent", 75), ("es", "treinta y cinco por ciento", 35),
        ("es", "veintiuno y medio", 21.5),
        ("zh", "百分之五十", 50), ("zh", "二十一度半", 21.5), ("zh", "一半", 50), ("zh", "三分之一", 33),
    ],
)  # fmt: skip
def test_numbers_are_read_from_digits_words_and_fractions(language: str, said: str, number: float) -> None:
    assert number in found(said, language=language)["numbers"]


def test_the_hundred_of_per_cent_and_an_article_are_no_numbers() -> None:
    assert 100 not in found("à trente pour cent", language="fr")["numbers"]
    assert found("make it a bit brighter")["numbers"] == []


@pytest.mark.parametrize(
    ("language", "said", "color"),
    [
        ("en", "make it blue", "blue"),
        ("de", "in rotem Licht, rot", "red"),
        ("fr", "en verte", "green"),
        ("zh", "红色", "red"),
    ],
)
def test_colors_have_their_english_names(language: str, said: str, color: str) -> None:
    assert found(said, language=language)["colors"] == [color]


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [
        ("en", "Yes, please.", "no thanks"), ("en", "sure, go ahead", "nope"),
        ("de", "ja, mach das", "nein, lieber nicht"),
        ("fr", "oui, bien sûr", "non merci"), ("es", "sí, por favor", "no, gracias"), ("zh", "好的", "不用了"),
    ],
)  # fmt: skip
def test_yes_and_no_are_whole_sentences(language: str, yes: str, no: str) -> None:
    assert found(yes, language=language)["says"] == "yes"
    assert found(no, language=language)["says"] == "no"


@pytest.mark.parametrize("said", ["yes, but make it red", "no, the desk lamp", "is it on", "", "desk lamp"])
def test_anything_more_is_neither_yes_nor_no(said: str) -> None:
    assert found(said)["says"] == ""


@pytest.mark.parametrize(
    ("said", "direction"),
    [("brighter", 1), ("turn it up", 1), ("it's too cold", 1), ("lower the lights a little more", -1), ("dim it", -1),
     ("turn it down a bit", -1), ("turn on the light", 0)],
)  # fmt: skip
def test_relative_wishes_have_a_direction(said: str, direction: int) -> None:
    assert found(said)["direction"] == direction


def test_every_language_of_the_board_is_read() -> None:
    heard = evidence("ist die Lampe an", family("", "en", "de"), "en")
    assert heard["is_question"]


def test_of_another_language_names_digits_and_the_question_mark_are_read() -> None:
    heard = found("zet desk lamp op 20", language="nl")
    assert (heard["entities"], heard["numbers"], heard["is_request"]) == (["desk lamp"], [20], True)
    assert found("staat desk lamp aan?", language="nl")["is_question"]


@pytest.mark.parametrize("said", ["", "   ", "?", "{name}", "[x", "\x00", "½", "a" * 10_000, "🙂", "1/0", "的"])
def test_any_text_has_evidence(said: str) -> None:
    assert found(said)["entities"] == []
