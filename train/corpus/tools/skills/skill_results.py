"""What the daemon answers for a skill: whole sentences, which the assistant repeats word for word.

The numbers of sums and the like are not computed: a result is to be repeated, whatever it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from train.corpus.names import invented, person
from train.corpus.numbers import in_words
from train.corpus.tools.skills.skill_amounts import UNITS
from train.corpus.tools.skills.skill_fillers import LENGTHS, ORDINALS, words
from train.corpus.tools.skills.skill_times import MONTHS, SECONDS, WEEKDAYS, length_told

Told = Mapping[str, str]
"""The arguments in the daemon's words, without those that were not said."""

SKIES = (
    "clear",
    "cloudy",
    "foggy",
    "thundery",
    "partly cloudy",
    "pouring",
    "rainy",
    "snowy",
    "sunny",
    "windy",
    "hailing",
)
NO_REASON = "That did not work."


def _left(rng: random.Random) -> str:
    return length_told(rng.choice((rng.randint(5, 300), rng.randint(60, 5000), 60 * rng.randint(1, 90))))


def _clock(rng: random.Random) -> str:
    minute = rng.choice((0, 30, rng.randrange(60)))
    return f"{rng.randint(1, 12)}{f':{minute:02}' if minute else ''} {rng.choice(('AM', 'PM'))}"


def _when(rng: random.Random) -> str:
    day = rng.choice(("today", "tomorrow", "on weekdays", "every day", f"on {rng.choice(WEEKDAYS).capitalize()}"))
    return f"{_clock(rng)} {day}"


def _date(rng: random.Random) -> str:
    month, day = rng.choice(MONTHS), rng.randint(1, 28)
    return (
        f"{rng.choice(WEEKDAYS).capitalize()}, {month} {day}, {rng.choice((2026, 2027, 2028, rng.randint(1950, 2060)))}"
    )


def _number(rng: random.Random) -> str:
    return rng.choice((str(rng.randint(0, 200)), f"{rng.randint(0, 99999):,}",
                       f"{rng.randint(0, 500)}.{rng.randint(1, 99)}",
                       f"{rng.choice((-1, 1)) * rng.randint(1, 50)}"))  # fmt: skip


def _timer(rng: random.Random, told: Told) -> str:
    name = told.get("name") or told.get("which", "")
    if name and not {"one", "minute", "hour", "min", "all", "every", "both", *ORDINALS, *LENGTHS} & set(name.split()):
        return f"{name} timer"
    return f"timer for {told.get('length') or _left(rng)}"


def _start_timer(rng: random.Random, told: Told) -> str:
    name = told.get("name", "")
    if not told.get("length"):
        return "For how long?"
    return f"{f'Your {name} timer' if name else 'The timer'} is set for {told['length']}."


def _change_timer(rng: random.Random, told: Told) -> str:
    label, change = _timer(rng, {"name": told.get("name", "")}), told["change"]
    if change in ("add", "subtract"):
        if not told.get("length"):
            return "By how much?"
        is_short = change == "subtract" and rng.random() < 0.15
        return f"The {label} has only {_left(rng)} left." if is_short else f"The {label} now has {_left(rng)} left."
    if change == "pause":
        return f"The {label} is paused with {_left(rng)} left."
    return f"The {label} goes on, with {_left(rng)} left." if change == "resume" else f"The {label} starts again."


def _cancelled(rng: random.Random, told: Told, kind: str) -> str:
    which = told.get("which", "")
    if which.startswith(("all", "every", "both", "any")):
        return f"{'Both' if which == 'both' else f'All {rng.randint(2, 7)}'} are cancelled."
    chance = rng.random()
    if chance < 0.1:
        return f"There is no {kind}." if not which else f"There is no such {kind}."
    if chance < 0.2 and not which:
        names = [f"the {rng.choice(words('timer names'))} {kind}" for _ in range(2)]
        return f"Which one: {names[0]} or {names[1]}?"
    if kind == "alarm":
        return f"The {_clock(rng) if chance < 0.7 else rng.choice(words('alarm names'))} alarm is cancelled."
    return f"The {_timer(rng, told)} is cancelled."


