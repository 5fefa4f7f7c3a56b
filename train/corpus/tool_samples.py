"""Samples of tool calls: only the tokenizer reads them, so that a later model can learn calls with few tokens."""

from __future__ import annotations

import json
import random

from train.corpus.home_words.things import OPENABLE, ROOMS, SWITCHABLE

NAMES = ("turn_on", "turn_off", "set_level", "set_color", "set_temperature", "open", "close", "lock", "get_state")
SAMPLES = 6000


def tool_samples(seed: int) -> list[str]:
    """Return JSON as tool definitions and calls contain it."""
    rng = random.Random(seed)
    return [json.dumps(_sample(rng), ensure_ascii=False) for _ in range(SAMPLES)]


def _sample(rng: random.Random) -> dict[str, object]:
    name = rng.choice(NAMES)
    entity = f"{rng.choice(ROOMS)} {rng.choice((*SWITCHABLE, *OPENABLE))}"
    if rng.random() < 0.3:
        schema = {"type": "object", "properties": {"entity": {"type": "string"}}, "required": ["entity"]}
        function = {"name": name, "description": f"{name} a device", "parameters": schema}
        return {"type": "function", "function": function}
    if rng.random() < 0.4:
        entity = f"{rng.choice(('light', 'switch', 'cover', 'climate'))}.{entity.replace(' ', '_')}"
    arguments: dict[str, object] = {"entity": entity}
    if rng.random() < 0.4:
        arguments["value"] = rng.randint(0, 100)
    if rng.random() < 0.2:
        return {"name": name, "content": {"ok": rng.random() < 0.9, "state": rng.choice(("on", "off"))}}
    return {"name": name, "arguments": arguments}
