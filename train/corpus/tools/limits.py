"""Requests at the limits of what can be done: no sound, colours that a light does not have, windows to be opened."""

from __future__ import annotations

from train.corpus.base import fill
from train.corpus.home_words import things
from train.corpus.tools.requests import HOW_MUCH, Asked, Place, order
from train.corpus.tools.states import CANNOT
from train.corpus.tools.unnamed import scope


def muting(place: Place) -> Asked | None:
    """Return a request to mute a player, which is a volume of 0, or to unmute it, which needs a volume."""
    rng, players = place.rng, place.house.of("media")
    if not players:
        return None
    entity, it = rng.choice(players), ""
    found = scope(place, ("media",))
    if len(found) == 1 and rng.random() < 0.35:
        entity, it = found[0], rng.choice(("it", "the sound", "this", "that", "the music", ""))
    is_named = not it and rng.random() < 0.95
    it = place.mention(entity) if is_named else it or "it"
    form = "mute" if rng.random() < 0.72 else "unmute"
    text = fill(place.form(form), it=it)
    if "volume" not in place.toolbox.tools:
        return Asked("no tool", text, (), (), CANNOT)
    if form == "mute":
        return order(place, "volume", entity, text, {"percent": 0}, "mute")
    return Asked(HOW_MUCH, text, (), (), "To how many percent?", "volume", entity)


def colour_missing(place: Place) -> Asked | None:
    """Return a request for a colour that is not among those that the tool takes."""
    rng, tool = place.rng, place.toolbox.tools.get("color")
    lights = place.house.of("light")
    known = set(next(iter(tool.enums.values()), ())) if tool else set()
    missing = sorted(set(things.COLOURS) - known)
    if not known or not lights or not missing:
        return None
    colour = rng.choice(missing)
    entity = rng.choice(lights)
    text = fill(place.form("color"), it=place.mention(entity), colour=colour)
    them = "them" if entity.is_several else "it"
    return Asked("no colour", text, (), (), f"I'm sorry, I can't make {them} {colour}.")


def window_sensor(place: Place) -> Asked | None:
    """Return a request to open or close a window of which only a sensor is known."""
    rng = place.rng
    sensors = [each for each in place.house.of("sensor") if each.name.lower().endswith(("window", "door"))]
    if not sensors:
        return None
    entity = rng.choice(sensors)
    text = fill(place.form(rng.choice(("open", "close"))), it=place.mention(entity))
    return Asked("no tool", text, (), (), CANNOT)


def next_song(place: Place) -> Asked | None:
    """Return a wish for the next song, or for the music to stop where nothing stops it."""
    wish = place.rng.choice(("next_song", "music_off"))
    if wish == "music_off" and "pause" in place.toolbox.tools:
        return None
    return Asked("no tool", place.form(wish), (), (), CANNOT)
