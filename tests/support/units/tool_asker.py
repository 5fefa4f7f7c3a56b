"""Tools, and an llm unit that is asked for calls of them."""

from typing import Any

from tests.support.units.engine_bench import BUNDLED
from tests.support.units.fake_host import FakeHost
from unitd.wire.envelope import Envelope
from units.llm.unit import LlmUnit

ROOMS = ["kitchen", "hall"]
SET_LIGHT = {
    "name": "set_light",
    "description": "Turns a light on or off.",
    "parameters": {
        "type": "object",
        "properties": {"room": {"type": "string", "enum": ROOMS}, "is_on": {"type": "boolean"}},
        "required": ["room", "is_on"],
    },
}
TOOLS = [{"type": "function", "function": SET_LIGHT}, {"type": "function", "function": {"name": "get_time"}}]
TOOL_TOKEN = "3"
"""The bundled vocabulary's <tool_call>; a bias on it makes a model that never learnt to call want to."""

KNOWING = (
    "{% for tool in tools or [] %}[{{ tool.function | tojson }}]{% endfor %}"
    "{% for message in messages %}({{ message.role }}){{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}"
    "{% endfor %}"
)
"""A template that knows calls, in few words."""


class Asker:
    """An llm unit without a daemon, and one task of it."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self._unit = LlmUnit(self.host)
        self._unit.load(
            {"path": str(BUNDLED), "slots": 1, "context": 1024, "threads": 1, "exact": True, "cache_dir": ""}
        )
        data = {"prompt": "", "temperature": 0, "max_token_len": 200}
        self._unit.handlers["setup"](Envelope("setup", {"task": "llm.1", "data": data}))

    def ask(self, text: str, **options: Any) -> list[dict[str, Any]]:
        """Run one inference to its end; return the calls."""
        self.host.said.clear()
        fields = {"task": "llm.1", "inference": 1, "is_text": True, "options": options}
        self.host.go_on(self._unit, self._unit.handlers["infer"](Envelope("infer", fields, text.encode())))
        while self._unit.is_busy:
            self._unit.step()
        return [fields for type_, fields in self.host.said if type_ == "tool_call"]

    def close(self) -> None:
        """End the processes of grammars."""
        self._unit.close()
