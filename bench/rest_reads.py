#!/usr/bin/env python3
"""How many GETs a second a worker answers, and how late: `wrk` on 16 kept connections, the status and the list of 20 connectors.

    bench/rest_reads.py [--runs 5] [--seconds 5]        (needs wrk: apt-get install wrk)
"""
from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

from stage import FENCEPOST, JAVA, of_runs, one_kafka, peers, tell, workers_of
from harness import Kafka, file_source, unique
from report import table


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


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=int, default=5)
    of_runs(p)
    a = p.parse_args()
    with one_kafka() as (kafka, folder):
        rows = measure(kafka, folder, peers(a.only or [FENCEPOST, JAVA]), a.runs, a.seconds)
    print(table(rows, ["what"], {"requests/s": "requests_per_s", "p99, ms": "p99_ms"}))


if __name__ == "__main__":
    main()
