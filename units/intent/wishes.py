"""What a reading means in this house: the devices that it is about, or why it is not clear which."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from units.intent.actions import (
    ACTIONS,
    ADJUST,
    EVERYTHING,
    LOOK,
    QUESTIONS,
    SCALES,
    STATE,
    TEMPERATURE,
    VOLUME_RELATIVE,
)
from units.intent.answers import Problem
from units.intent.house import OPENINGS, Device, House
from units.intent.recognizer import EXCEPT_NAMES, NAMES, NO_ROOM, Reading

_BLINDS = frozenset({"blind", "curtain", "shutter", "shade", ""})
"""One family: people call the same thing by any of these words. A cover without a class belongs to it."""

_MEDIA = "media_player"

_LAMPS = frozenset({"lamp", "lampe", "lámpara", "gate"})
"""Words for one thing of a kind: a lamp stands on a table, a light may be any of a room."""

_MOST_ASKED = 12
"""Of how many devices the states are read where a question does not say in which room."""

_TV = "tv"
_MUSIC = frozenset(
    {
        *("music", "song", "songs", "tune", "tunes", "radio", "playlist", "musik", "lied", "lieder", "musique"),
        *("chanson", "música", "canción"),
    }
)
_FILMS = frozenset({"film", "films", "movie", "movies", "video", "videos", "show", "series", "película", "filme"})
"""Words that say from what kind of media player something is to be heard or seen."""

_ONE_SWITCH = ("switch", "socket", "outlet", "plug")

UNKNOWN_CAMERA = "camera_name"
"""The slot with the name of a camera that the house does not have."""


@dataclass(frozen=True)
class Wish:
    """A reading with its devices, or with the problem."""

    reading: Reading
    devices: tuple[Device, ...] = ()
    """What it is about; where a question is open, the devices that are clear nevertheless."""

    problem: Problem | None = None
    choices: tuple[Device, ...] = ()
    """The devices of which some are meant, if the problem is the question which."""

    is_settled: bool = False
    """Whether a reply has said which devices are meant, so that none of them is left out."""


def find_wish(readings: Sequence[Reading], house: House) -> Wish:
    """Return what the best of these readings means; where two equally good ones mean different devices, ask.

    One name may belong to devices of two kinds, and the name of a device may be that of an area.
    """
    best, *others = readings
    wish = _wish_of(best, house)
    for other in others:
        if other.intent == best.intent and _has_same_words(best, other):
            rival = _wish_of(other, house)
            if rival.devices and wish.devices and set(rival.devices) != set(wish.devices):
                return asking(best, dict.fromkeys((*wish.devices, *rival.devices)))
    return wish


def _has_same_words(best: Reading, other: Reading) -> bool:
    """Return whether the same words name a device in one reading and another device, or an area, in the other."""
    named = best.slots["name"].text.casefold() if "name" in best.slots else None
    if not named or len([slot for slot in NAMES if slot in best.slots]) > 1:
        return False
    if "name" in other.slots:
        return other.rank == best.rank and other.slots["name"].text.casefold() == named
    return "area" in other.slots and other.slots["area"].text.casefold() == named


def _wish_of(reading: Reading, house: House) -> Wish:
    if UNKNOWN_CAMERA in reading.slots:
        return Wish(reading, problem=_none(reading, reading.slots[UNKNOWN_CAMERA].text))
    if any(slot in reading.slots for slot in NAMES):
        return _named(reading, house)
    return _in_place(reading, house)


def _named(reading: Reading, house: House) -> Wish:
    """Return a wish for the devices that are named, each in the area or on the floor that is said."""
    said = replace(reading, slots={name: slot for name, slot in reading.slots.items() if slot.text})
    devices: dict[Device, None] = {}
    unclear: list[Wish] = []
    for name in (said.slots[slot] for slot in NAMES if slot in said.slots):
        here = [device for device in house.named(name.value, name.domain) if is_where_said(device, said)]
        if not here:
            return Wish(reading, problem=_none(said, name.text))
        if len(here) > 1:
            unclear.append(asking(reading, here))
        else:
            devices |= dict.fromkeys(here)
    if len(unclear) == 1:
        return replace(unclear[0], devices=tuple(devices))
    # One reply cannot say which two things are meant.
    return replace(unclear[0], choices=()) if unclear else Wish(reading, tuple(devices))


def _in_place(reading: Reading, house: House) -> Wish:
    """Return a wish for all devices of a kind in a room, on a floor or in the house."""
    candidates = [each for each in house.devices if _is_meant(each, reading) and not _is_excepted(each, reading, house)]
    if _needs_room(reading):
        if len(candidates) == 1 and (not _is_of_set(reading) or candidates[0].domain == "cover"):
            return Wish(reading, tuple(candidates))
        if reading.is_question and len(candidates) <= _MOST_ASKED:
            return Wish(reading, tuple(candidates))
        return _asking_for_room(reading, candidates) if candidates else Wish(reading, problem=_none(reading))
    devices = _so_called(reading, [each for each in candidates if is_where_said(each, reading)])
    devices = _for_sound(reading, _of_exact_class(reading, devices))
    if not devices and candidates and _is_room_of_board(reading):
        # Who says "close the awning" in the kitchen means the one on the patio. Nothing is unlocked on a guess.
        is_clear = len(candidates) == 1 and not _is_unlocking(reading, candidates)
        return Wish(reading, tuple(candidates)) if is_clear else asking(reading, candidates)
    if not devices:
        return Wish(reading, problem=_none(reading))
    if len(devices) > 1 and "scope" not in reading.slots and is_for_one(reading):
        return asking(reading, devices)
    return Wish(reading, tuple(devices))


def _of_exact_class(reading: Reading, devices: Sequence[Device]) -> Sequence[Device]:
    """Return of a family the devices that are called so, if there are some: shutters are no blinds."""
    said = reading.value("device_class")
    if reading.intent in QUESTIONS or not isinstance(said, str) or said not in _BLINDS:
        return devices
    return [each for each in devices if each.device_class == said] or devices


def _is_unlocking(reading: Reading, devices: Iterable[Device]) -> bool:
    return reading.intent == "HassTurnOff" and any(device.domain == "lock" for device in devices)


def is_for_one(reading: Reading) -> bool:
    """Return whether the words can only mean one device: "the socket" is not every socket of the room."""
    if reading.intent == LOOK or any(action.is_for_one for action in ACTIONS.get(reading.intent, ())):
        return True
    return reading.value("domain") == "switch" and reading.slots["domain"].text.endswith(_ONE_SWITCH)


def _is_room_of_board(reading: Reading) -> bool:
    """Return whether nobody has said where, and it is a thing of which a home may have one."""
    is_said = any(reading.slots[slot].text for slot in ("area", "floor") if slot in reading.slots)
    return "scope" not in reading.slots and not is_said and _domains_of(reading) in (("cover",), ["cover"], ["lock"])


def _so_called(reading: Reading, devices: Sequence[Device]) -> Sequence[Device]:
    """Return of several devices the one of which alone the words speak: "the lamp" is no ceiling light."""
    words = reading.sentence.casefold().replace(".", " ").replace(",", " ").split()
    if len(devices) < 2 or "scope" in reading.slots or _LAMPS.isdisjoint(words):
        return devices
    called = [each for each in devices if _LAMPS.intersection(words, each.name.casefold().split()[-1:])]
    return called if len(called) == 1 else devices


def _for_sound(reading: Reading, devices: Sequence[Device]) -> Sequence[Device]:
    """Return of the media players of a room those that music comes from, or films, where the words say which."""
    if len(devices) < 2 or any(each.domain != _MEDIA for each in devices) or "device_class" in reading.slots:
        return devices
    words = frozenset(reading.sentence.casefold().replace(",", " ").replace(".", " ").split())
    if reading.intent == "HassMediaSearchAndPlay" or _MUSIC & words:
        return [each for each in devices if each.device_class != _TV] or devices
    if _FILMS & words:
        return [each for each in devices if each.device_class == _TV] or devices
    return devices


def asking(reading: Reading, devices: Iterable[Device]) -> Wish:
    """Return a wish that asks which of these devices is meant: by their names, or where these are the same by areas."""
    found = list(devices)
    names = tuple(dict.fromkeys(device.name for device in found))
    if len({name.casefold() for name in names}) == len(found):
        return Wish(reading, problem=Problem("which", names), choices=tuple(found))
    said = reading.slots["name"].text if "name" in reading.slots else names[0]
    return Wish(reading, problem=Problem("duplicate", (said,), _areas_of(found)), choices=tuple(found))


def _asking_for_room(reading: Reading, devices: Sequence[Device]) -> Wish:
    """Return a wish that asks for the room, or for the device where all are in one."""
    areas = _areas_of(devices)
    if len(areas) > 1 or (areas and _is_of_set(reading)):
        return Wish(reading, problem=Problem("which", areas=areas), choices=tuple(devices))
    return asking(reading, devices)


def _areas_of(devices: Iterable[Device]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(device.area for device in devices if device.area))


def is_room_asked(wish: Wish) -> bool:
    """Return whether the problem of a wish is the question which room is meant, and not which device."""
    return wish.problem is not None and wish.problem.kind == "which" and bool(wish.problem.areas)


def _none(reading: Reading, name: str = "") -> Problem:
    """Return the problem that there is no such device where it was said to be."""
    where = [str(each) for slot in ("area", "floor") if (each := reading.value(slot)) and each != NO_ROOM]
    return Problem("no_device", [name] if name else [], where)


def _needs_room(reading: Reading) -> bool:
    """Return whether a room is meant and nobody knows which."""
    return reading.value("area") == NO_ROOM and "scope" not in reading.slots


def _is_of_set(reading: Reading) -> bool:
    """Return whether the words are about a set: "the lights" mean those of a room, "the temperature" is one thing."""
    return reading.value("domain") not in (None, "climate", _MEDIA) or "device_class" in reading.slots


def _domains_of(reading: Reading) -> Collection[str]:
    """Return the domains that a sentence is about; empty if it does not say."""
    if domain := reading.value("domain"):
        return [domain] if isinstance(domain, str) else domain
    if "device_class" in reading.slots:
        return ("cover",)
    if reading.intent == VOLUME_RELATIVE:
        return (_MEDIA,)
    if reading.intent == ADJUST:
        return (SCALES[reading.value("quantity")].domain,)
    if reading.intent == TEMPERATURE:
        return ("climate", "sensor")
    if reading.intent in ("HassTurnOn", "HassTurnOff"):
        return EVERYTHING
    return frozenset(domain for action in ACTIONS.get(reading.intent, ()) for domain in action.tools)


def _is_meant(device: Device, reading: Reading) -> bool:
    """Return whether a device is of the kind that a sentence without names is about."""
    domains = _domains_of(reading)
    classes = _classes_of(reading)
    if reading.intent == TEMPERATURE and device.kind == "sensor":
        return device.device_class == "temperature"
    if reading.intent == STATE and device.kind == "sensor" and "cover" in domains:
        return device.device_class in classes and device.device_class in OPENINGS
    is_of_domain = device.domain in domains or (device.kind == "sensor" and "sensor" in domains)
    return is_of_domain and (not classes or device.device_class in classes)


def _classes_of(reading: Reading) -> Collection[str]:
    said = reading.value("device_class")
    classes = frozenset([said] if isinstance(said, str) else said or ())
    if classes & _BLINDS:
        return classes | _BLINDS
    return classes


def is_where_said(device: Device, reading: Reading) -> bool:
    areas = [str(reading.value(slot)).casefold() for slot in ("area", "area2", "area3") if slot in reading.slots]
    if areas and areas != [NO_ROOM] and device.area.casefold() not in areas:
        return False
    floor = reading.value("floor")
    return floor is None or device.floor.casefold() == str(floor).casefold()


def _is_excepted(device: Device, reading: Reading, house: House) -> bool:
    areas = [reading.value(slot) for slot in ("except_area", "except_area2")]
    if device.area and device.area.casefold() in [str(each).casefold() for each in areas if each]:
        return True
    if device.domain == reading.value("except_domain") or device.device_class == reading.value("except_device_class"):
        return True
    said = [str(reading.value(slot)).casefold() for slot in EXCEPT_NAMES if slot in reading.slots]
    return any(name.casefold() in said for name in device.names)
