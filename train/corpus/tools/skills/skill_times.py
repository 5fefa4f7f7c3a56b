"""Lengths of time, times of day and days, as people say them, with their meaning in the daemon's words."""

from __future__ import annotations

import random

from train.corpus.banks import words_in
from train.corpus.numbers import in_words, spoken
from train.corpus.tools.skills.skill_spans import Draw, Span

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
SHORT = {"second": ("sec", "secs", "s"), "minute": ("min", "mins", "m"), "hour": ("hr", "hrs", "h"), "day": ("d",)}
FRACTIONS = {0.5: ("half", "1/2"), 0.25: ("quarter", "1/4"), 0.75: ("three quarters", "3/4")}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first", "twenty second", "twenty-third", "twenty fourth", "twenty-fifth", "twenty sixth",
    "twenty-seventh", "twenty eighth", "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip


def length_told(seconds: int) -> str:
    """Return a length as the daemon says it: the two largest units."""
    said = []
    for unit in ("day", "hour", "minute", "second"):
        number, seconds = divmod(seconds, SECONDS[unit])
        if number:
            said.append(f"{number} {unit}{'' if number == 1 else 's'}")
    return " and ".join(said[:2]) or "0 seconds"


def _count(rng: random.Random, unit: str) -> int:
    most = {"second": 90, "minute": 60, "hour": 12, "day": 10}[unit]
    round_ones = {"second": (10, 15, 20, 30, 45, 60, 90), "minute": (1, 2, 3, 5, 10, 15, 20, 25, 30, 45, 90),
                  "hour": (1, 2, 3, 4, 6, 8), "day": (1, 2, 3, 7)}[unit]  # fmt: skip
    return rng.choice(round_ones) if rng.random() < 0.5 else rng.randint(1, most)


def _simple(rng: random.Random, unit: str) -> Span:
    number = _count(rng, unit)
    told = length_told(number * SECONDS[unit])
    if rng.random() < 0.22:
        space = "" if rng.random() < 0.5 else " "
        return Span(f"{number}{space}{rng.choice(SHORT[unit])}", told)
    if number == 1 and rng.random() < 0.75:
        return Span(f"{rng.choice(('one', 'a', 'a') if unit != 'hour' else ('one', 'an', 'an'))} {unit}", told)
    said = in_words(number) if rng.random() < 0.45 else str(number)
    if number > 20 and rng.random() < 0.15:
        said = said.replace(" ", "-")
    return Span(f"{said} {unit}{'' if number == 1 else 's'}", told)


def _with_fraction(rng: random.Random, unit: str) -> Span:
    number = rng.randint(1, 12)
    part = rng.choice((0.5, 0.5, 0.5, 0.25, 0.75))
    told = length_told(int((number + part) * SECONDS[unit]))
    word, sign = FRACTIONS[part]
    article = "" if part == 0.75 else "a "
    if part == 0.5 and number == 1 and rng.random() < 0.5:
        return Span(
            rng.choice((f"{'an' if unit == 'hour' else 'a'} {unit} and a half", f"one {unit} and a half")), told
        )
    n = spoken(rng, number)
    forms = [f"{n} and {article}{word} {unit}s", f"{number} {sign} {unit}s", f"{number + part:g} {unit}s",
             f"{n} {unit}{'s' if number > 1 else ''} and {article}{word}",
             f"{n} and {article}{word} {unit}s"]  # fmt: skip
    if part == 0.5:
        forms.append(f"{in_words(number)} point five {unit}s")
    return Span(rng.choice(forms), told)


def _fraction(rng: random.Random) -> Span:
    said, seconds = rng.choice((
        ("half an hour", 1800), ("half an hour", 1800), ("a half hour", 1800), ("half hour", 1800), ("1/2 hour", 1800),
        ("a quarter of an hour", 900), ("quarter of an hour", 900), ("three quarters of an hour", 2700),
        ("half a minute", 30), ("half a day", 43200), ("1/4 hour", 900), ("a quarter hour", 900), ("half a minute", 30),
        ("thirty mins", 1800), ("0.5 hours", 1800), ("a third of an hour", 1200),
    ))  # fmt: skip
    return Span(said, length_told(seconds))


