"""The sampler's settings of an answer, after its grammar was compiled in a process of its own."""

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import LATER, UnitFault
from units.llm.gbnf import MAX_BYTES
from units.llm.grammars import TOO_COMPLEX, Grammar, Grammars
from units.llm.options import LlmOptions, SamplerSpec
from units.setup_values import refusal
from units.trials import Began, Trials

# The same tools and schemas come with each question of a conversation.
REMEMBERED = 32
# A grammar that was compiled for its trial is used as it is by the answer. Each takes some MB while the answer
# waits for its turn, so beyond these it is compiled again when that comes.
MOST_KEPT = 4

GoOn = Callable[[SamplerSpec | UnitFault, Grammar | None], Mapping[str, Any] | None]
"""Goes on with the settings, or with the reason why there are none, and with the grammar if it has just been compiled;
returns or raises as a handler does."""


class TriedSettings:
    """The grammars that were tried, and the settings that resulted."""

    def __init__(self, grammars: Grammars, trials: Trials) -> None:
        self._grammars = grammars
        self._trials = trials
        self._known: OrderedDict[bytes, SamplerSpec] = OrderedDict()

    def of(self, envelope: Envelope, options: LlmOptions, go_on: GoOn) -> Mapping[str, Any] | None:
        """Go on with the settings of these options, at once or when their grammar has been tried (LATER)."""
        spec, tools = options.sampler, options.tools
        if not (spec.grammar or spec.json_schema or tools):
            return go_on(spec, None)
        if len(spec.grammar) + len(spec.json_schema) > MAX_BYTES:
            return go_on(refusal(f"grammar or json_schema has more than {MAX_BYTES} bytes"), None)
        key = pickle.dumps((spec.grammar, spec.json_schema, tools))
        if key in self._known:
            self._known.move_to_end(key)
            return go_on(_with_grammar(spec, self._known[key]), None)

        grammars: list[Grammar] = []

        def begin() -> Began:
            grammars.append(grammar := self._grammars.begin(spec, tools, is_trial=True))
            return Began(grammar.connection, grammar.end, lambda: None if grammar.is_in_use else grammar.close())

        def then(result: SamplerSpec | str | None) -> Mapping[str, Any] | None:
            if not isinstance(result, SamplerSpec):
                return go_on(refusal(result or f"grammar or json_schema is too complex: {TOO_COMPLEX}"), None)
            self._known[key] = result
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
            return go_on(_with_grammar(spec, result), grammars[0] if self._grammars.in_use < MOST_KEPT else None)

        self._trials.add(envelope, begin, then)
        return LATER


def _with_grammar(spec: SamplerSpec, tried: SamplerSpec) -> SamplerSpec:
    return spec._replace(grammar=tried.grammar, json_schema="", wakes_at=tried.wakes_at)
