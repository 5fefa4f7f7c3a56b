"""Covers units.intent.skills.volume and units.intent.values.percent: sentences about the board's loudspeaker."""

import pytest

from tests.support.units.intent_home import Inhabitant, device, home
from tests.support.units.skill_talk import meant, talk
from units.intent.values.percent import read_percent, read_points

OF_VOLUME = [
    ("en", "set the volume to 30 percent", "set", 30),
    ("en", "Set the volume to thirty percent.", "set", 30),
    ("en", "set volume to 70%", "set", 70),
    ("en", "volume 5", "set", 50),
    ("en", "turn the volume up to seven", "set", 70),
    ("en", "put the volume at half", "set", 50),
    ("en", "volume to max", "set", 100),
    ("en", "turn it down to 20 percent", "set", 20),
    ("en", "louder", "up", None),
    ("en", "a bit louder please", "up", None),
    ("en", "make it louder", "up", None),
    ("en", "speak louder", "up", None),
    ("en", "turn it up", "up", None),
    ("en", "turn up the volume", "up", None),
    ("en", "volume up", "up", None),
    ("en", "raise the volume by 15 percent", "up", None),
    ("en", "you're too quiet", "up", None),
    ("en", "quieter", "down", None),
    ("en", "turn it down a bit", "down", None),
    ("en", "turn down the volume a little", "down", None),
    ("en", "not so loud", "down", None),
    ("en", "you're too loud", "down", None),
    ("en", "mute", "mute", None),
    ("en", "mute the sound", "mute", None),
    ("en", "unmute", "unmute", None),
    ("en", "turn the sound back on", "unmute", None),
    ("en", "how loud is it", "tell", None),
    ("en", "what's the volume", "tell", None),
    ("en", "i can barely hear you", "up", None),
    ("en", "could you pump up the sound a little", "up", None),
    ("en", "your voice is too low", "up", None),
    ("en", "it's not loud enough", "up", None),
    ("en", "why are you so loud", "down", None),
    ("en", "keep your voice down the baby is sleeping", "down", None),
    ("en", "turn it all the way up", "set", 100),
    ("en", "change the volume from thirty to sixty", "set", 60),
    ("en", "no sound please", "mute", None),
    ("en", "bring the audio back", "unmute", None),
    ("en", "is the sound on", "tell", None),
    ("en", "computer the volume has to stay at 3 from now on", "set", 30),
    ("en", "raise the volume of your vocals", "up", None),
    ("en", "i can't hear can you raise the sound", "up", None),
    ("en", "you speak far too softly", "up", None),
    ("en", "don't speak so quietly", "up", None),
    ("en", "don't speak so loudly", "down", None),
    ("en", "slow the volume down", "down", None),
    ("en", "reduce by 15 percent", "down", None),
    ("en", "crank the sound", "up", None),
    ("en", "do not say a word unless asked to", "mute", None),
    ("en", "no more noise", "mute", None),
    ("en", "a volume of 30 is fine", "set", 30),
    ("en", "turn it down, i have a headache", "down", None),
    ("en", "my phone is ringing, mute please", "mute", None),
    ("en", "mute for a minute here i have to take a call", "mute", None),
    ("en", "up a notch", "up", None),
    ("en", "what level is the sound set to", "tell", None),
    ("en", "volume?", "tell", None),
    ("en", "take it off mute", "unmute", None),
    ("en", "double the volume", "double", None),
    ("en", "cut the volume in half", "halve", None),
    ("en", "turn off the sound of the speakers", "mute", None),
    ("de", "ich kann dich kaum verstehen", "up", None),
    ("de", "die Lautstärke ist zu hoch", "down", None),
    ("de", "Lautstärke Stufe 3", "set", 30),
    ("de", "können Sie die Lautstärke verringern", "down", None),
    ("fr", "le volume est trop élevé", "down", None),
    ("fr", "je ne t'entends pas", "up", None),
    ("es", "puedes bajar el volumen", "down", None),
    ("es", "no te oigo", "up", None),
    ("es", "suena un poco más alto", "up", None),
    ("es", "está muy bajo", "up", None),
    ("es", "qué volumen tienes ahora", "tell", None),
    ("de", "dreh die Medienlautstärke auf", "up", None),
    ("de", "hebe die Stummschaltung wieder auf", "unmute", None),
    ("fr", "à quel niveau est le volume", "tell", None),
    ("zh-CN", "声音有点小", "up", None),
    ("zh-CN", "太吵了", "down", None),
    ("de", "stell die Lautstärke auf 30 Prozent", "set", 30),
    ("de", "Lautstärke fünf", "set", 50),
    ("de", "dreh die Lautstärke auf fünfunddreißig Prozent", "set", 35),
    ("de", "lauter", "up", None),
    ("de", "mach mal etwas lauter", "up", None),
    ("de", "sprich lauter", "up", None),
    ("de", "leiser bitte", "down", None),
    ("de", "du bist zu laut", "down", None),
    ("de", "stummschalten", "mute", None),
    ("de", "Ton wieder an", "unmute", None),
    ("de", "wie laut ist es", "tell", None),
    ("fr", "mets le volume à 40 pour cent", "set", 40),
    ("fr", "volume à cinq", "set", 50),
    ("fr", "plus fort", "up", None),
    ("fr", "parle un peu plus fort", "up", None),
    ("fr", "baisse le volume", "down", None),
    ("fr", "moins fort s'il te plaît", "down", None),
    ("fr", "coupe le son", "mute", None),
    ("fr", "remets le son", "unmute", None),
    ("fr", "quel est le volume", "tell", None),
    ("es", "pon el volumen al 40 por ciento", "set", 40),
    ("es", "volumen cinco", "set", 50),
    ("es", "más alto", "up", None),
    ("es", "sube el volumen un poco", "up", None),
    ("es", "baja el volumen", "down", None),
    ("es", "silencia el sonido", "mute", None),
    ("es", "activa el sonido", "unmute", None),
    ("es", "cuál es el volumen", "tell", None),
    ("zh-CN", "把音量调到百分之三十", "set", 30),
    ("zh-CN", "音量五", "set", 50),
    ("zh-CN", "大声一点", "up", None),
    ("zh-CN", "调高音量", "up", None),
    ("zh-CN", "小声点", "down", None),
    ("zh-CN", "把声音调小一点", "down", None),
    ("zh-CN", "静音", "mute", None),
    ("zh-CN", "取消静音", "unmute", None),
    ("zh-CN", "现在音量是多少", "tell", None),
]