def _compound(rng: random.Random) -> Span:
    big, small = rng.choice((("hour", "minute"), ("hour", "minute"), ("minute", "second")))
    first, second = (
        rng.randint(1, 5 if big == "hour" else 20),
        rng.choice((5, 10, 15, 20, 30, 40, 45, rng.randint(1, 59))),
    )
    told = length_told(first * SECONDS[big] + second * SECONDS[small])
    few = "s" if first > 1 else ""
    a = "an" if big == "hour" else "a"
    one = f"{a} {big}" if first == 1 else f"{spoken(rng, first)} {big}s"
    two = f"{spoken(rng, second)} {small}{'' if second == 1 else 's'}"
    forms = [f"{one} and {two}", f"{one} {two}", f"{one}, {two}", f"{one} and {in_words(second)}"]
    if big == "hour":
        forms += [f"{first}h{second:02}", f"{first} h {second} min", f"{first}h {second}m",
                  f"{first}:{second:02} hours",
                  f"{first} hr {second} min", f"{first} hour{few} {second}"]  # fmt: skip
    else:
        forms += [f"{first}m{second}s", f"{first} min {second} sec", f"{first}:{second:02} minutes",
                  f"{one} {in_words(second)}"]  # fmt: skip
    return Span(rng.choice(forms), told)


def _vague(rng: random.Random) -> Span:
    said, seconds = rng.choice((
        ("a couple of minutes", 120), ("a couple minutes", 120), ("a few minutes", 180), ("a minute or two", 120),
        ("a couple of hours", 7200), ("a couple hours", 7200), ("a few seconds", 5), ("just a minute", 60),
        ("about ten minutes", 600), ("around 20 minutes", 1200), ("a week", 604800), ("two weeks", 1209600),
        ("a dozen minutes", 720), ("five minutes or so", 300), ("a full hour", 3600), ("exactly 3 minutes", 180),
        ("a good half hour", 1800), ("an hour or so", 3600),
    ))  # fmt: skip
    return Span(said, length_told(seconds))


def length(draw: Draw) -> Span:
    """Return a length of time."""
    rng = draw.rng
    chance = rng.random()
    if chance < 0.58:
        return _simple(rng, rng.choices(("minute", "second", "hour", "day"), (70, 14, 14, 2))[0])
    if chance < 0.7:
        return _with_fraction(rng, rng.choice(("minute", "minute", "hour")))
    if chance < 0.8:
        return _fraction(rng)
    return _compound(rng) if chance < 0.94 else _vague(rng)


def long(draw: Draw) -> Span:
    """Return a length as it stands before a noun: "10 minute", "half hour"."""
    rng = draw.rng
    if rng.random() < 0.12:
        said, seconds = rng.choice((
            ("half hour", 1800), ("half-hour", 1800), ("quarter hour", 900), ("hour and a half", 5400), ("hour", 3600),
            ("hour long", 3600), ("half an hour", 1800), ("one and a half hour", 5400), ("minute and a half", 90),
        ))  # fmt: skip
        return Span(said, length_told(seconds))
    if rng.random() < 0.12:
        return length(draw)
    unit = rng.choices(("minute", "second", "hour"), (76, 13, 11))[0]
    number = _count(rng, unit)
    said = f"{spoken(rng, number)}{rng.choice((' ', ' ', ' ', '-'))}{unit if rng.random() < 0.85 else SHORT[unit][0]}"
    return Span(said, length_told(number * SECONDS[unit]))


def bare_number(draw: Draw) -> Span:
    """Return a number whose unit stands elsewhere or is left out."""
    number = _count(draw.rng, "minute")
    return Span(spoken(draw.rng, number), length_told(60 * number))


def minutes(draw: Draw) -> Span:
    """Return a number of minutes without its unit, as in "the 10 minute timer"."""
    return Span(
        f"{spoken(draw.rng, _count(draw.rng, 'minute'))} {draw.rng.choice(('minute', 'minute', 'min', 'hour'))}"
    )


def _told_clock(hour: int, minute: int) -> str:
    half = "AM" if hour < 12 else "PM"
    return f"{(hour - 1) % 12 + 1}{f':{minute:02}' if minute else ''} {half}"


