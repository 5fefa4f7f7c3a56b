"""Questions for the time of day and for time zones; each frame says which parts such a question has."""

import re
from collections.abc import Callable, Sequence

from units.intent.skills.clock_said import MANY, Question, Said, is_asked, place_in
from units.intent.skills.clock_tokens import AT, DAY, LENGTH, PLACE, SOMEWHERE
from units.intent.values.place import Place

_NAME_OF_ZONE = re.compile(r"\b(?:time|zone|[ecmp][sd]t|gmt|utc|cest?|bst|jst|ist|aest)\b")


def _unknown_place(said: Said, intent: str) -> Question | None:
    """Return a question for an unknown place, which must stand where a place stands."""
    at = said.at(SOMEWHERE)
    before = said.kinds[at - 1] if at else ""
    is_place = before in ("in", "city") and said.has("ask", "tell", "late", "current")
    is_place = is_place or (intent == "zone" and before not in ("the", "a", "current") and said.has("ask", "tell"))
    if not is_place or said.count(SOMEWHERE) > 1 or said.has(PLACE):
        return None
    return Question("unknown_place", {"somewhere": said.values(SOMEWHERE)[0]})


def _time(said: Said) -> Question | None:
    """Read "what time is it (in Tokyo)"."""
    topic = next((each for each in ("time", "clock", "late") if said.has(each)), "")
    if not topic and _names_time(said):
        return Question(
            "zone" if said.words(PLACE).endswith("time zone") else "time_there", {"place": said.values(PLACE)[0]}
        )
    if not topic and said.has("when") and said.only("when", PLACE) and said.has("it") and said.has("be"):
        topic = "when"
    if not topic or not said.only("time", "clock", "late", "when", "me", "zone", PLACE, SOMEWHERE):
        return None
    if said.has("zone") and not (said.follows(SOMEWHERE, "zone") or said.follows(PLACE, "zone")):
        return None
    if said.count(topic) > 1 or (topic == "clock" and not said.has("ask")) or (said.has("when") and topic != "when"):
        return None
    if said.has("me") and not (said.has("have") and said.has("ask")):
        return None
    place = place_in(said)
    is_elsewhere = bool(place) or said.has(SOMEWHERE)
    if place is None or (said.has("will") and not is_elsewhere):
        return None
    if topic in ("late", "when"):
        is_question = said.has("it") and said.has("be") and (topic == "late" or is_elsewhere or said.has("now"))
    else:
        is_question = (is_elsewhere and not said.is_statement) or is_asked(said, topic)
    if not is_question:
        return None
    if said.has(SOMEWHERE):
        return _unknown_place(said, "time")
    return Question("time_there" if place else "time", place)


def _names_time(said: Said) -> bool:
    """Return whether the time of a zone is asked for by its name: "what is Pacific Time"."""
    is_named = said.count(PLACE) == 1 and re.search(r"\btime(?: zone)?$|^(?:utc|gmt)$", said.words(PLACE))
    return bool(is_named) and said.only(PLACE) and said.has("ask", "tell", "current") and not said.is_statement


def _time_moved(said: Said) -> Question | None:
    """Read "what time will it be in two hours", "the time an hour ago"."""
    if not said.has("time", "late") or said.count(LENGTH) != 1:
        return None
    place = place_in(said)
    extra = ("later", "earlier", "after", "until", "was", "since", "from")
    if place is None or not said.only("time", "late", LENGTH, PLACE, *extra):
        return None
    slots = {"length": said.values(LENGTH)[0], **place}
    after = said.kinds[said.at(LENGTH) + 1 :]
    before = said.kinds[: said.at(LENGTH)]
    if {"earlier", "since"} & set(after):
        return Question("time_before", slots)
    is_ahead = {"later", "until"} & set(after) or (before and before[-1] in ("in", "after"))
    return Question("time_later", slots) if is_ahead else None


def _zone(said: Said) -> Question | None:
    """Read "what time zone is Denver in", "France's time zone", "if I go to Reno, what is the time zone"."""
    if said.count("zone") != 1 or not said.only(
        "zone", "me", "if", "when", "travel", "was", "convert", "to", "a", PLACE, SOMEWHERE
    ):
        return None
    if said.has("convert") and not said.has("if"):
        return None
    if said.words("zone") == "zone" and not said.has(PLACE, "me"):
        return None
    place = place_in(said)
    if place is None or said.has("will") > said.has(PLACE, SOMEWHERE):
        return None
    is_elsewhere = bool(place) or said.has(SOMEWHERE)
    if said.has("if", "travel", "was", "to") and not is_elsewhere:
        return None
    if said.is_statement or not (is_elsewhere or said.has("me") or is_asked(said, "zone")):
        return None
    if said.has("me") and not said.has("ask"):
        return None
    return _unknown_place(said, "zone") if said.has(SOMEWHERE) else Question("zone", place)


