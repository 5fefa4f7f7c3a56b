"""Days of the calendar with names that `day` does not know: those around Easter, Mother's Day and others."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from units.intent.values.number import plain

_WEEK = 7


@dataclass(frozen=True)
class Feast:
    """A day of each year."""

    in_year: Callable[[int], date]

    def on(self, today: date) -> date:
        """Return the next such day, today included."""
        this_year = self.in_year(today.year)
        return this_year if this_year >= today else self.in_year(today.year + 1)


def easter(year: int) -> date:
    """Return Easter Sunday of the western churches, by the rule of the Gregorian calendar."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    moon = epact - epact // 28 * (1 - 29 // (epact + 1) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    return date(year, 3, 28) + timedelta(moon - weekday)


def _around_easter(days: int) -> Feast:
    return Feast(lambda year: easter(year) + timedelta(days))


def _nth(month: int, weekday: int, count: int, later: int = 0) -> Feast:
    """Return a weekday of a month by its number, or, counted from -1, from the month's end."""

    def in_year(year: int) -> date:
        if count < 0:
            last = date(year + month // 12, month % 12 + 1, 1) - timedelta(1)
            return last - timedelta((last.weekday() - weekday) % _WEEK) + timedelta(later)
        first = date(year, month, 1)
        return first + timedelta((weekday - first.weekday()) % _WEEK + _WEEK * (count - 1) + later)

    return Feast(in_year)


def _fixed(month: int, day: int) -> Feast:
    return Feast(lambda year: date(year, month, day))


def _advent(sunday: int) -> Feast:
    """Return a Sunday in Advent; the fourth is the last one before Christmas."""
    return Feast(
        lambda year: date(year, 12, 24) - timedelta((date(year, 12, 24).weekday() + 1) % _WEEK + 7 * (4 - sunday))
    )


_ANYWHERE = {
    "easter": _around_easter(0),
    "easter monday": _around_easter(1),
    "good friday": _around_easter(-2),
    "palm sunday": _around_easter(-7),
    "ash wednesday": _around_easter(-46),
    "shrove tuesday": _around_easter(-47),
    "ascension": _around_easter(39),
    "pentecost": _around_easter(49),
    "whit monday": _around_easter(50),
    "corpus christi": _around_easter(60),
}

_NAMES: Mapping[str, Mapping[str, Feast]] = {
    "en": {
        "easter/easter sunday/easter day": _ANYWHERE["easter"],
        "easter monday": _ANYWHERE["easter monday"],
        "good friday": _ANYWHERE["good friday"],
        "palm sunday": _ANYWHERE["palm sunday"],
        "ash wednesday": _ANYWHERE["ash wednesday"],
        "shrove tuesday/pancake day/mardi gras": _ANYWHERE["shrove tuesday"],
        "ascension day": _ANYWHERE["ascension"],
        "pentecost/whit sunday": _ANYWHERE["pentecost"],
        "whit monday": _ANYWHERE["whit monday"],
        "thanksgiving/thanksgiving day/turkey day": _nth(11, 3, 4),
        "black friday": _nth(11, 3, 4, later=1),
        "cyber monday": _nth(11, 3, 4, later=4),
        "mothers day": _nth(5, 6, 2),
        "fathers day": _nth(6, 6, 3),
        "labor day": _nth(9, 0, 1),
        "memorial day": _nth(5, 0, -1),
        "martin luther king day/mlk day": _nth(1, 0, 3),
        "boxing day": _fixed(12, 26),
        "st patricks day/saint patricks day/st pattys day/st paddys day/st patricks": _fixed(3, 17),
        "april fools day/april fools": _fixed(4, 1),
        "independence day/fourth of july/4th of july": _fixed(7, 4),
        "veterans day": _fixed(11, 11),
        "groundhog day": _fixed(2, 2),
        "cinco de mayo": _fixed(5, 5),
        "guy fawkes night/bonfire night/guy fawkes day": _fixed(11, 5),
        "valentines/valentine": _fixed(2, 14),
        "presidents day": _nth(2, 0, 3),
        "columbus day/indigenous peoples day": _nth(10, 0, 2),
        "maundy thursday": _around_easter(-3),
        "juneteenth": _fixed(6, 19),
        "earth day": _fixed(4, 22),
        "flag day": _fixed(6, 14),
        "womens day/international womens day": _fixed(3, 8),
        "may day": _fixed(5, 1),
        "epiphany/three kings day": _fixed(1, 6),
        "all saints day": _fixed(11, 1),
        "all souls day": _fixed(11, 2),
        "burns night": _fixed(1, 25),
        "st davids day/saint davids day": _fixed(3, 1),
        "st georges day/saint georges day": _fixed(4, 23),
        "st andrews day/saint andrews day": _fixed(11, 30),
        "canada day": _fixed(7, 1),
        "australia day": _fixed(1, 26),
        "anzac day": _fixed(4, 25),
        "bastille day": _fixed(7, 14),
        "remembrance day/armistice day": _fixed(11, 11),
        "pi day": _fixed(3, 14),
        "kwanzaa": _fixed(12, 26),
        "saint nicholas day/st nicholas day": _fixed(12, 6),
        "tax day": _fixed(4, 15),
    },
    "de": {
        "ostern/ostersonntag": _ANYWHERE["easter"],
        "ostermontag": _ANYWHERE["easter monday"],
        "karfreitag": _ANYWHERE["good friday"],
        "palmsonntag": _ANYWHERE["palm sunday"],
        "aschermittwoch": _ANYWHERE["ash wednesday"],
        "rosenmontag": _around_easter(-48),
        "fasching/fastnacht/faschingsdienstag": _ANYWHERE["shrove tuesday"],
        "christi himmelfahrt/himmelfahrt/vatertag": _ANYWHERE["ascension"],
        "pfingsten/pfingstsonntag": _ANYWHERE["pentecost"],
        "pfingstmontag": _ANYWHERE["whit monday"],
        "fronleichnam": _ANYWHERE["corpus christi"],
        "muttertag": _nth(5, 6, 2),
        "erster advent/1. advent/1 advent": _advent(1),
        "zweiter advent/2. advent/2 advent": _advent(2),
        "dritter advent/3. advent/3 advent": _advent(3),
        "vierter advent/4. advent/4 advent": _advent(4),
        "tag der arbeit": _fixed(5, 1),
        "tag der deutschen einheit": _fixed(10, 3),
        "halloween": _fixed(10, 31),
        "allerheiligen": _fixed(11, 1),
        "heilige drei konige/dreikonigstag": _fixed(1, 6),
        "valentinstag": _fixed(2, 14),
        "zweiter weihnachtstag/zweiter weihnachtsfeiertag": _fixed(12, 26),
    },
    "fr": {
        "paques/dimanche de paques": _ANYWHERE["easter"],
        "lundi de paques": _ANYWHERE["easter monday"],
        "vendredi saint": _ANYWHERE["good friday"],
        "mardi gras": _ANYWHERE["shrove tuesday"],
        "ascension": _ANYWHERE["ascension"],
        "pentecote": _ANYWHERE["pentecost"],
        "lundi de pentecote": _ANYWHERE["whit monday"],
        "fete du travail": _fixed(5, 1),
        "toussaint": _fixed(11, 1),
        "armistice": _fixed(11, 11),
        "halloween": _fixed(10, 31),
        "saint valentin": _fixed(2, 14),
        "epiphanie": _fixed(1, 6),
        "chandeleur": _fixed(2, 2),
        "assomption": _fixed(8, 15),
    },
    "es": {
        "pascua/domingo de pascua/domingo de resurreccion": _ANYWHERE["easter"],
        "lunes de pascua": _ANYWHERE["easter monday"],
        "viernes santo": _ANYWHERE["good friday"],
        "jueves santo": _around_easter(-3),
        "domingo de ramos/semana santa": _ANYWHERE["palm sunday"],
        "miercoles de ceniza": _ANYWHERE["ash wednesday"],
        "pentecostes": _ANYWHERE["pentecost"],
        "dia de la madre": _nth(5, 6, 1),
        "dia del padre": _fixed(3, 19),
        "san valentin": _fixed(2, 14),
        "halloween": _fixed(10, 31),
        "todos los santos": _fixed(11, 1),
        "dia de muertos/dia de los muertos": _fixed(11, 2),
        "san juan": _fixed(6, 24),
    },
    "zh-CN": {
        "复活节": _ANYWHERE["easter"],
        "感恩节": _nth(11, 3, 4),
        "万圣节": _fixed(10, 31),
        "情人节": _fixed(2, 14),
        "劳动节": _fixed(5, 1),
        "儿童节": _fixed(6, 1),
        "教师节": _fixed(9, 10),
        "妇女节": _fixed(3, 8),
        "母亲节": _nth(5, 6, 2),
        "父亲节": _nth(6, 6, 3),
    },
}

_BEFORE = {
    "en": ("the ",),
    "fr": ("la ", "le ", "l"),
    "es": ("la ", "el "),
    "de": ("den ", "dem ", "der ", "zu ", "zum "),
}


def read_feast(text: str, language: str) -> Feast | None:
    """Return the day of each year that a text names; None for anything else."""
    name = plain(text).replace("'", "").replace("-", " ").strip()
    known = _feasts(language)
    shorter = (name.removeprefix(each).strip() for each in _BEFORE.get(language, ()))
    return known.get(name) or next(filter(None, map(known.get, shorter)), None)


def feast_names(language: str) -> Iterable[str]:
    """Return the plain names of the days that are known."""
    return _feasts(language).keys()


@cache
def _feasts(language: str) -> dict[str, Feast]:
    return {name: feast for names, feast in _NAMES.get(language, {}).items() for name in names.split("/")}