def _clock_words(rng: random.Random, hour: int, minute: int) -> str:
    """Return a time of day without its half of the day."""
    here, there = (hour - 1) % 12 + 1, hour % 12 + 1
    h = spoken(rng, here)
    if minute == 0:
        return rng.choice((h, h, h, f"{h} o'clock", f"{here}:00", f"{h} oclock", f"{h} o clock", f"{h} sharp"))
    forms = [f"{here}:{minute:02}", f"{here}:{minute:02}", f"{here}.{minute:02}", f"{here} {minute:02}",
             f"{in_words(here)} {'oh ' if minute < 10 else ''}{in_words(minute)}"]  # fmt: skip
    if minute == 30:
        forms += [f"half past {h}", f"half {h}", f"half {in_words(here)}", f"half past {in_words(here)}"]
    elif minute == 15:
        forms += [f"quarter past {h}", f"a quarter past {h}", f"quarter after {h}", f"a quarter after {h}"]
    elif minute == 45:
        to = spoken(rng, there)
        forms += [f"quarter to {to}", f"a quarter to {to}", f"quarter of {to}", f"quarter till {to}"]
    elif minute % 5 == 0 and minute < 30:
        forms += [f"{spoken(rng, minute)} past {h}", f"{spoken(rng, minute)} after {h}"]
    elif minute % 5 == 0:
        forms += [
            f"{spoken(rng, 60 - minute)} to {spoken(rng, there)}",
            f"{in_words(60 - minute)} til {spoken(rng, there)}",
        ]
    return rng.choice(forms)


def clock(rng: random.Random) -> Span:
    """Return a time of day."""
    if rng.random() < 0.06:
        said, told = rng.choice((("noon", "12 PM"), ("midnight", "12 AM"), ("midday", "12 PM"), ("12 noon", "12 PM")))
        return Span(said, told)
    hour = rng.choice((5, 6, 6, 7, 7, 7, 8, 8, 9, 10, rng.randrange(24), rng.randint(12, 22)))
    minute = rng.choices((0, 30, 15, 45, 5 * rng.randrange(12), rng.randrange(60)), (46, 18, 9, 9, 12, 6))[0]
    told = _told_clock(hour, minute)
    if rng.random() < 0.1:
        return Span(f"{hour:02}:{minute:02}" if rng.random() < 0.7 else f"{hour}:{minute:02}", told)
    words = _clock_words(rng, hour, minute)
    is_late = hour >= 12
    half = rng.choice((" pm", " p.m.", "pm") if is_late else (" am", " a.m.", "am"))
    part = rng.choice((" in the afternoon" if hour < 18 else " in the evening", " tonight") if is_late and hour > 16
                      else (" in the afternoon",) if is_late else (" in the morning",))  # fmt: skip
    draw = rng.random()
    if "o'clock" not in words and draw < 0.38:
        return Span(words + (half if words[-1].isdigit() else f" {half.strip()}"), told)
    return Span(words + (part if draw > 0.88 else ""), told)


def _date(rng: random.Random) -> Span:
    month, day = rng.choice(MONTHS), rng.randint(1, 28)
    nth = f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    nth = nth if rng.random() < 0.7 else ORDINALS[day - 1]
    forms = (f"{month} {nth}", f"the {nth} of {month}", f"{nth} of {month}", f"{month} {day}", f"{day} {month}",
             f"{month} the {nth}", f"{month[:3].lower()} {day}", f"the {nth}")  # fmt: skip
    return Span(rng.choice(forms), f"{month} {day}")


def weekday(rng: random.Random) -> Span:
    """Return a day of the week, sometimes with "next" or in short."""
    day = rng.choice(WEEKDAYS)
    told = day.capitalize()
    said = rng.choices((day, f"next {day}", f"this {day}", day[:3], f"{day} next week", f"this coming {day}"),
                       (62, 14, 12, 3, 5, 4))[0]  # fmt: skip
    return Span(told if said == day and rng.random() < 0.4 else said, told)


