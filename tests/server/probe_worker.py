"""A worker process whose apps are probes: `python -m tests.server.probe_worker CHANNEL HATCH`."""

from __future__ import annotations

from kk_server.workers.worker import main
from tests.server.probe import make_probe

if __name__ == "__main__":
    main(make_probe)