def _ask_timer(rng: random.Random, told: Told) -> str:
    chance = rng.random()
    if chance < 0.12:
        return "There is no such timer." if told.get("which") else "There is no timer."
    first = f"{_left(rng)} left on the {_timer(rng, told)}."
    if chance < 0.72:
        return first
    if chance < 0.8:
        return f"the {_timer(rng, told)} is paused with {_left(rng)} left.".capitalize()
    return f"{first} {_left(rng)} left on the {rng.choice(words('timer names'))} timer."


def _set_alarm(rng: random.Random, told: Told) -> str:
    if not told.get("when"):
        return "At what time?"
    when = told["when"] if any(sign.isdigit() for sign in told["when"]) else _when(rng)
    when = when.removeprefix("at ")
    name = told.get("name", "")
    at = "" if when.startswith("in ") else "at "
    if not name and rng.random() < 0.5:
        return f"I will wake you {at}{when}."
    return f"{f'Your {name} alarm' if name else 'The alarm'} is set for {when.removeprefix('in ')}."


def _ask_alarm(rng: random.Random, told: Told) -> str:
    chance = rng.random()
    if chance < 0.15:
        return "There is no alarm."
    named = f"The {rng.choice(words('alarm names'))} alarm"
    alarms = [
        f"{rng.choice(('An alarm', 'An alarm', named))} is set for {_when(rng)}" for _ in "12"[: rng.randint(1, 2)]
    ]
    if chance < 0.35:
        alarms[0] += f", in {rng.randint(2, 20)} hours"
    return " ".join(f"{alarm}." for alarm in alarms)


def _remind(rng: random.Random, told: Told) -> str:
    if not told.get("when"):
        return "When should I remind you?"
    when = told["when"] if told["when"].startswith(("at ", "in ")) else f"at {_when(rng)}"
    what = told.get("what", "")
    return f"I will remind you {when}{f': {what}' if what else ''}."


def _get_time(rng: random.Random, told: Told) -> str:
    if not told.get("place"):
        return f"It is {_clock(rng)}."
    place, chance = told["place"], rng.random()
    if chance < 0.07:
        return f"I do not know the time zone of {place}."
    day = f" on {rng.choice(WEEKDAYS).capitalize()}" if chance < 0.35 else ""
    several = " Other parts of the country have other times." if chance > 0.88 else ""
    return f"It is {_clock(rng)}{day} in {place}.{several}"


def _get_date(rng: random.Random, told: Told) -> str:
    if not told.get("day"):
        return rng.choice((f"It is {_date(rng)}.", f"It is {_date(rng)}.", f"It is {rng.choice(MONTHS)}.",
                           "It is 2027.",
                           f"It is week {rng.randint(1, 52)}."))  # fmt: skip
    return rng.choice((f"That is {_date(rng)}.", f"That is {_date(rng)}.", f"That was {_date(rng)}.",
                       f"That is tomorrow, {_date(rng)}.", f"That is today, {_date(rng)}."))  # fmt: skip


def _count_days(rng: random.Random, told: Told) -> str:
    weeks, days = rng.randint(2, 40), rng.randint(1, 6)
    return rng.choice((
        f"It is {rng.randint(2, 364)} days until {_date(rng)}.",
        f"It is {rng.randint(2, 364)} days until {_date(rng)}.",
        f"It is {weeks} weeks and {days} days until {_date(rng)}.",
        f"That was {rng.randint(2, 900)} days ago, on {_date(rng)}.",
        f"It is {_left(rng)} until then.", f"It is {rng.randint(2, 11)} months and {days} days until {_date(rng)}.",
        f"That is tomorrow, {_date(rng)}.",
    ))  # fmt: skip


def _calculate(rng: random.Random, told: Told) -> str:
    chance = rng.random()
    if chance < 0.05:
        return rng.choice(("Nothing can be divided by zero.", "That number is too large for me.", "Tell me the sum.",
                           "No real number is the result of that."))  # fmt: skip
    about = "about " if chance < 0.3 else ""
    percent = " percent" if "percent" in told.get("sum", "") and "in percent" in told["sum"] else ""
    return f"That is {about}{_number(rng)}{percent}."


def _convert(rng: random.Random, told: Told) -> str:
    kind = rng.choice(list(UNITS))
    if any(word in told.get("unit", "") for word in ("dollar", "euro", "yen", "franc", "rupee", "peso", "buck", "USD")):
        return "I have no exchange rates."
    first, second = (unit.split("|")[0] for unit in rng.sample(UNITS[kind], 2))
    given = told.get("amount") or f"{rng.randint(2, 90)} {first}"
    return f"{given[:1].upper()}{given[1:]} is {rng.choice(('', 'about '))}{_number(rng)} {told.get('unit') or second}."


