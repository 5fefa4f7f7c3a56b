"""`/metrics`: the counters and the present state of the daemon, for Prometheus. docs/http.md has the names.

The runtime counts (`runtime.metrics`); the library only formats the values, anew for each request. So nothing is
counted twice, and there is no cost between requests.
"""

import asyncio
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import psutil
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unitd.core.access.grants import sees
from unitd.doors.http.auth import grant_of
from unitd.doors.http.context import HttpContext
from unitd.runtime.children.memory_budget import Usage
from unitd.runtime.metrics import Histogram, Metrics, ModelMetrics
from unitd.runtime.status import Status
from unitd.runtime.tasks.runner import TaskRunner

DAEMON = "daemon"
"""The name of the daemon's own process among those of its children."""

COUNTED: tuple[tuple[str, str, Callable[[ModelMetrics], int]], ...] = (
    ("unitd_deltas", "Pieces of answers, as they come.", lambda meter: meter.deltas),
    ("unitd_child_restarts", "Unit programs that died and were started again.", lambda meter: meter.restarts),
    ("unitd_failed_tasks", "Tasks given up because their program died over them.", lambda meter: meter.failed_tasks),
    ("unitd_shed_periods", "Microphone periods that came faster than heard.", lambda meter: meter.shed_periods),
)
"""The counters of each model."""

TIMED: tuple[tuple[str, str, Callable[[ModelMetrics], Histogram]], ...] = (
    ("unitd_first_token_seconds", "From a question to the first piece of its answer.", lambda meter: meter.first),
    ("unitd_token_gap_seconds", "Between two pieces of an answer.", lambda meter: meter.gaps),
)


def routes(context: HttpContext) -> list[BaseRoute]:
    """Return the route that Prometheus reads."""

    async def show(request: Request) -> Response:
        processes = {DAEMON: os.getpid()}
        processes |= {child.name: child.pid for child in context.status.children() if child.pid is not None}
        memory, models = await asyncio.to_thread(_resident_bytes, processes), await context.status.memory()
        encode, content_type = choose_encoder(request.headers.get("accept", ""))
        runners = [work for work in context.status.runners() if sees(grant_of(request), work.task.grant_name)]
        return Response(
            encode(MetricsCollector(context.server.metrics, context.status, runners, memory, models)),
            media_type=content_type,
        )

    return [Route("/metrics", show)]


def _resident_bytes(processes: Mapping[str, int]) -> dict[str, int]:
    """Return the resident memory of each process, without those that have just ended."""
    resident = {}
    for name, pid in processes.items():
        try:
            resident[name] = psutil.Process(pid).memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return resident


class MetricsCollector(Collector):
    """All metrics, as the library expects them."""

    def __init__(
        self, metrics: Metrics, live: Status, runners: Sequence[TaskRunner], memory: Mapping[str, int], models: Usage
    ) -> None:
        """Make the collector; `runners` are the tasks that the client may see."""
        self._metrics = metrics
        self._live = live
        self._runners = runners
        self._memory = memory
        self._models = models

    def collect(self) -> Iterator[Metric]:
        """Yield all metric families."""
        yield from self._counted()
        yield from self._of_models(self._metrics.models)
        yield from self._present()

    def _counted(self) -> Iterator[Metric]:
        metrics = self._metrics
        yield _counter("unitd_requests", "Requests by unit and action.", ["unit", "action"], metrics.requests.items())
        errors = (((str(code),), count) for code, count in metrics.errors.items())
        yield _counter("unitd_errors", "Replies and last frames with an error, by its code.", ["code"], errors)
        dropped = (((door,), count) for door, count in metrics.dropped_frames.items())
        refused = [((), metrics.refused_tokens)]
        yield _counter("unitd_refused_tokens", "Wrong tokens and keys, and such whose time is over.", [], refused)
        yield _counter("unitd_dropped_frames", "Frames that clients were too slow or too gone for.", ["door"], dropped)
        rings = (((end,), count) for end, count in metrics.rings.items())
        yield _counter("unitd_timers", "Timers by how they ended.", ["end"], rings)
        steps = (((step.value,), histogram) for step, histogram in metrics.chain.items())
        yield _histogram("unitd_chain_seconds", "Steps of spoken turns and of wakes.", ["step"], steps)

    def _of_models(self, models: list[ModelMetrics]) -> Iterator[Metric]:
        for name, about, count_of in COUNTED:
            counts = (((each.unit, each.model), count_of(each)) for each in models)
            yield _counter(name, about, ["unit", "model"], counts)
        for name, about, time_of in TIMED:
            times = (((each.unit, each.model), time_of(each)) for each in models)
            yield _histogram(name, about, ["unit", "model"], times)
        tokens = (((each.unit, each.model, kind), count) for each in models for kind, count in each.tokens.items())
        yield _counter("unitd_tokens", "Tokens of answers that have ended.", ["unit", "model", "kind"], tokens)
        seen = (((each.unit, each.model, fate), count) for each in models for fate, count in each.pictures.items())
        yield _counter("unitd_pictures", "Pictures by what became of them.", ["unit", "model", "fate"], seen)
        ends = (((each.unit, each.model, reason), count) for each in models for reason, count in each.ends.items())
        yield _counter("unitd_answers", "Answers by the reason of their end.", ["unit", "model", "reason"], ends)

    def _present(self) -> Iterator[Metric]:
        runners = self._runners
        tasks = Counter((work.task.kind.name, work.state) for work in runners)
        yield _gauge("unitd_tasks", "Tasks by unit and state.", ["unit", "state"], tasks.items())
        # A task of a request or a socket holds one question and gets a new number each time: series without end.
        lasting = (work for work in runners if not work.task.ends_with_owner)
        queues = (((work.task.work_id,), len(work.inferences.queue)) for work in lasting)
        yield _gauge("unitd_queue_length", "Prompts that wait at tasks that outlive their clients.", ["task"], queues)
        connections = (((door,), count) for door, count in self._live.connections.items())
        yield _gauge("unitd_connections", "Clients by door.", ["door"], connections)
        memory = (((name,), size) for name, size in self._memory.items())
        yield _gauge("unitd_resident_memory_bytes", "Memory of the daemon and its children.", ["process"], memory)
        models = self._models
        yield _gauge("unitd_models_memory_bytes", "Memory that models take, or shall have.", [], [((), models.used)])
        yield _gauge("unitd_models_memory_limit_bytes", "Memory that they may take.", [], [((), models.limit)])


Samples = Iterable[tuple[tuple[str, ...], int]]
Timed = Iterable[tuple[tuple[str, ...], Histogram]]


def _counter(name: str, about: str, labels: list[str], samples: Samples) -> Metric:
    family = CounterMetricFamily(name, about, labels=labels)
    for values, count in samples:
        family.add_metric(values, count)
    return family


def _gauge(name: str, about: str, labels: list[str], samples: Samples) -> Metric:
    family = GaugeMetricFamily(name, about, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family


def _histogram(name: str, about: str, labels: list[str], samples: Timed) -> Metric:
    family = HistogramMetricFamily(name, about, labels=labels)
    for values, histogram in samples:
        buckets = [("+Inf" if math.isinf(bound) else str(bound), count) for bound, count in histogram.buckets]
        family.add_metric(values, buckets, histogram.total)
    return family
