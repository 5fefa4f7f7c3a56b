"""Conversations with tools that clients bring: calls with words of the sentence, results to report, questions back."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from train.chatml import tools_text
from train.corpus.base import Message, Scene, Split, normal
from train.corpus.dialogue import system_messages
from train.corpus.tools.own.own_tools_asking import question_about, reply_to
from train.corpus.tools.own.own_tools_catalog import SLOT, OwnTool, Parameter, Phrase, Style, all_functions, named
from train.corpus.tools.own.own_tools_chains import ChainTools, chain_messages, draw_chain
from train.corpus.tools.own.own_tools_fillers import Filled, Value, choices, draw_filled, lists
from train.corpus.tools.own.own_tools_made import draw_made
from train.corpus.tools.own.own_tools_results import DONE, draw_outcome
from train.corpus.tools.own.own_tools_saying import Said, say
from train.corpus.tools.own.own_tools_turns import Exchange, answered, called, resulted
from train.corpus.tools.requests import Place
from train.corpus.tools.skills.skill_gaps import NO_TOOL
from train.corpus.tools.talk import (
    CHAT_CATEGORIES,
    Probe,
    after_request,
    draw_place,
    draw_request,
    user_turn,
    with_outcome,
)
from train.corpus.tools.toolbox import read_calls

TRIES = 60
PROBES = 200
PROBE_SEED = 40_000
GENERAL = frozenset((
    "get", "set", "add", "create", "new", "list", "find", "search", "check", "start", "stop", "open", "read", "change",
    "show", "update", "delete", "remove", "send", "make", "play", "book", "order", "move", "call", "info", "status",
))  # fmt: skip
"""Words of names that say little about what a function is for."""

RELATED = (
    {"messages", "mail", "calls", "contacts", "phone", "social", "people", "crm", "customers", "tts", "display"},
    {"notes", "tasks", "lists", "calendar", "reminders", "timer", "assistant", "files", "documents", "hr", "projects",
     "system", "support", "git"},
    {"music", "radio", "podcast", "tv", "reading", "library", "games", "shop", "store", "orders", "restaurant",
     "delivery", "travel", "books", "movies", "player", "products", "cart"},
    {"sensors", "weather", "garden", "factory", "lab", "plc", "gpio", "relay", "motor", "energy", "farm", "aquarium",
     "pool", "machines", "sauna", "kitchen", "car", "robot", "drone"},
)  # fmt: skip
"""Domains so near to each other that a tool of one could be taken for a request to another."""

ABLE_TO_DO_ANYTHING = frozenset({"search", "shell", "http", "webhook", "database", "translate", "mqtt", "dictionary"})
JOINED = ("item", "person", "product", "plant", "machine", "file", "program", "host", "dish", "pet", "object", "song")
"""Fillers of which two may stand in one sentence: "add milk and eggs"."""


@dataclass(frozen=True)
class Client:
    """The tools of one client, perhaps beside those of a house."""

    rng: random.Random
    split: Split
    tools: tuple[OwnTool, ...]
    asked: tuple[OwnTool, ...]
    """The tools that requests are about."""

    chain: ChainTools | None
    place: Place | None

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """Return all tools in OpenAI's format, in the order of the list."""
        own = [tool.schema() for tool in self.tools]
        return [*self.place.toolbox.functions(), *own] if self.place else own

    def functions(self) -> list[dict[str, Any]]:
        """Return all tools; those of the house have the names of their devices, as the daemon offers them."""
        own = [tool.schema() for tool in self.tools]
        if not self.place:
            return own
        return [*self.place.toolbox.functions_for({e.name: e.kind for e in self.place.house.entities}), *own]


