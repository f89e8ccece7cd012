#!/usr/bin/env python3
"""How long a task stands still when its worker goes: two workers, one mirror under traffic; its worker gets SIGTERM or SIGKILL, and the clock
runs until the task is RUNNING on the other one. With SIGKILL the session timeout is taken off: nobody can know earlier. A worker hears of a
rebalance by its next heartbeat, whoever made it; these are frequent here, so that they do not hide the rest.

    bench/failover.py [--runs 5]
"""
from __future__ import annotations

import time
from pathlib import Path

from stage import alone, tell, workers_of
from harness import Kafka, Traffic, mirror, unique


KEYS, COLUMNS = ["way"], {"s": "failover_s"}
SESSION_S = 6


def measure(kafka: Kafka, folder: Path, who: list[str], runs: int) -> list[dict]:
    rows = []
    for peer in who:
        topic = kafka.create_topic(unique("failover"), 1)
        with workers_of(peer, kafka, folder, 2, scheduled__rebalance__max__delay__ms="0", session__timeout__ms=str(SESSION_S * 1000),
                        heartbeat__interval__ms="200") as cluster, Traffic(kafka, topic, 1, every=0.02):
            name = unique("mirror")
            cluster.workers[0].create(name, mirror(kafka, topic, source__cluster__alias=name))
            for run in range(runs):
                for way, end in (("SIGTERM", "stop"), ("SIGKILL", "kill")):
                    at = cluster.workers[0].running(name, within=120)["tasks"][0]["worker_id"]
                    gone = next(w for w in cluster.workers if w.id == at)
                    other = next(w for w in cluster.workers if w is not gone)
                    begin = time.monotonic()
                    gone.signal(15) if way == "SIGTERM" else gone.kill()
                    other.running(name, within=120, on=other.id)
                    took = time.monotonic() - begin - (SESSION_S if way == "SIGKILL" else 0)
                    rows.append({"peer": peer, "way": way, "run": run, "failover_s": took})
                    tell(f"{peer}, {way}: {took:.2f} s")
                    if gone.alive():
                        gone.ended(60)
                    gone.start().ready()
    return rows


if __name__ == "__main__":
    alone(__doc__, measure, KEYS, COLUMNS)