@pytest.mark.parametrize(("language", "text", "intent", "percent"), OF_VOLUME)
def test_a_sentence_about_the_volume_is_understood(
    language: str, text: str, intent: str, percent: float | None
) -> None:
    """As a percentage, or as a number of ten."""
    match = meant(text, language)

    assert match is not None
    assert (match.skill.name, match.slots["wish"].do) == ("volume", intent)
    assert match.slots["wish"].percent == percent


@pytest.mark.parametrize(
    ("words", "language", "percent"),
    [
        ("30", "en", 30.0),
        ("10", "en", 100.0),
        ("10 percent", "en", 10.0),
        ("7 out of 10", "en", 70.0),
        ("two thirds", "en", 67.0),
        ("101", "en", None),
        ("a sphere", "en", None),
        ("dreißig Prozent", "de", 30.0),
        ("百分之五", "zh-CN", 5.0),
        ("30", "xx", None),
    ],
)
def test_a_percentage_is_read(words: str, language: str, percent: float | None) -> None:
    """Small numbers alone are of ten, as on the knob of a radio."""
    assert read_percent(words, language) == percent


def test_a_step_is_in_percent() -> None:
    """Also a small one."""
    assert read_points("5", "en") == 5.0
    assert read_points("twenty percent", "en") == 20.0
    assert read_points("a lot", "en") is None


@pytest.mark.parametrize(
    ("text", "percent", "wanted"),
    [
        ("louder", 50, 60),
        ("a bit louder", 50, 55),
        ("much louder", 50, 75),
        ("turn the volume up by 30 percent", 50, 80),
        ("louder", 95, 100),
        ("quieter", 8, 5),
        ("quieter", 3, 3),
        ("lower the volume by fifty percent", 50, 25),
        ("turn it down two notches", 50, 30),
        ("quieter", 0, 0),
    ],
)
def test_louder_and_quieter_are_steps(text: str, percent: int, wanted: int) -> None:
    """Up to all; down to where the answer can still be heard."""
    conversation = talk(text, volume_get={"percent": percent, "is_muted": False})

    assert conversation.calls[-1] == ("volume_set", {"percent": wanted})


@pytest.mark.parametrize(
    ("text", "seconds", "length"),
    [
        ("mute for ten minutes", 600, "10 minutes"),
        ("don't speak for half an hour please", 1800, "30 minutes"),
        ("stay quiet for the next hour", 3600, "1 hour"),
    ],
)
def test_silence_for_a_time_ends_with_a_timer(text: str, seconds: float, length: str) -> None:
    """The timer has the order that ends it."""
    conversation = talk(text, volume_mute={"percent": 50, "is_muted": True}, timer_start={"timer": {}})

    assert conversation.calls == [
        ("volume_mute", {"is_muted": True}),
        ("timer_start", {"seconds": seconds, "command": "unmute"}),
    ]
    assert conversation.answer == f"The sound is off for {length}."


def test_silence_whose_end_cannot_be_kept_says_so() -> None:
    """The sound is off all the same."""
    conversation = talk(
        "mute for an hour", reasons={"timer": "too_many"}, volume_mute={"percent": 50, "is_muted": True}
    )

    assert conversation.answer == "The sound is off. I could not set when it comes back."


@pytest.mark.parametrize(
    "text",
    [
        "turn it up for five minutes",
        "turn up the volume of the television",
        "increase the brightness by 10 percent",
        "use the whisper voice",
        "drop some beats",
        "play ninety nine",
        "do not talk to strangers",
        "mute until my mother comes",
    ],
)
def test_what_is_not_about_the_loudspeaker_is_left(text: str) -> None:
    """Also what would be understood only in part."""
    match = meant(text)

    assert match is None or match.skill.name != "volume"


def test_without_a_loudspeaker_the_answer_says_so() -> None:
    """Whatever is asked."""
    answers = {talk(text, reasons={"volume": "no_loudspeaker"}).answer for text in ("mute", "louder", "volume 5")}

    assert answers == {"I have no loudspeaker here."}


@pytest.mark.parametrize(("text", "is_board"), [("the volume should be lower", False), ("you are too loud", True)])
def test_where_there_is_a_player_only_the_own_voice_is_the_boards(text: str, is_board: bool) -> None:
    """In the room of a player the sound may be the player's: the home, or its model, is to say so."""
    somebody = Inhabitant(home([device("radio", "media", "kitchen"), device("lamp", "light", "office")]))

    with_player, without = (somebody.calls(text, area=room) for room in ("kitchen", "office"))

    assert (bool(with_player), bool(without)) == (is_board, True)