def draw_client(rng: random.Random, split: Split) -> Client:
    """Return the tools of a client; in the evaluation, most requests are about functions that were never trained."""
    style = Style.draw(rng)
    known = [each for each in all_functions() if split != "train" or not each.is_held]
    if split != "train" and rng.random() < 0.7:
        wanted = [each for each in known if each.is_held]
    else:
        wanted = [each for each in known if not each.is_held]
    first = rng.choice(wanted)
    near = [each for each in known if each.domain == first.domain and each != first]
    chosen = [first, *rng.sample(near, min(len(near), rng.choice((0, 0, 1, 2, 4))))]
    chosen += rng.sample(known, rng.choice((0, 0, 1, 2, 3, 4, 6)))
    made = [draw_made(rng, split) for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3, 4)))]
    tools = [named(rng, each, style) for each in (*chosen, *made)]
    chain = draw_chain(rng, split, style) if rng.random() < 0.22 else None
    asked = [tool for tool in tools if tool.function in (first, *made) or rng.random() < 0.7]
    asked = [tool for tool in asked if split == "train" or tool.function in wanted or tool.function in made]
    offered = [*tools, *((chain.finder, chain.actor) if chain else ())]
    rng.shuffle(offered)
    place = draw_place(rng, split) if rng.random() < 0.2 else None
    taken = {function["function"]["name"] for function in place.toolbox.functions()} if place else set()
    unique = {tool.name: tool for tool in offered if tool.name not in taken}
    if chain and not (unique.get(chain.finder.name) is chain.finder and unique.get(chain.actor.name) is chain.actor):
        return draw_client(rng, split)
    kept = tuple(tool for tool in asked if unique.get(tool.name) is tool)
    return Client(rng, split, tuple(unique.values()), kept, chain, place) if kept else draw_client(rng, split)


def client_system(client: Client, scene: Scene) -> Message:
    """Return the system message: the assistant's role, the devices of a house if there is one, the tools."""
    prompt = [message.content for message in system_messages(client.rng, scene)]
    devices = [client.place.house.listing] if client.place and client.place.house.entities else []
    return Message("system", "\n\n".join([*prompt, *devices, tools_text(client.schemas)]))


def _phrase(client: Client, tool: OwnTool, few: tuple[int, ...] = (0,)) -> Phrase | None:
    """Return a phrasing of a tool that lacks this many required parameters."""
    for _ in range(TRIES):
        phrase = tool.function.phrase(client.rng, client.split)
        if len(tool.function.lacks(phrase)) in few:
            return phrase
    return None


def _filled(client: Client, tool: OwnTool) -> dict[str, Filled]:
    return {each.slot: draw_filled(client.rng, client.split, each.filler) for each in tool.function.parameters}


def _done(client: Client, tool: OwnTool, phrase: Phrase, values: Mapping[str, Value]) -> list[Message]:
    """Return the call with its result and the answer; after an error, sometimes the same again."""
    rng = client.rng
    outcome = draw_outcome(rng, client.split, tool, phrase, values)
    messages = [called(tool.call(values)), resulted(outcome.result), answered(outcome.answer)]
    if outcome.answer.startswith("I'm sorry") and rng.random() < 0.4:
        again = lists("own_replies")["retry"].pick(rng, client.split)
        messages += [Message("user", say(rng, again, {}).text), *_done(client, tool, phrase, values)]
    return messages


def one_call(client: Client) -> Exchange | None:
    """Return a request that one call does."""
    tool = client.rng.choice(client.asked)
    phrase = _phrase(client, tool)
    if phrase is None:
        return None
    said = say(client.rng, phrase.template, _filled(client, tool))
    values = {**said.values, **tool.fixed(phrase)}
    messages = [Message("user", said.text), *_done(client, tool, phrase, values)]
    if client.rng.random() < 0.15:
        messages += _changed(client, tool, phrase, values)
    return Exchange("own call", messages)


def _changed(client: Client, tool: OwnTool, phrase: Phrase, values: Mapping[str, Value]) -> list[Message]:
    """Return the same request with another value: "and Ben too", or "no, I meant Ben"."""
    rng = client.rng
    slots = [each for each in tool.function.parameters if each.slot in phrase.slots and each.filler != "flag"]
    if len(slots) != 1 or phrase.field:
        return []
    block = rng.choice(("again", "instead"))
    filled = {"value": draw_filled(rng, client.split, slots[0].filler)}
    said = say(rng, lists("own_replies")[block].pick(rng, client.split), filled, is_bare=True)
    then = {**values, slots[0].slot: said.values["value"]}
    if then == values:
        return []
    return [Message("user", said.text), *_done(client, tool, phrase, then)]


