"""Covers the skills that compute (clock, sums, conversions) together: what is for none of them, time and memory."""

import statistics
import subprocess
import sys
import time

import pytest

from tests.units.intent.skills.asking import answered
from units.intent.skills.clock import SKILL as CLOCK
from units.intent.skills.conversions import SKILL as CONVERSIONS
from units.intent.skills.sums import SKILL as SUMS

SKILLS = (CLOCK, CONVERSIONS, SUMS)

MOST_SECONDS = 0.01
"""For a sentence, in the median."""

MOST_BYTES = 4 << 20
"""For the skills in one language, without what babel needs."""

FOR_OTHERS = {
    "en": [
        "what is love",
        "what time does the shop close",
        "how many people live in Berlin",
        "what is the time signature of a waltz",
        "two and two",
        "what is 12 in roman numerals",
        "who invented the clock",
        "tell me a story about time travel",
        "what is time",
        "time flies",
        "how much time do I have to cook an egg",
        "how long does it take to get to Paris",
        "how long is the Great Wall",
        "when did the Second World War end",
        "when does the sun set",
        "what day does the trash get picked up",
        "what is the date of the next election",
        "what's the difference between a lion and a tiger",
        "is there a difference between us",
        "what is the product of photosynthesis",
        "what is the sum of human knowledge",
        "what's the average height of a giraffe",
        "add milk to the shopping list",
        "add two liters of milk to the list",
        "take me to Paris",
        "divide the cake among the children",
        "multiply and be fruitful",
        "increase the brightness by 20 percent",
        "set the temperature to 20 degrees",
        "set the volume to 50 percent",
        "set an alarm for 7 am",
        "wake me up at half past six",
        "remind me in 20 minutes to turn off the oven",
        "how warm is it in the living room",
        "what is the temperature in celsius",
        "how many lights are on",
        "how many minutes are left on the timer",
        "how much is a ticket to London",
        "how many cups of coffee can I drink",
        "how many calories are in an egg",
        "how old are you",
        "how far is the moon",
        "how tall is the Eiffel Tower in meters",
        "what does a pound of apples cost",
        "convert this text to speech",
        "what is the currency of Japan",
        "what is the capital of France",
        "where is Tokyo",
        "call me at 5",
        "my birthday is on the 3rd of March",
        "I was born in 1984",
        "the meeting is on Friday",
        "see you on Monday",
        "it is Christmas",
        "it is five o'clock somewhere",
        "I have two cats and three dogs",
        "the score is 3 to 2",
        "play the year 3000",
        "play 24 hours by Tom",
        "stop",
        "never mind",
        "good night",
    ],
    "de": [
        "was ist liebe",
        "wann schließt der Laden",
        "wie viele Menschen leben in Berlin",
        "wie lange kocht ein Ei",
        "wann geht die Sonne unter",
        "stell einen Timer auf fünf Minuten",
        "wecke mich um halb sieben",
        "mach das Licht um 20 Prozent heller",
        "wie warm ist es im Wohnzimmer",
        "wie hoch ist der Eiffelturm",
        "was kostet ein Pfund Äpfel",
        "wie alt bist du",
        "zwei und zwei",
        "die Sitzung ist am Freitag",
        "es ist Weihnachten",
        "mal mir ein Bild",
    ],
    "fr": [
        "qu'est-ce que l'amour",
        "à quelle heure ferme le magasin",
        "combien de personnes vivent à Paris",
        "combien de temps cuit un œuf",
        "mets un minuteur de cinq minutes",
        "réveille-moi à sept heures",
        "quelle température fait-il dans le salon",
        "combien coûte un kilo de pommes",
        "quelle est la capitale du Japon",
        "deux et deux",
        "raconte-moi une histoire",
    ],
    "es": [
        "qué es el amor",
        "a qué hora cierra la tienda",
        "cuántas personas viven en Madrid",
        "pon un temporizador de cinco minutos",
        "despiértame a las siete",
        "cuánto cuesta un kilo de manzanas",
        "cuál es la capital de Japón",
        "dos y dos",
        "qué temperatura hace en el salón",
        "cuéntame un cuento",
    ],
    "zh-CN": [
        "什么是爱",
        "商店几点关门",
        "柏林有多少人",
        "设一个五分钟的定时器",
        "明天早上七点叫我",
        "苹果多少钱一斤",
        "日本的首都是哪里",
        "把灯调亮百分之二十",
        "讲个故事",
        "你几岁了",
    ],
}


@pytest.mark.parametrize(
    ("language", "sentence"), [(language, each) for language, listed in FOR_OTHERS.items() for each in listed]
)
def test_a_sentence_for_others_is_left(language: str, sentence: str) -> None:
    """What is for the home, for timers or for the model is for no skill that computes."""
    assert answered(sentence, SKILLS, language) is None


@pytest.mark.alone
def test_a_sentence_is_quick() -> None:
    """A sentence takes some milliseconds, whether it is for a skill or not."""
    sentences = [
        "what time is it in Tokyo",
        "how many days until the 24th of December",
        "what is three hundred forty five plus six hundred seventy eight",
        "how many cups is a litre",
        *FOR_OTHERS["en"],
    ]
    for sentence in sentences:
        answered(sentence, SKILLS)

    seconds = []
    for sentence in sentences:
        begun = time.process_time()
        answered(sentence, SKILLS)
        seconds.append(time.process_time() - begun)

    assert statistics.median(seconds) < MOST_SECONDS
    assert max(seconds) < 5 * MOST_SECONDS


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh-CN"])
def test_the_skills_of_one_language_are_small(language: str) -> None:
    """Texts and readers of one language take little memory, besides what babel loads for it."""
    program = f"""
import tracemalloc
import units.intent.unit
from units.intent.skills.matcher import SkillMatcher
from units.intent.library import settings_of
from units.intent.values.locales import locale_of
import babel.dates, babel.numbers
locale_of("{language}").time_zones, locale_of("{language}").territories, settings_of("{language}")
tracemalloc.start()
from units.intent.skills import clock, conversions, sums
matcher = SkillMatcher("{language}", [clock.SKILL, conversions.SKILL, sums.SKILL])
from units.intent.values.place import read_place
read_place("Tokyo", "{language}")
print(tracemalloc.get_traced_memory()[0])
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, capture_output=True, text=True)

    assert int(done.stdout) < MOST_BYTES