def _board_volume(rng: random.Random, told: Told) -> str:
    change = told.get("change", "")
    if rng.random() < 0.06:
        return rng.choice(("I have no loudspeaker here.", "I could not change the volume."))
    if change.startswith(("mute", "off", "silen", "no sound", "kill")):
        return rng.choice(("The sound is off.", f"The sound is off; it was at {rng.randint(5, 100)} percent."))
    stays = "stays" if rng.random() < 0.1 else "is"
    return f"The volume {stays} at {rng.choice((5 * rng.randint(1, 20), rng.randint(1, 100)))} percent."


def _list(told: Told) -> str:
    name = told.get("list", "")
    return f"the {name if name not in ('', 'groceries', 'grocery') else 'shopping'} list"


def _some(rng: random.Random) -> str:
    things = rng.sample(list(words("items")), rng.choice((1, 2, 3, 3, 4, 5, 6)))
    return f"{', '.join(things[:-1])} and {things[-1]}" if len(things) > 1 else things[0]


def _add_to_list(rng: random.Random, told: Told) -> str:
    if not told.get("item"):
        return f"What shall I add to {_list(told)}?"
    if rng.random() < 0.08:
        return f"{told['item'].capitalize()} is on {_list(told)} already."
    return f"I have added {told['item']} to {_list(told)}."


def _remove_from_list(rng: random.Random, told: Told) -> str:
    if not told.get("item"):
        return f"What shall I remove from {_list(told)}?"
    done = rng.choice(("removed {} from", "removed {} from", "ticked off {} on"))
    if rng.random() < 0.1:
        return f"There is no {told['item']} on your lists."
    return f"I have {done.format(told['item'])} {_list(told)}."


def _read_list(rng: random.Random, told: Told) -> str:
    if rng.random() < 0.12:
        return f"There is nothing on {_list(told)}."
    return f"On {_list(told)}: {_some(rng)}."


def _clear_list(rng: random.Random, told: Told) -> str:
    count = rng.choice(("the only item", f"all {rng.randint(2, 20)} items"))
    the = _list(told)
    return rng.choice((f"Shall I remove {count} from {the}?", f"{the[:1].upper()}{the[1:]} is empty now."))


def _speak(rng: random.Random, told: Told) -> str:
    if told["change"] == "repeat":
        makers = [make for name, make in RESULTS.items() if name not in ("speak", "change_timer", "board_info")]
        return rng.choice(makers)(rng, {}) if rng.random() < 0.9 else "I have not said anything yet."
    change = told["change"]
    if change == "normal":
        return "I speak at my usual speed again."
    return f"I cannot speak {change} than this." if rng.random() < 0.12 else f"I speak {change} now."


def _weather(rng: random.Random, told: Told) -> str:
    low = rng.randint(-8, 24)
    day = rng.choice(
        ("Today", "Tomorrow", "Tonight", "The day after tomorrow", f"On {rng.choice(WEEKDAYS).capitalize()}")
    )
    sky, chance = rng.choice(SKIES), rng.random()
    if told.get("place") and chance < 0.5:
        return "I know the weather of this place only."
    return rng.choice((
        f"It is {sky} and {low} degrees now. Today {rng.choice(SKIES)}, {low} to {low + rng.randint(2, 12)} degrees.",
        f"{day} {sky}, {low} to {low + rng.randint(2, 12)} degrees.", f"{day} {sky}, {low} degrees.",
        f"{day} it will be {low} to {low + rng.randint(2, 12)} degrees.", f"It has {low} degrees outside.",
        f"Yes, {day.lower()} it is going to rain, with {rng.randint(30, 99)} percent probability.",
        f"No, {day.lower()} it is not going to rain: the probability is {rng.randint(0, 30)} percent.",
        f"No, {day.lower()} it is not going to snow.", "I have no forecast for that time.",
    ))  # fmt: skip


