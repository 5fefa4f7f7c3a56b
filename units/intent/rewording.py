"""Other wordings of a sentence that is not recognised as it was said.

What people say around a wish is left out ("I'm leaving, turn off the lights"), and what they put first is put where the
sentences of the library have it ("the porch light, put it at 60").
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from units.intent.evidence import evidence, pattern_of
from units.intent.house import House
from units.intent.naming import HomeIndex
from units.intent.phrases import LANGUAGES
from units.intent.phrases.language import NO_LANGUAGE, Language
from units.intent.spelling import words_of
from units.intent.vocabulary import Vocabulary

MOST_WORDINGS = 24
"""How many wordings of a sentence are tried: each costs a recognition."""

_MOST_PIECES = 6
_MOST_ASKED = 3
_MOST_VERBS = 4
_LONGEST_PLACE = 3
_MARKS = re.compile(r"\s*[,;:.!\u2013\u2014]+(?:\s+|$)|\s+-+\s+|(?<=\?)\s+")
_NAMED = ("entities", "meant", "areas", "kinds")


class Wording(NamedTuple):
    """A sentence, and the room that it is about; "" for the room where it is said."""

    text: str
    room: str = ""


class Rewording:
    """The wordings of sentences of one language in one house; a language without phrases has none."""

    def __init__(self, language: str, house: House, index: HomeIndex, vocabulary: Vocabulary) -> None:
        self._tag = language
        self._language = LANGUAGES.get(language.partition("-")[0], NO_LANGUAGE)
        self._house = house
        self._index = index
        self._vocabulary = vocabulary
        self._known: dict[str, Mapping[str, Any]] = {}

    def spelled(self, text: str) -> str:
        """Return a text with the apostrophes that transcripts leave out: "it s" is "it's"."""
        return self._pattern("contractions").sub(lambda found: found[0].replace(" ", "'"), text)

    def without_also(self, text: str) -> str:
        """Return the second of two wishes without the word that says so: "and the fan too"."""
        bare = text.rstrip(" .!")
        ends = (found.start() for found in self._pattern("also").finditer(bare.casefold()) if found.end() == len(bare))
        return bare[: next(ends, len(bare))].rstrip(" ,") or text

    def has_verb(self, text: str) -> bool:
        """Return whether a part of a sentence has a verb of its own, or may have one in a language without phrases."""
        return not self._language.verbs or bool(self._pattern("verbs").search(text.casefold()))

    def others(self, text: str) -> Iterator[Wording]:
        """Yield other wordings of a sentence, each once; none of one that is not about the home."""
        first = Wording(text)
        if not self._language.clause_starts or not self._is_about_home(text):
            return
        found, seen = [first], {first}
        for wording in found:
            for other in self._reworded(wording):
                if other not in seen and len(seen) < MOST_WORDINGS:
                    seen.add(other)
                    found.append(other)
                    yield other

    def asked_about(self, text: str) -> frozenset[str]:
        """Return the devices whose state a question wants, by the argument of a call; empty if that is not certain."""
        said = self._evidence(text)
        clause = self._without_fillers(text.casefold())
        begin = self._pattern("state_questions").match(clause) if said["is_question"] else None
        if (
            begin is None
            or said["is_negated"]
            or self._pattern("limits").search(clause[begin.end() :])
            or len(said["unknown"]) > 1
        ):
            return frozenset()
        is_of_kind = not said["entities"] and not said["unknown"] and len(said["kinds"]) == 1
        asked = said["meant"] if is_of_kind else said["entities"]
        return frozenset(asked if len(asked) <= _MOST_ASKED else ())

    def _reworded(self, wording: Wording) -> Iterator[Wording]:
        text, room = wording
        for other in (self._vocabulary.corrected(text, self._house.words), self._by_name(text)):
            if other != text:
                yield Wording(other, room)
        yield from self._in_room(text)
        yield from (Wording(each, room) for each in self._with_topic(text))
        yield from (Wording(each, room) for each in self._without_remarks(text))

    def _pattern(self, name: str) -> re.Pattern[str]:
        return pattern_of(self._language, name)

    def _evidence(self, text: str) -> Mapping[str, Any]:
        if text not in self._known:
            self._known[text] = evidence(text, self._index, self._tag)
        return self._known[text]

    def _is_about_home(self, text: str) -> bool:
        found = self._evidence(text)
        return any(found[each] for each in (*_NAMED, "near", "numbers", "colors", "direction"))

    # What is said around a wish

    def _pieces(self, text: str) -> list[str]:
        """Return the parts of a sentence between its marks and before the words that begin a clause."""
        pieces = []
        for part in filter(str.strip, _MARKS.split(text)):
            said = part.casefold()
            starts = {found.start() for found in self._pattern("clause_starts").finditer(said)}
            if subject := self._pattern("subjects").match(said):
                verbs = self._pattern("verbs").finditer(said)
                starts |= {each.start() for each in verbs if each.start() > subject.end() + 1 and not _is_form(each[0])}
            cuts = [0, *sorted(starts - {0}), len(part)]
            pieces += [part[start:end].strip() for start, end in pairwise(cuts)]
        return pieces

    def _without_remarks(self, text: str) -> Iterator[str]:
        """Yield the parts of a sentence beside which nothing else is asked for, the longest first."""
        pieces = self._pieces(text)
        count = len(pieces)
        if count == 1 and (shorter := self._without_fillers(pieces[0])) != text:
            yield shorter
        spans = [(start, end) for start in range(count) for end in range(start + 1, count + 1)]
        for start, end in sorted(spans, key=lambda span: span[0] - span[1]) if 1 < count <= _MOST_PIECES else ():
            kept, left = " ".join(pieces[start:end]), [*pieces[:start], *pieces[end:]]
            about = self._evidence(kept)
            is_wish = any(about[each] for each in (*_NAMED, "numbers", "direction"))
            if left and is_wish and all(self._is_remark(each, about) for each in left):
                yield self._without_fillers(kept)

    def _is_remark(self, text: str, about: Mapping[str, Any]) -> bool:
        """Return whether a part of a sentence neither asks for anything nor limits what the other part asks for."""
        said = self._evidence(text.rstrip(" ?"))
        if said["numbers"] or said["colors"] or said["is_negated"]:
            return False
        if said["is_question"] and not about["is_question"]:
            return False
        things = self._things(text, said)
        if not set(said["areas"]) <= set(about["areas"]) or not things <= self._things("", about):
            return False
        is_more = bool(things) or self._pattern("bare_starts").match(text.casefold())
        if is_more and not self._pattern("statements").search(text.casefold()):
            return False
        rest = self._without_fillers(text.casefold())
        if self._pattern("verbs").match(rest) or self._pattern("limits").search(rest):
            return False
        return not any(found.end() == len(rest) for found in self._pattern("open_ends").finditer(rest))

    def _things(self, text: str, said: Mapping[str, Any]) -> set[str]:
        """Return the devices and kinds that a part of a sentence names; "it's freezing" names no heater."""
        kinds = set(said["kinds"])
        if text:
            words = self._index.kind_words(self._index.windows(words_of(text)))
            kinds = {kind for word in words if not word.is_vague for kind in word.kinds}
        return kinds.union(self._index.without_scenes(said["entities"]))

    def _without_fillers(self, text: str) -> str:
        filler = self._pattern("fillers")
        while (found := filler.match(text.casefold())) and (rest := text[found.end() :].lstrip(" ,")):
            text = rest
        return text

    # What is put first

    def _with_topic(self, text: str) -> Iterator[str]:
        """Yield sentences in which "it" is what was named before: "the porch light, put it at 60"."""
        if self._evidence(text)["is_question"]:  # "is the fan on or did I switch it off" switches nothing
            return
        verbs = self._pattern("verbs").finditer(text.casefold())
        for at in [found.start() for found in verbs if found.start()][:_MOST_VERBS]:
            topic, rest = text[:at].strip(" ,.;:"), text[at:]
            found = self._pattern("pronouns").search(rest.casefold())
            if found and topic and (name := self._topic(topic)):
                yield f"{rest[: found.start()]}{name}{rest[found.end() :]}"

    def _topic(self, text: str) -> str:
        """Return what a part of a sentence names: the only device in it, or all of it where it is only a name."""
        said = self._evidence(text)
        named = said["entities"] or said["meant"]
        if len(named) == 1 and (said["meant"] or set(said["kinds"]) <= set(self._evidence(named[0])["kinds"])):
            return str(named[0])
        if len(said["areas"]) == 1 and not said["entities"] and not self._things(text, said):
            return str(said["areas"][0])
        is_name = (said["entities"] or said["kinds"]) and not said["unknown"] and not said["is_question"]
        return self._without_fillers(text) if is_name else ""

    def _in_room(self, text: str) -> Iterator[Wording]:
        """Yield what is said about the place that is named first: "in the office, dim the lights"."""
        found = self._pattern("in_place").match(text.casefold())
        if not found:
            return
        rest = text[found.end() :].lstrip()
        words = rest.split()
        for count in range(1, min(_LONGEST_PLACE + 1, len(words))):
            yield Wording(" ".join((*words[count:], found[0].strip(), *words[:count])).replace(",", ""))
        for name in sorted(self._house.spoken_in(rest)["area"], key=lambda each: -len(each.text)):
            if rest.casefold().startswith(name.text.casefold()) and (wish := rest[len(name.text) :].lstrip(" ,")):
                yield Wording(wish, name.value)
                return

    def _by_name(self, text: str) -> str:
        """Return a text with "the lamp on the desk" as the desk lamp, where that is the name of a device."""

        def renamed(found: re.Match[str]) -> str:
            name = f"{found['of']} {found['thing']}"
            return name if name.casefold() in self._house.names else found[0]

        return _placed(self._language).sub(renamed, text)


def _is_form(verb: str) -> bool:
    """Return whether a verb is no imperative: "it's starting"."""
    return verb.endswith("ing")


@cache
def _placed(language: Language) -> re.Pattern[str]:
    """Return a pattern of a thing and of what it is near: "lamp on the desk"."""
    near = "|".join(language.near) or "(?!)"
    return re.compile(rf"\b(?P<thing>\w+) (?:{near}) (?P<of>\w+(?: room)?)\b", re.IGNORECASE)
