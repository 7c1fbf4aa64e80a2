"""What a server did, in figures for Prometheus: an optional extra, at ``/metrics`` where it is installed.

Nothing of who asked, or what: labels are the kinds of addresses there are.
"""

from __future__ import annotations

from typing import Any

PATH = "/metrics"
_EXACT = ("/api/v1/search", "/api/v1/resolve", "/api/v1/find-refs", "/api/v1/openapi.json", "/healthz", PATH)
_BELOW = ("/api/v1/node/", "/cite/")
_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper ends of the groups that times are counted in."""


class Metrics:
    """Counts the requests of one application. Raises ImportError without the extra."""

    def __init__(self) -> None:
        from prometheus_client import (
            CONTENT_TYPE_LATEST,
            CollectorRegistry,
            Counter,
            Gauge,
            Histogram,
            ProcessCollector,
        )

        # A registry of its own: an application beside it in the same process counts for itself.
        self._registry = CollectorRegistry()
        self.kind: str = CONTENT_TYPE_LATEST
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "kb_requests", "Requests answered.", ("route", "method", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "kb_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._build = Gauge("kb_build_info", "The build in use.", ("build",), registry=self._registry)
        self._opened = Gauge("kb_builds_opened", "Builds opened since the start.", registry=self._registry)
        self._kept = Gauge("kb_answers_kept", "Answers kept ready.", registry=self._registry)
        self._bound: dict[tuple[str, str, int], Any] = {}

    def count(self, path: str, method: str, status: int, seconds: float) -> None:
        """One request was answered."""
        key = (route(path), method if method in _METHODS else "other", status)
        bound = self._bound.get(key)
        if bound is None:
            labels = (key[0], key[1], str(status))
            bound = self._requests.labels(*labels), self._seconds.labels(key[0])
            self._bound[key] = bound
        bound[0].inc()
        bound[1].observe(seconds)

    def text(self, build: str, opened: int, kept: int) -> bytes:
        """All figures, as Prometheus reads them."""
        from prometheus_client import generate_latest

        self._build.clear()
        self._build.labels(build).set(1)
        self._opened.set(opened)
        self._kept.set(kept)
        written: bytes = generate_latest(self._registry)
        return written


def route(path: str) -> str:
    """The kind of an address: few, whatever is asked for."""
    if path in _EXACT:
        return path
    return next((below for below in _BELOW if path.startswith(below)), "site")


def metrics() -> Metrics | None:
    """None without the extra."""
    try:
        return Metrics()
    except ImportError:
        return None