def _calendar(rng: random.Random, told: Told) -> str:
    day = rng.choice(("today", "tomorrow", f"on {rng.choice(WEEKDAYS).capitalize()}", "the day after tomorrow"))
    events = [f"{rng.choice(words('alarm names'))} at {_clock(rng)}", f"lunch with {person(rng)} at {_clock(rng)}",
              f"{invented(rng)} at {_clock(rng)}", f"{person(rng)}'s birthday"]  # fmt: skip
    rng.shuffle(events)
    count = rng.randint(2, 3)
    said = f"{', '.join(events[: count - 1])} and {events[count - 1]}"
    return rng.choice((
        f"You have one appointment {day}: {events[0]}.", f"You have {count} appointments {day}: {said}.",
        f"You have no appointments {day}.", f"Your next appointment is {day}: {events[0]}.",
        "You have no appointments in the next two weeks.",
    ))  # fmt: skip


def _board_info(rng: random.Random, told: Told) -> str:
    name = rng.choice((invented(rng), "unitd", "kitchen", f"board-{rng.randint(1, 9)}", f"{invented(rng)}-pi"))
    address = ".".join(("192", "168", str(rng.randint(0, 254)), str(rng.randint(2, 254))))
    answers: dict[str, tuple[str, ...]] = {
        "address": (f"My address is {address}.", f"My address is 10.0.{rng.randint(0, 9)}.{rng.randint(2, 254)}.",
                    "I am in no network."),
        "temperature": (f"I am at {rng.randint(30, 85)}{rng.choice(('', '.5'))} degrees Celsius.",) * 4
        + ("This board has no sensor for its temperature.",),
        "memory": (f"{rng.randint(4, 98)} percent of my memory is in use.",),
        "uptime": (f"I have been running for {length_told(rng.randint(100, 900000))}.",),
        "name": (f"My name in the network is {name}.",),
        "version": (f"I run version {rng.randint(0, 3)}.{rng.randint(0, 20)}.{rng.randint(0, 9)} of unitd.",),
    }  # fmt: skip
    return rng.choice(answers[told["what"]])


def _snooze(rng: random.Random, told: Told) -> str:
    if rng.random() < 0.15:
        return "Nothing is ringing."
    return f"I will ring again in {told.get('length') or '9 minutes'}."


def _stop(rng: random.Random, told: Told) -> str:
    name = rng.choice(words("timer names"))
    return rng.choice((f"The {name} timer has stopped.", f"The {_clock(rng)} alarm has stopped.", "Nothing is ringing.",
                       "Both have stopped.", f"The timer for {_left(rng)} has stopped."))  # fmt: skip


RESULTS: Mapping[str, Callable[[random.Random, Told], str]] = {
    "start_timer": _start_timer,
    "change_timer": _change_timer,
    "cancel_timer": lambda rng, told: _cancelled(rng, told, "timer"),
    "ask_timer": _ask_timer,
    "set_alarm": _set_alarm,
    "cancel_alarm": lambda rng, told: _cancelled(rng, told, "alarm"),
    "ask_alarm": _ask_alarm,
    "remind": _remind,
    "snooze": _snooze,
    "stop": _stop,
    "get_time": _get_time,
    "get_date": _get_date,
    "count_days": _count_days,
    "calculate": _calculate,
    "convert": _convert,
    "board_volume": _board_volume,
    "add_to_list": _add_to_list,
    "remove_from_list": _remove_from_list,
    "read_list": _read_list,
    "clear_list": _clear_list,
    "speak": _speak,
    "get_weather": _weather,
    "get_calendar": _calendar,
    "board_info": _board_info,
}


def result_of(rng: random.Random, tool: str, told: Told) -> str:
    """Return what the daemon answers to a call."""
    return RESULTS[tool](rng, told)


def strange_result(rng: random.Random) -> str:
    """Return a sentence that no skill of ours says; it is repeated all the same."""
    number = rng.randint(2, 500)
    first, second, third = (invented(rng) for _ in range(3))
    return rng.choice((
        f"The {first} {rng.choice(('is', 'was', 'has', 'needs'))} {second} {third}.",
        f"{first.capitalize()} is at {number}.",
        f"I have {rng.choice(('moved', 'noted', 'kept', 'found'))} {number} {second}s for {person(rng)}.",
        f"There are {in_words(rng.randint(2, 99))} {first}s left, {person(rng)}.",
        f"{number} {first}, {second} and {third}.",
        f"That is {number}.{rng.randint(10, 99)} {first} per {second}.", f"It {second}s at {_clock(rng)} {first}.",
        f"Shall I {first} the {second} for {length_told(rng.choice(list(SECONDS.values())) * rng.randint(1, 9))}?",
    ))  # fmt: skip
