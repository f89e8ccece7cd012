#!/usr/bin/env python3
"""How many GETs a second a worker answers, and how late: `wrk` on 16 kept connections, the status and the list of 20 connectors.

    bench/rest_reads.py [--runs 5] [--seconds 5]        (needs wrk: apt-get install wrk)
"""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from stage import alone, tell, workers_of
from harness import Kafka, file_source, unique


KEYS, COLUMNS = ["what"], {"requests/s": "requests_per_s", "p99, ms": "p99_ms"}
PATHS = {"status": "/connectors/c-0/status", "list": "/connectors"}
UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def load(url: str, seconds: int) -> dict:
    out = subprocess.run(["wrk", "-t1", "-c16", f"-d{seconds}s", "--latency", url], check=True, text=True, stdout=subprocess.PIPE).stdout
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    assert not wrong, f"{url}: {wrong.group(0)}"
    late = re.search(r"99%\s+([\d.]+)(us|ms|s)", out)
    return {"requests_per_s": float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), "p99_ms": float(late.group(1)) * UNITS[late.group(2)]}


def measure(kafka: Kafka, folder: Path, who: list[str], runs: int, seconds: int = 5) -> list[dict]:
    rows: list[dict] = []
    if not shutil.which("wrk"):
        tell("REST reads are left out: wrk is not installed (apt-get install wrk)")
        return rows
    for peer in who:
        with workers_of(peer, kafka, folder) as cluster:
            w = cluster.workers[0]
            topic = kafka.create_topic(unique("lines"))
            for i in range(20):
                (folder / f"rest-{i}").touch()
                w.create(f"c-{i}", file_source(folder / f"rest-{i}", topic))
                w.running(f"c-{i}")
            for what, path in PATHS.items():
                load(w.url + path, seconds)     # warm
                for run in range(runs):
                    rows.append({"peer": peer, "what": what, "run": run, **load(w.url + path, seconds)})
                    tell(f"{peer}, {what}: {rows[-1]['requests_per_s']:,.0f} a second, p99 {rows[-1]['p99_ms']:.1f} ms")
    return rows


if __name__ == "__main__":
    alone(__doc__, measure, KEYS, COLUMNS, seconds={"type": int, "default": 5})