def one_day(rng: random.Random) -> Span:
    """Return a day with the word before it that it needs in a sentence: "on friday"."""
    draw = rng.random()
    if draw < 0.5:
        return rng.choice((
            Span("tomorrow", "tomorrow"), Span("tomorrow", "tomorrow"), Span("today", "today"),
            Span("tomorrow morning", "tomorrow"), Span("the day after tomorrow", "the day after tomorrow"),
            Span("tonight", "today"), Span("this evening", "today"), Span("tomorrow evening", "tomorrow"),
            Span("this afternoon", "today"), Span("tomorrow night", "tomorrow"), Span("in two days", "on Friday"),
        ))  # fmt: skip
    if draw < 0.85:
        day = weekday(rng)
        on = "" if day.said.startswith(("next", "this")) and rng.random() < 0.8 else "on "
        part = rng.choice(("", "", "", " morning", " evening", " afternoon"))
        return Span(f"{on}{day.said}{part if day.said.isalpha() else ''}", f"on {day.told}")
    date = _date(rng)
    return Span(f"on {date.said}", f"on {date.told}")


def every_day(rng: random.Random) -> Span:
    """Return days of each week: "on weekdays", "every monday"."""
    first, second = rng.sample(WEEKDAYS, 2)
    days = f"on {first.capitalize()}s"
    return rng.choice((
        Span("on weekdays", "on weekdays"), Span("weekdays", "on weekdays"), Span("every weekday", "on weekdays"),
        Span("every day", "every day"), Span("daily", "every day"), Span("every morning", "every day"),
        Span("each morning", "every day"), Span("on weekends", "on weekends"), Span("every weekend", "on weekends"),
        Span("monday to friday", "on weekdays"), Span("monday through friday", "on weekdays"),
        Span(f"every {first}", days), Span(f"every {first}", days), Span(f"on {first}s", days), Span(f"{first}s", days),
        Span(f"each {first}", days), Span(f"every {first} and {second}", f"{days} and {second.capitalize()}s"),
        Span(f"on {first}s and {second}s", f"{days} and {second.capitalize()}s"), Span("every night", "every day"),
        Span("on work days", "on weekdays"), Span("on school days", "on weekdays"),
        Span("every day except sunday", "on six days of the week"), Span("every single day", "every day"),
    ))  # fmt: skip


def _in_a_while(draw: Draw) -> Span:
    ago = length(draw)
    said = draw.rng.choice((f"in {ago.said}", f"in {ago.said}", f"in {ago.said}", f"{ago.said} from now"))
    return Span(said, f"in {ago.told}")


def _part(rng: random.Random) -> Span:
    said, told = rng.choice((
        ("in the evening", "8 PM today"), ("in the morning", "8 AM tomorrow"), ("tomorrow morning", "8 AM tomorrow"),
        ("this afternoon", "3 PM today"), ("tonight", "8 PM today"), ("this evening", "8 PM today"),
        ("tomorrow", "8 AM tomorrow"), ("tomorrow evening", "8 PM tomorrow"), ("at lunchtime", "12 PM today"),
        ("before bed", "10 PM today"), ("after work", "5 PM today"), ("after dinner", "8 PM today"),
        ("first thing in the morning", "7 AM tomorrow"), ("later", "8 PM today"), ("next week", "on Monday"),
    ))  # fmt: skip
    return Span(said, told)


def moment(draw: Draw) -> Span:
    """Return a moment as it follows "for": "6:30 tomorrow", "in 20 minutes", "weekdays at 7"."""
    rng = draw.rng
    chance = rng.random()
    time = clock(rng)
    if chance < 0.46:
        return Span(time.said, f"{time.told} {rng.choice(('today', 'tomorrow'))}")
    if chance < 0.56:
        return _in_a_while(draw)
    day = one_day(rng) if chance < 0.82 else every_day(rng)
    told = f"{time.told} {day.told}"
    draw_order = rng.random()
    if draw_order < 0.6:
        return Span(f"{time.said} {day.said}", told)
    bare = day.said.removeprefix("on ")
    return Span(f"{bare} at {time.said}" if draw_order < 0.9 else f"{bare} {time.said}", told)