def two_values(client: Client) -> Exchange | None:
    """Return a request with two values for one parameter, and so two calls: "add milk and eggs"."""
    rng = client.rng
    tool = rng.choice(client.asked)
    phrase = _phrase(client, tool)
    slots = [
        each for each in tool.function.parameters if each.filler in JOINED and phrase and each.slot in phrase.slots
    ]
    if phrase is None or not slots:
        return None
    slot = slots[0].slot
    template = phrase.template.replace(f"{{{slot}}}", f"{{{slot}}} and {{second}}")
    filled = _filled(client, tool) | {"second": draw_filled(rng, client.split, slots[0].filler)}
    said = say(rng, template, filled)
    rest = {**said.values, **tool.fixed(phrase)}
    second = rest.pop("second")
    return _several(client, said, [(tool, phrase, rest), (tool, phrase, {**rest, slot: second})])


def two_calls(client: Client) -> Exchange | None:
    """Return a request for two tools in one sentence."""
    rng = client.rng
    if len(client.asked) < 2:
        return None
    tools = rng.sample(client.asked, 2)
    phrases = [_phrase(client, tool) for tool in tools]
    filled: dict[str, Filled] = {}
    templates: list[str] = []
    for place, (tool, phrase) in enumerate(zip(tools, phrases, strict=True)):
        if phrase is None:
            return None
        filled |= {f"{place}_{slot}": each for slot, each in _filled(client, tool).items()}
        templates.append(SLOT.sub(rf"{{{place}_\1}}", phrase.template))
    if any(filled[slot].is_open for slot in SLOT.findall(templates[0])):
        return None
    joint = rng.choice((" and ", " and ", " and then ", ", and ", ", then ", " and also ", ". also ", " plus "))
    said = say(rng, templates[0] + joint + templates[1], filled)
    parts = []
    for place, (tool, phrase) in enumerate(zip(tools, phrases, strict=True)):
        values = {slot[2:]: value for slot, value in said.values.items() if slot.startswith(f"{place}_")}
        parts.append((tool, phrase or Phrase("", {}), {**values, **(tool.fixed(phrase) if phrase else {})}))
    return _several(client, said, parts)


def _several(client: Client, said: Said, parts: list[tuple[OwnTool, Phrase, dict[str, Value]]]) -> Exchange:
    """Return the exchange of several calls in one answer."""
    outcomes = [draw_outcome(client.rng, client.split, tool, phrase, values) for tool, phrase, values in parts]
    failed = [each.answer for each in outcomes if each.answer.startswith("I'm sorry")]
    answers = failed[:1] or [each.answer for each in outcomes]
    answer = "All done." if set(answers) == {DONE} else " ".join(dict.fromkeys(answers))
    calls = called(*(tool.call(values) for tool, _, values in parts))
    results = [resulted(each.result) for each in outcomes]
    return Exchange("own calls", [Message("user", said.text), calls, *results, answered(answer)])


def asked_back(client: Client) -> Exchange | None:
    """Return a request that lacks what a tool needs: a question, the user's reply, the call."""
    rng = client.rng
    tool = rng.choice(client.asked)
    phrase = _phrase(client, tool, (1, 2))
    if phrase is None:
        return None
    said = say(rng, phrase.template, _filled(client, tool))
    values = {**said.values, **tool.fixed(phrase)}
    messages = [Message("user", said.text)]
    for missing in tool.function.lacks(phrase):
        messages.append(answered(question_about(tool.names[missing.slot], choices(missing.filler))))
        if rng.random() < 0.08:
            reply = say(rng, lists("own_replies")["never mind"].pick(rng, client.split), {}, is_bare=True)
            return Exchange("own question", [*messages, Message("user", reply.text), answered("All right.")])
        text, value = _reply(client, missing)
        values[missing.slot] = value
        messages.append(Message("user", text))
    return Exchange("own question", [*messages, *_done(client, tool, phrase, values)])


def _reply(client: Client, missing: Parameter) -> tuple[str, Value]:
    filled = draw_filled(client.rng, client.split, missing.filler)
    said = say(client.rng, reply_to(client.rng, client.split, missing.filler), {"value": filled}, is_bare=True)
    return said.text, said.values["value"]


def no_tool(client: Client) -> Exchange | None:
    """Return a request that none of the tools can do."""
    rng = client.rng
    domains = {tool.function.domain for tool in client.tools}
    if client.place or not domains.isdisjoint(ABLE_TO_DO_ANYTHING):
        return None
    near = domains.union(*(group for group in RELATED if not group.isdisjoint(domains)))
    words = frozenset().union(*(tool.function.words for tool in client.tools)) - GENERAL
    known = [each for each in all_functions() if each.domain not in near and words.isdisjoint(each.words)]
    function = rng.choice([each for each in known if each.is_held == (client.split != "train")] or known)
    if function.is_held and client.split == "train":
        return None
    tool = named(rng, function, Style("_", False, True))
    phrase = _phrase(client, tool)
    if phrase is None:
        return None
    said = say(rng, phrase.template, _filled(client, tool))
    return Exchange("no tool", [Message("user", said.text), answered(NO_TOOL)])


