"""Covers the intent UnitdLook: sentences about what cameras show, in five languages."""

from typing import Any

import pytest

from tests.support.units.intent_home import DEVICES, Inhabitant, device, home

CAMERAS = [
    device("front door camera", "camera", "hall"),
    device("driveway", "camera", "driveway"),
    device("garden", "camera", "garden"),
    device("porch", "camera", "porch"),
    device("porch", "light", "porch") | {"id": "porch_light"},
]
LOOK_AT = {"name": "look_at", "kinds": ["camera"], "parameters": {}}


def somebody(*devices: dict[str, Any], language: str = "en") -> Inhabitant:
    """Return somebody in a home with these devices beside the usual ones, and with a tool for cameras."""
    data = home([*DEVICES, *devices], languages=[language])
    return Inhabitant({**data, "tools": [*data["tools"], LOOK_AT]})


@pytest.fixture(scope="module")
def resident() -> Inhabitant:
    """Somebody in a home with four cameras, one of them called as a light is."""
    return somebody(*CAMERAS)


@pytest.mark.parametrize(
    ("text", "camera"),
    [
        ("what do you see on the front door camera?", "front door camera"),
        ("can you tell me what you see on the front door camera", "front door camera"),
        ("is there a car on the driveway camera?", "driveway"),
        ("how many people are at the front door camera?", "front door camera"),
        ("who is in front of the front door camera", "front door camera"),
        ("what color is the car on the driveway camera?", "driveway"),
        ("show me the picture of the garden", "garden"),
        ("describe the garden picture", "garden"),
        ("describe a snapshot of the driveway", "driveway"),
        ("look at the driveway camera and tell me what you see", "driveway"),
        ("check the driveway camera", "driveway"),
        ("what is happening on the driveway camera", "driveway"),
        ("on the garden camera, is there a cat?", "garden"),
        ("does the front door camera show a parcel?", "front door camera"),
        ("what do you see on the camera in the hall?", "front door camera"),
        ("what do you see on the porch?", "porch"),
    ],
)
def test_a_question_about_a_camera_looks_at_it(resident: Inhabitant, text: str, camera: str) -> None:
    """What it shows is for a model to say, which is asked what the sentence says."""
    reply = resident.recognize(text)

    assert [(each["name"], each["arguments"]) for each in reply["calls"]] == [("look_at", {"entity": camera})]
    assert reply["intent"] == "UnitdLook"
    assert reply["question"]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("turn on the porch", [("turn_on", "porch_light")]),
        ("is the front door locked?", [("get_state", "front door")]),
        ("lock the front door", [("lock", "front door")]),
        ("what do you see?", []),
        ("what do you see in this picture?", []),
        ("describe this picture", []),
        ("what is the best camera for a garden?", []),
        ("tell me a joke about a camera", []),
        ("turn on the front door camera", []),
        ("turn off the lights in the kitchen", [("turn_off", "kitchen light"), ("turn_off", "counter lamp")]),
    ],
)
def test_other_sentences_mean_what_they_mean(resident: Inhabitant, text: str, calls: list[tuple[str, str]]) -> None:
    """A camera may have the name of a place, or of a light; and a client may show pictures of its own."""
    assert resident.calls(text) == calls


def test_without_a_camera_the_camera_is_that_of_the_client() -> None:
    """A task may be linked with one, and its model sees the newest frame."""
    reply = somebody().recognize("what do you see on the camera?")

    assert {"calls", "answer"}.isdisjoint(reply)


def test_the_only_camera_is_the_camera() -> None:
    """Nobody has to say where it is."""
    assert somebody(CAMERAS[0]).calls("what do you see on the camera?") == [("look_at", "front door camera")]


def test_of_several_cameras_it_asks_which(resident: Inhabitant) -> None:
    """The reply looks, and the model is asked what was asked first."""
    which = resident.recognize("is there a cat on the camera?")["answer"]

    reply = resident.recognize("the garden")

    assert which == "Which one do you mean: the front door camera, the driveway, the garden or the porch?"
    assert reply["calls"][0]["arguments"] == {"entity": "garden"}
    assert reply["question"] == "is there a cat on the camera?"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("what do you see on the attic camera?", "There is no device called attic."),
        ("what do you see in the kitchen?", "There is no such device in the kitchen."),
    ],
)
def test_a_camera_that_is_not_there_is_told(resident: Inhabitant, text: str, answer: str) -> None:
    """Neither by its name nor by its place."""
    assert resident.say(text) == ([], answer)


def test_a_wish_beside_the_question_is_done_too(resident: Inhabitant) -> None:
    """The answer tells of the wish alone, and the model is asked the question alone."""
    reply = resident.recognize("turn on the kitchen light and show me the garden camera")
    outcomes = [{"is_done": True, "text": "", "state": None}] * 2

    told = resident.tell("outcomes", turn=reply["turn"], outcomes=outcomes)

    assert [each["name"] for each in reply["calls"]] == ["turn_on", "look_at"]
    assert (told["answer"], told["question"]) == ("Turned on the light", "show me the garden camera")


def test_a_picture_that_was_fetched_is_not_told(resident: Inhabitant) -> None:
    """The model says what it shows."""
    assert resident.say("show me the garden camera") == ([("look_at", "garden")], "")


NAMES = {"de": "Haustürkamera", "fr": "caméra de l'entrée", "es": "cámara de la entrada", "zh-CN": "门口摄像头"}
FAILED = {
    "de": "Haustürkamera: Das hat nicht geklappt, dieses Modell sieht keine Bilder.",
    "fr": "Cela n'a pas marché pour caméra de l'entrée : ce modèle ne voit pas les images.",
    "es": "No ha funcionado con cámara de la entrada: este modelo no ve imágenes.",
    "zh-CN": "门口摄像头没有成功：这个模型看不了图片。",  # noqa: RUF001
}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "was siehst du auf der Haustürkamera?"),
        ("de", "wie viele Leute sind auf der Haustürkamera zu sehen?"),
        ("de", "siehst du auf der Haustürkamera ein Paket"),
        ("de", "beschreibe das Bild der Haustürkamera"),
        ("fr", "que vois-tu sur la caméra de l'entrée ?"),
        ("fr", "y a-t-il une voiture sur la caméra de l'entrée ?"),
        ("fr", "décris l'image de la caméra de l'entrée"),
        ("es", "¿qué ves en la cámara de la entrada?"),
        ("es", "¿hay un coche en la cámara de la entrada?"),
        ("es", "muéstrame la imagen de la cámara de la entrada"),
        ("zh-CN", "门口摄像头看到什么"),
        ("zh-CN", "门口摄像头里有车吗?"),
        ("zh-CN", "描述一下门口摄像头的画面"),
    ],
)
def test_other_languages_have_these_sentences_as_well(language: str, text: str) -> None:
    """A failure is told in the language of the sentence."""
    name = NAMES[language]
    found = somebody(device(name, "camera"), language=language)
    found.failing, found.reasons = {name: "x"}, {name: {"reason": "no_vision"}}

    assert found.say(text) == ([("look_at", name)], FAILED[language])