def moment_with_at(draw: Draw) -> Span:
    """Return a moment with its preposition, as it stands alone in a sentence: "at 5", "on friday at noon"."""
    rng = draw.rng
    chance = rng.random()
    if chance < 0.12:
        return _part(rng)
    if chance < 0.36:
        return _in_a_while(draw)
    time = clock(rng)
    at = rng.choices(("at", "by", "around", "before", "about"), (86, 5, 4, 3, 2))[0]
    if chance < 0.62:
        return Span(f"{at} {time.said}", f"at {time.told} {rng.choice(('today', 'tomorrow'))}")
    if chance < 0.72:
        return one_day(rng)
    day = one_day(rng) if chance < 0.9 else every_day(rng)
    said = f"{day.said} at {time.said}" if rng.random() < 0.6 else f"{at} {time.said} {day.said}"
    return Span(said, f"at {time.told} {day.told}")


def clock_only(draw: Draw) -> Span:
    """Return a time of day without a day."""
    return clock(draw.rng)


def at_clock(draw: Draw) -> Span:
    """Return "at" and a time of day."""
    time = clock(draw.rng)
    return Span(f"at {time.said}", f"at {time.told}")


def some_day(draw: Draw) -> Span:
    """Return a day with its preposition, once or each week."""
    return one_day(draw.rng) if draw.rng.random() < 0.75 else every_day(draw.rng)


def future_day(draw: Draw) -> Span:
    """Return a day without a preposition, for questions about dates: a feast, a date, a weekday."""
    rng = draw.rng
    chance = rng.random()
    year = rng.choice(("", "", "", "", " this year", " next year", f" {rng.randint(1950, 2060)}"))
    if chance < 0.4:
        feast = rng.choice(words_in("skill_words")["feasts"])
        return Span(feast if rng.random() < 0.75 else feast.title().replace("'S", "'s").replace(" Of ", " of ")
                    .replace("The ", "the "), "")  # fmt: skip
    if chance < 0.72:
        date = _date(rng)
        return Span(date.said + (year if date.said[-1] != "h" or year else ""), date.told)
    if chance < 0.88:
        return Span(rng.choice((weekday(rng).said, f"a week from {rng.choice(WEEKDAYS)}", "tomorrow",
                                "the day after tomorrow",
                                f"the {rng.choice(ORDINALS[:4])} {rng.choice(WEEKDAYS)} in {rng.choice(MONTHS)}",
                                f"the last {rng.choice(WEEKDAYS)} of the month", f"in {rng.randint(2, 90)} days",
                                f"{rng.randint(2, 100)} days from now", f"{rng.randint(2, 12)} weeks from today",
                                "friday the 13th", "yesterday", "two weeks from today")), "")  # fmt: skip
    return Span(f"{rng.randint(1, 12)}/{rng.randint(1, 28)}{rng.choice(('', '', '/2027', '/1999'))}", "")


def counted_day(draw: Draw) -> Span:
    """Return a day or a time of day to which one counts."""
    rng = draw.rng
    chance = rng.random()
    if chance < 0.1:
        return Span(clock(rng).said)
    if chance < 0.22:
        return Span(rng.choice(words_in("skill_words")["events"]))
    day = future_day(draw)
    return Span(f"{day.said.removeprefix('in ')} from now") if day.said.startswith("in ") else day


def weather_day(draw: Draw) -> Span:
    """Return a day for a question about the weather, as it stands in a sentence."""
    rng = draw.rng
    if rng.random() < 0.5:
        return Span(rng.choice((
            "tomorrow", "tomorrow", "today", "tonight", "this weekend", "on the weekend", "this evening",
            "tomorrow morning",
            "this afternoon", "the day after tomorrow", "next week", "later", "right now", "later today", "this week",
            "tomorrow afternoon", "at the weekend", "in the next few days", "tomorrow night", "this morning",
        )))  # fmt: skip
    return one_day(rng)


def calendar_day(draw: Draw) -> Span:
    """Return a day for a question about appointments, as it stands in a sentence."""
    rng = draw.rng
    if rng.random() < 0.5:
        return Span(rng.choice((
            "today", "today", "tomorrow", "tomorrow", "this week", "next week", "this afternoon", "this weekend",
            "tomorrow morning", "tonight", "this evening", "the rest of the day", "the day after tomorrow",
            "this month",
        )))  # fmt: skip
    return one_day(rng)
