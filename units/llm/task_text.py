"""The text of a task's answer, without the calls in it, of which the daemon is told."""

from typing import Any

from units.host import Host
from units.llm.calls import CallStream
from units.llm.options import LlmOptions
from units.llm.task import LlmTask
from units.llm.text import TextStream
from units.llm.tools import ToolCall


def text_stream(host: Host, task: LlmTask, options: LlmOptions, number: int) -> TextStream:
    """Return the stream for an answer of a task; `number` is the inference's."""
    if options.tools is None:
        return TextStream(options.stop)

    told: list[tuple[str, Any]] = []

    def tell(call: ToolCall) -> None:
        task.has_called = True
        if options.devices is not None:
            call = options.devices.meant(call)
            if (call.name, call.arguments) in told:  # a model that says it twice means it once
                return
            told.append((call.name, call.arguments))
        host.say("tool_call", task=task.work_id, inference=number, **call._asdict())

    return CallStream(options.stop, tell)
