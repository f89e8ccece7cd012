#!/usr/bin/env python3
"""From exec to the first answer of REST (topics of the group exist already), and what an idle worker takes: memory, threads, descriptors.

    bench/start.py [--runs 5] [--only Fencepost "Java Connect"]
"""
from __future__ import annotations

import time
from pathlib import Path

from stage import add_worker, alone, costs, tell
from harness import Cluster, Kafka, unique
import requests


KEYS, COLUMNS = [], {"exec -> REST, s": "start_s", "RSS, MiB": "rss_mib", "threads": "threads", "descriptors": "fds"}


def answers(url: str, alive) -> None:
    session = requests.Session()
    session.trust_env = False
    while True:
        assert alive(), "the worker ended"
        try:
            if session.get(url + "/connectors", timeout=5).status_code == 200:
                return
        except requests.RequestException:
            pass
        time.sleep(0.002)


def measure(kafka: Kafka, folder: Path, who: list[str], runs: int, settle: float = 5) -> list[dict]:
    rows = []
    for peer in who:
        cluster = Cluster(kafka, folder / unique("cluster"))
        w = add_worker(cluster, peer)
        w.start().ready()       # makes the topics
        w.stop()
        for run in range(runs):
            begin = time.monotonic()
            w.start()
            answers(w.url, w.alive)
            took = time.monotonic() - begin
            time.sleep(settle)      # what it takes at rest is asked for, not at its start
            have = costs(w.process.pid)
            rows.append({"peer": peer, "run": run, "start_s": took, **{k: have[k] for k in ("rss_mib", "threads", "fds")}})
            tell(f"{peer}: REST answers after {took:.2f} s; idle {have['rss_mib']:.0f} MiB, {have['threads']} threads")
            w.stop()
    return rows


if __name__ == "__main__":
    alone(__doc__, measure, KEYS, COLUMNS)
