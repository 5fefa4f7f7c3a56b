"""What is added to the logits of some tokens: by the client's choice, and by what an answer may be."""

import math

from units.llm.llama import Model
from units.llm.options import LlmOptions, SamplerSpec
from units.llm.prompt import PromptMaker
from units.llm.tools import OPEN
from units.setup_values import refusal


def check_bias(model: Model, options: LlmOptions) -> None:
    """Refuse tokens beyond the vocabulary at setup, not at the first answer."""
    spec = options.sampler
    if strange := [token for token, _ in spec.logit_bias if token >= model.vocab_size]:
        raise refusal(f"logit_bias names token {strange[0]}, the vocabulary ends at {model.vocab_size - 1}")


def with_own_biases(model: Model, prompts: PromptMaker, spec: SamplerSpec, options: LlmOptions) -> SamplerSpec:
    """Return the settings with a bias on every token that ends an answer; without tools no token begins a call."""
    ends = tuple((token, options.end_bias) for token in model.end_tokens if options.end_bias)
    calls: tuple[tuple[int, float], ...] = ()
    if options.tools is None and prompts.lists_signatures:
        mark = model.tokenize(OPEN, parse_special=True)
        calls = ((mark[0], -math.inf),) if len(mark) == 1 else ()
    return spec._replace(logit_bias=spec.logit_bias + ends + calls)
