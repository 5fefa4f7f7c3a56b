"""Covers units.intent.candidates: which devices of a house the model is shown."""

import time

import pytest

from tests.units.intent.houses import FAMILY, device, family, home, large
from units.intent.candidates import candidates


def test_the_devices_of_a_named_room_and_kind_come_first() -> None:
    assert {*candidates("turn off the lights in the bedroom", family())[:2]} == {"bedside lamp", "bedroom light"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("make the lamp on the dusk brighter", "desk lamp"),
        ("dusk lamp on", "desk lamp"),
        ("kitchen lied on", "kitchen light"),
        ("turn on the bed side lamp", "bedside lamp"),
        ("switch the cofee machine on", "coffee machine"),
        ("turn on the ceiling lamp", "kitchen light"),
        ("play some jazz in the kitchen", "kitchen radio"),
        ("it is too dark in the bedroom", "bedroom light"),
    ],
)
def test_a_device_is_found_by_what_was_misheard_by_an_alias_and_by_what_is_felt(said: str, meant: str) -> None:
    assert meant in candidates(said, family(), limit=3)


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("mach die Lampe in der Küche an", ["Küchenlicht", "Küchenradio"]),
        ("Küchenlampe an", ["Küchenlicht", "Küchenradio"]),
        ("lauter in der Küche", ["Küchenradio", "Küchenlicht"]),
    ],
)
def test_german_words_for_kinds_and_compounds_find_devices(said: str, names: list[str]) -> None:
    house = home(
        device("Haustür", "lock", "Flur"),
        device("Küchenradio", "media", "Küche"),
        device("Küchenlicht", "light", "Küche"),
        languages=("de",),
    )
    assert candidates(said, house)[:2] == names


@pytest.mark.parametrize("said", ["allume la lampe du salon", "enciende la luz del salon", "打开 salon 的灯"])
def test_words_for_a_lamp_are_known_in_five_languages(said: str) -> None:
    house = home(device("store", "cover", "salon"), device("éclairage", "light", "salon"), languages=("fr",))
    assert candidates(said, house)[0] == "éclairage"


def test_a_chinese_name_is_found_with_and_without_the_particle() -> None:
    house = home(device("卧室灯", "light", "卧室"), device("厨房灯", "light", "厨房"), languages=("zh",))
    assert candidates("打开厨房的灯", house)[0] == candidates("打开厨房灯", house)[0] == "厨房灯"


def test_without_a_name_the_devices_of_the_room_come_first_and_then_one_of_each_kind() -> None:
    found = candidates("what time is it", family("bedroom"))
    assert found[:3] == ["bedside lamp", "bedroom light", "bedroom tv"]
    assert {"kitchen light", "coffee machine", "bathroom fan", "kitchen blinds", "office heater", "front door"} <= {
        *found
    }


def test_two_devices_of_one_name_are_named_by_their_ids() -> None:
    house = home(device("lamp", "light", "kitchen", id="light.a"), device("lamp", "light", "bedroom", id="light.b"))
    assert candidates("turn on the lamp", house) == ["light.a", "light.b"]


@pytest.mark.parametrize("said", ["", " ", "?!", "{name} [x", "\x00", "的的的", "a" * 5000])
def test_any_text_has_candidates(said: str) -> None:
    assert 0 < len(candidates(said, family())) <= 12


@pytest.mark.parametrize("name", ["", "{name} lamp", "[x", "???", "灯", "kitchen", "x " * 50])
def test_any_name_can_stand_in_a_house(name: str) -> None:
    house = home(device(name, "light", "kitchen", id="light.odd"), *FAMILY)
    assert "kitchen light" in candidates("turn on the kitchen light", house)


def test_the_order_is_the_same_each_time() -> None:
    assert candidates("lamp in the kitchen", large(500)) == candidates("lamp in the kitchen", large(500))


@pytest.mark.alone
@pytest.mark.parametrize(("size", "most_ms"), [(500, 10), (5000, 100)])
def test_a_large_house_takes_milliseconds(size: int, most_ms: float) -> None:
    index = large(size)
    said = "turn on the bed room reading light and close the blinds in the office 3 please, then warm up the attic"

    def milliseconds() -> float:
        start = time.perf_counter()
        candidates(said, index)
        return (time.perf_counter() - start) * 1000

    assert min(milliseconds() for _ in range(5)) < most_ms