def _whether_zone(said: Said) -> Question | None:
    """Read "is New York in Mountain Time": the answer has the zone of the place."""
    if said.kinds[0] not in ("be", "have") or not said.only(PLACE, "zone", "on", "me"):
        return None
    zones = [each for each in said.tokens if each.kind == PLACE and _NAME_OF_ZONE.search(each.words)]
    places = [each.value for each in said.tokens if each.kind == PLACE and each not in zones]
    if len(zones) != 1 or len(places) > 1 or bool(places) == said.has("me", "it"):
        return None
    return Question("zone", {"place": places[0]} if places else {})


def _difference(said: Said) -> Question | None:
    """Read "the time difference between here and Tokyo", "how many hours ahead is London"."""
    places = said.values(PLACE)
    if not places or len(places) > 2:
        return None
    extra = (
        "difference",
        "ahead",
        "zone",
        "there",
        "behind",
        "between",
        "and",
        "to",
        "from",
        "time",
        "a",
        "me",
        *MANY,
        "until",
        "convert",
    )
    if not said.only(PLACE, *extra) or said.has("many_days", "many_weeks", "many_months", "convert"):
        return None
    is_difference = said.has("difference") or (said.has("time", "many_hours") and said.has("between"))
    is_same = (
        len(places) == 2 and said.kinds[0] == "be" and said.has("time", "zone") and "same" in said.words("current")
    )
    is_order = said.has("ahead", "behind") and (said.has(*MANY) or said.tokens[0].words in ("is", "are"))
    if not (is_difference or is_order or is_same):
        return None
    is_turned = is_order and len(places) == 2 and said.tokens[_firstplace_in(said) - 1].kind in ("ahead", "behind")
    place, *other = reversed(places) if is_turned else places
    return Question("difference", {"place": place, **({"other": other[0]} if other else {})})


def _firstplace_in(said: Said) -> int:
    return said.at(PLACE)


def _time_when(said: Said) -> Question | None:
    """Read "when it is 5 pm in London, what time is it in Tokyo", "convert 9 am CST to EST"."""
    said = said.with_hours() if said.has("if", "when") else said
    if not said.only(AT, PLACE, "time", "zone", "if", "when", "convert", "to", "from", "me"):
        return None
    places = said.values(PLACE)
    if said.has("convert") and not said.has(AT) and said.has("time") and len(places) == 2:
        return Question("time_there", {"place": places[1]})
    if said.count(AT) != 1 or not 0 < len(places) <= 2:
        return None
    mark = next((each for each in ("if", "when") if said.has(each)), "")
    if mark:
        first = said.at(mark)
        later = (at for at in range(first + 1, len(said.tokens)) if said.kinds[at] in ("ask", "tell"))
        last = next(later, len(said.tokens))
        inside = [each.value for each in said.tokens[first:last] if each.kind == PLACE]
        outside = [each.value for each in (*said.tokens[:first], *said.tokens[last:]) if each.kind == PLACE]
        if not said.has("time") or len(inside) > 1 or len(outside) > 1:
            return None
    elif said.has("time") and said.has("will") and PLACE not in said.kinds[said.at(AT) :]:
        inside, outside = [], places
    else:
        after = [each.value for each in said.tokens[said.at(AT) :] if each.kind == PLACE]
        if len(after) != len(places) or not (said.has("ask", "convert") or len(places) == 2):
            return None
        inside, outside = after[:1], after[1:]
        if not outside and not (said.follows(AT, PLACE) or said.has("from")):
            return None
    here = Place("", "")
    slots = {"at": said.values(AT)[0], "place": outside[0] if outside else here, "other": inside[0] if inside else here}
    return Question("time_when", slots)


def _whether_time(said: Said) -> Question | None:
    """Read "is it 5 pm yet", "is it past noon in Rome", "is it night in Tokyo", "is it tomorrow in Japan"."""
    said = said.with_hours() if said.has("now", "after") and not said.has(AT) else said
    if said.kinds[0] != "be" or not said.has("it") or said.is_statement:
        return None
    place = place_in(said)
    if (
        place
        and said.has("day_part", "date", AT)
        and said.only("day_part", "date", "after", "and", "or_not", AT, PLACE)
    ):
        return Question("time_there", place)
    if place and said.count(DAY) == 1 and said.only(DAY, PLACE, "or_not"):
        return Question("date_there", place)
    if said.count(AT) == 1 and said.only(AT, "after", "or_not", "passed"):
        return Question("whether_time", {"at": said.values(AT)[0]})
    return None


TIME_FRAMES: Sequence[Callable[[Said], Question | None]] = (_time_when, _difference, _zone, _whether_zone)
"""Those that say most: a zone is no day, and a difference no time."""

PRESENT_FRAMES: Sequence[Callable[[Said], Question | None]] = (_time_moved, _whether_time, _time)
