"""Houses for the tests of names, candidates and evidence."""

from typing import Any

from units.intent.naming import HomeIndex


def device(name: str, kind: str, area: str = "", **more: Any) -> dict[str, Any]:
    """Return a device as the daemon describes it."""
    return {"name": name, "kind": kind, "area": area, "aliases": [], "device_class": "", "id": name, **more}


def home(*devices: dict[str, Any], area: str = "", languages: tuple[str, ...] = ("en",)) -> dict[str, Any]:
    """Return a house; the areas are those of its devices, bedroom and bathroom are upstairs."""
    areas = dict.fromkeys(each["area"] for each in devices if each["area"])
    upstairs = ("bedroom", "bathroom")
    rows = [{"name": each, "floor": "first floor" if each in upstairs else "", "aliases": []} for each in areas]
    floors = [{"name": "first floor", "aliases": ["upstairs"]}]
    named = {"areas": rows, "floors": floors, "tools": [], "area": area, "languages": list(languages)}
    return {"entities": list(devices), **named}


FAMILY = (
    device("kitchen light", "light", "kitchen", aliases=["ceiling lamp"]),
    device("kitchen blinds", "cover", "kitchen", device_class="blind"),
    device("kitchen radio", "media", "kitchen", device_class="speaker"),
    device("desk lamp", "light", "office"),
    device("office heater", "climate", "office"),
    device("bedside lamp", "light", "bedroom"),
    device("bedroom light", "light", "bedroom"),
    device("bedroom tv", "media", "bedroom", device_class="tv"),
    device("bathroom fan", "fan", "bathroom"),
    device("front door", "lock", "hall"),
    device("garage door", "cover", "garage", device_class="garage"),
    device("coffee machine", "switch", "kitchen"),
)


def family(area: str = "", *languages: str) -> HomeIndex:
    """Return a house of twelve devices with the room of the board."""
    return HomeIndex(home(*FAMILY, area=area, languages=languages or ("en",)))


def large(size: int) -> HomeIndex:
    """Return a house of many rooms with ten devices each."""
    things = (
        "ceiling light",
        "floor lamp",
        "desk lamp",
        "reading light",
        "blinds",
        "heater",
        "fan",
        "speaker",
        "tv",
        "socket",
    )
    kinds = ("light", "light", "light", "light", "cover", "climate", "fan", "media", "media", "switch")
    rooms = ("kitchen", "bedroom", "office", "cellar", "attic", "garage", "library", "workshop", "nursery", "hallway")
    rows = [
        device(f"{room} {thing}", kind, room)
        for room in (f"{rooms[at % 10]} {at // 10}".removesuffix(" 0") for at in range(size // 10))
        for thing, kind in zip(things, kinds, strict=True)
    ]
    return HomeIndex(home(*rows, area="kitchen"))
