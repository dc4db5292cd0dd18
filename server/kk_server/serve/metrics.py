"""Metrics for Prometheus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from kk_core.errors import KkError
from kk_core.reasons import system_reason
from kk_core.text import text
from kk_server.counts import STEPS, Counts, Histogram, all_of, counts, watch_lag
from kk_server.frontend.listener import ConnectionCounter
from kk_server.visits.visits import Visits


class NoMetrics(KkError):
    """The metrics cannot be served."""


class KkCollector(Collector):
    """Collects gauges and counters from the hub and all processes."""

    def __init__(
        self, visits: Visits, counting: ConnectionCounter, elsewhere: Callable[[], Mapping[str, Counts]]
    ) -> None:
        """Take the sources; `elsewhere` returns the counters of other processes, by name."""
        self._visits = visits
        self._counting = counting
        self._elsewhere = elsewhere

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; called in another thread."""
        # runs in the HTTP server's thread while the loop runs, so it only reads
        others = self._elsewhere()
        total = all_of([counts, *others.values()])
        yield GaugeMetricFamily("kk_sessions", "Open sessions", self._visits.present)
        yield GaugeMetricFamily("kk_connections", "Open connections", self._counting.open)
        tables = GaugeMetricFamily("kk_tables", "Tables by phase", labels=["phase"])
        phases = self._visits.hub.table_cache.phases()
        for phase in ("open", "playing", "finished"):
            tables.add_metric([phase], phases[phase])
        yield tables
        yield CounterMetricFamily("kk_moves", "Moves made", total.moves)
        yield CounterMetricFamily("kk_delta_bytes", "Bytes sent to client programs", total.delta_bytes)
        yield CounterMetricFamily("kk_frame_bytes", "Bytes sent to terminals", total.frame_bytes)
        yield CounterMetricFamily(
            "kk_dropped_frames", "Frames dropped for slow readers", total.dropped_frames
        )
        yield CounterMetricFamily("kk_dropped_keys", "Bursts of keys dropped", total.dropped_keys)
        yield CounterMetricFamily("kk_refused_logins", "Logins refused", total.refused_logins)
        yield _histogram(
            "kk_key_to_paint_seconds", "Time from a key to the frame it causes", total.key_to_paint
        )
        # only this process: a mean over all would hide a single slow one
        yield _histogram("kk_loop_lag_seconds", "Lag of the event loop", counts.loop_lag)
        lags = HistogramMetricFamily(
            "kk_worker_loop_lag_seconds", "Lag of the event loop of each worker", labels=["worker"]
        )
        for worker, theirs in others.items():
            lags.add_metric([worker], _buckets(theirs.loop_lag), theirs.loop_lag.total)
        yield lags


def _histogram(name: str, what: str, times: Histogram) -> HistogramMetricFamily:
    return HistogramMetricFamily(name, what, _buckets(times), times.total)


def _buckets(times: Histogram) -> list[tuple[str, float]]:
    names = [*map(str, STEPS), "+Inf"]
    return list(zip(names, map(float, accumulate(times.counts)), strict=True))


class Metrics:
    """The HTTP server of the metrics, and the task that measures the event loop's lag."""

    def __init__(self, figures: KkCollector, host: str, port: int) -> None:
        """Start the server. Raises `NoMetrics` if the port is taken, or the address is not this machine's."""
        registry = CollectorRegistry()
        registry.register(figures)
        try:
            self._server, self._thread = start_http_server(port, host, registry)
        except (OSError, UnicodeError) as error:
            reason = system_reason(error)
            raise NoMetrics(
                text(
                    "Cannot serve metrics on {host} port {port}: {reason}",
                    host=host,
                    port=port,
                    reason=reason,
                )
            ) from None
        self.port = self._server.server_port
        self._lag = asyncio.create_task(watch_lag())

    async def close(self) -> None:
        """Stop the server."""
        self._lag.cancel()
        await asyncio.to_thread(self._server.shutdown)
        self._server.server_close()