def in_sequence(client: Client) -> Exchange | None:
    """Return a request that needs two calls, the second with a result of the first."""
    if client.chain is None:
        return None
    return Exchange("own chain", chain_messages(client.rng, client.split, client.chain))


def of_the_house(client: Client) -> Exchange | None:
    """Return a request to the devices of the house."""
    if client.place is None:
        return None
    asked = with_outcome(client.rng, draw_request(client.place, None))
    messages = [user_turn(client.rng, asked), *after_request(asked), answered(asked.answer)]
    return Exchange(asked.kind, messages)


def talk(client: Client) -> Exchange | None:
    """Return an exchange that needs no tool."""
    rng = client.rng
    # What the others answer could be the task of a tool: a sum, the weather, a fact.
    category = rng.choice([each for each in CHAT_CATEGORIES if each.name in ("smalltalk", "identity", "personal")])
    messages: list[Message] = []
    for turn in category.make(rng, client.split, Scene()):
        user = say(rng, turn.user.replace("{", "(").replace("}", ")"), {}, is_bare=True).text
        messages += [Message("user", user), answered(turn.reply)]
    return Exchange("chat", messages)


MAKERS: tuple[tuple[Callable[[Client], Exchange | None], int], ...] = (
    (one_call, 50), (two_values, 5), (two_calls, 7), (asked_back, 11), (in_sequence, 30), (no_tool, 9),
    (of_the_house, 30), (talk, 8),
)  # fmt: skip
"""The exchanges, and how frequent each is where it is possible."""


def draw_exchange(client: Client) -> Exchange:
    """Return a possible exchange."""
    makers, shares = [maker for maker, _ in MAKERS], [share for _, share in MAKERS]
    while True:
        if exchange := client.rng.choices(makers, shares)[0](client):
            return exchange


def make_own_tool_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation with a client's tools for training, without any of the banned questions."""
    while True:
        client = draw_client(rng, "train")
        messages = [client_system(client, Scene())]
        for _ in range(rng.choice((3, 4, 5, 6, 7))):
            exchange = draw_exchange(client).messages
            if banned.isdisjoint(normal(message.content) for message in exchange if message.role == "user"):
                messages += exchange
        if len(messages) > 1:
            return messages


def asked_of(messages: list[Message]) -> str:
    """Return what must not be trained word for word: the last question, with the one before it if it is short.

    The same few words mean another thing in another conversation, so they alone are no question.
    """
    users = [normal(message.content) for message in messages if message.role == "user"]
    return users[-1] if len(users[-1].split()) > 3 else " / ".join([*users[-2:], ""])


def probe_of(rng: random.Random, start: list[Message], exchange: Exchange, functions: list[dict[str, Any]]) -> Probe:
    """Return the question for one of the assistant's messages of an exchange."""
    places = [at for at, message in enumerate(exchange.messages) if message.role == "assistant"]
    calling = [at for at in places if read_calls(exchange.messages[at].content)]
    at = rng.choice(calling if calling and rng.random() < 0.6 else places)
    before, wanted = [*start, *exchange.messages[:at]], exchange.messages[at].content
    calls = tuple(read_calls(wanted) or ())
    is_report = before[-1].role == "tool" and not calls
    kind = "spoken" if is_report else exchange.kind
    return Probe(before, kind, calls, "" if calls else wanted, asked_of(before), functions)


def make_own_tool_probes(number: int = PROBES, seed: int = PROBE_SEED) -> list[Probe]:
    """Return questions with tools of clients, most of them with functions that were never trained."""
    rng = random.Random(seed)
    probes = []
    for _ in range(number):
        client = draw_client(rng, "heldout")
        start = [client_system(client, Scene())]
        if rng.random() < 0.3:
            start += draw_exchange(replace(client, place=None) if client.place else client).messages
        probes.append(probe_of(rng, start, draw_exchange(client), client.functions()))
    return probes
