"""Covers the sentences of all skills: what is for none of them is left to a model, and what is for the home to it."""

import pytest

from tests.support.units.intent_home import Inhabitant, device, home
from tests.support.units.skill_talk import Talk, talk

OF_OTHERS = (
    "what is the volume of a sphere",
    "the volume of a cube is its side to the third power",
    "how do i calculate the volume of a cylinder",
    "turn up the heat",
    "turn up at five",
    "turn down the offer",
    "put it down to experience",
    "he turned the volume up yesterday",
    "why is the music so loud next door",
    "speak to me about the war",
    "who speaks louder than words",
    "actions speak louder than words",
    "what is louder than a jet engine",
    "is a lion quieter than a tiger",
    "tell me about sound",
    "what is the speed of sound",
    "mute swans live on lakes",
    "what does mute mean",
    "how loud is a thunderstorm",
    "how loud can a human shout",
    "what is the temperature of the sun",
    "how warm is the gulf stream",
    "how hot is lava",
    "what is a cpu",
    "how much memory does the human brain have",
    "how long have humans been on earth",
    "how long has the war been going on",
    "what is an ip address",
    "what is the address of the white house",
    "where can i find a good restaurant",
    "what is your name",
    "what version of the story is true",
    "who are you",
    "how old are you",
    "say something nice",
    "repeat after me hello",
    "say hello to my friend",
    "what did you do yesterday",
    "what did he say",
    "can you say that in french",
    "i did not understand the book",
    "talk about dogs",
    "speak german",
    "do turtles move slower than snails",
    "is light faster than sound",
    "run faster",
    "how can i read faster",
    "what is a list",
    "make a list of the planets",
    "list the planets",
    "list all countries in europe",
    "who is on the wanted list",
    "what is the longest list in python",
    "how do i sort a list",
    "add a pinch of salt to the water",
    "add sugar to my coffee",
    "put the kettle on the stove",
    "put your hands on the table",
    "take me to the shop",
    "take off your shoes",
    "remove the battery",
    "remove the stain from my shirt",
    "how do i remove a stain",
    "delete my account",
    "check the oil",
    "check out this song",
    "cross the street",
    "clear the table",
    "clear the sky",
    "the list is long",
    "i bought milk and eggs",
    "is milk healthy",
    "what do we need to survive",
    "what do i need to know",
    "the weather is nice",
    "the weather was bad yesterday",
    "i like rainy weather",
    "what is weather",
    "how does weather work",
    "what's the difference between weather and climate",
    "who is a weather presenter",
    "how is the weather on mars",
    "what was the weather in paris in 1944",
    "it rains cats and dogs",
    "why does it rain",
    "when was the umbrella invented",
    "do i need a visa",
    "how warm should a bath be",
    "how cold is liquid nitrogen",
    "what is a calendar",
    "who invented the calendar",
    "what is an appointment",
    "i have an appointment with destiny",
    "do i have to go",
    "are there aliens",
    "what are your plans for world domination",
    "am i free to go",
    "what is next",
    "tell me a joke",
    "i can't hear the doorbell",
    "the pizza is burning",
)


@pytest.mark.parametrize("text", OF_OTHERS)
def test_what_is_for_no_skill_is_taken_by_none(text: str) -> None:
    """Questions about the world, statements, and orders to somebody else."""
    assert talk(text) == Talk()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("was ist das Volumen einer Kugel", "de"),
        ("die Musik ist lauter als sonst", "de"),
        ("wer spricht lauter", "de"),
        ("was ist eine Liste", "de"),
        ("das Wetter ist schön", "de"),
        ("warum regnet es", "de"),
        ("setz dich auf den Stuhl", "de"),
        ("was steht in der Bibel", "de"),
        ("quel est le volume d'une sphère", "fr"),
        ("parle moi de la guerre", "fr"),
        ("qui est le plus fort", "fr"),
        ("cuál es el volumen de una esfera", "es"),
        ("quién es más alto", "es"),
        ("baja las escaleras", "es"),
        ("球的体积是多少", "zh-CN"),
        ("声音是什么", "zh-CN"),
        ("他的声音很大", "zh-CN"),
    ],
)
def test_in_other_languages_neither(text: str, language: str) -> None:
    """They have the same traps."""
    assert talk(text, language) == Talk()


@pytest.mark.parametrize(
    ("text", "players", "calls"),
    [
        ("set the television volume to 30 percent", ["television"], [("set_volume", "television", 30)]),
        ("make the television louder", ["television"], [("get_state", "television")]),
        ("louder", ["television"], [("get_state", "television")]),
        ("set the volume to 30 percent", [], [("volume_set", 30.0)]),
        ("louder", [], [("volume_get",)]),
        ("louder", ["television", "radio"], []),
    ],
)
def test_a_player_of_the_home_comes_before_the_boards_loudspeaker(
    text: str, players: list[str], calls: list[tuple[str, ...]]
) -> None:
    """Unless the home would have to ask which one."""
    here = Inhabitant(home([device(each, "media", "living room") for each in players]))

    assert here.calls(text) == calls
