#!/usr/bin/env python3
"""What connectors cost that have nothing to do: N file sources of one exactly-once task each on one worker, made through REST.

    bench/at_rest.py [--connectors 200 1000] [--java-connectors 200]
"""
from __future__ import annotations

import argparse
import concurrent.futures
import time
from pathlib import Path

from stage import FENCEPOST, JAVA, costs, idle_cpu, of_runs, one_kafka, peers, tell, workers_of
from harness import Kafka, file_source, unique
from report import table
from scale import all_run


KEYS = ["connectors"]
COLUMNS = {"s to create": "created_s", "MiB added": "rss_mib", "threads added": "threads", "descriptors added": "fds", "% of a core added": "idle_percent"}


def measure(kafka: Kafka, folder: Path, who: list[str], counts: dict[str, list[int]], clients: int = 4) -> list[dict]:
    rows = []
    for peer in who:
        for count in counts[peer]:
            with workers_of(peer, kafka, folder) as cluster:
                w = cluster.workers[0]
                topic = kafka.create_topic(unique("lines"), 3)
                files = folder / unique("files")
                files.mkdir()
                time.sleep(3)       # a worker at rest is compared with one at rest
                alone = idle_cpu([w.process.pid])
                empty = costs(w.process.pid)

                def create(i: int):
                    (files / str(i)).touch()
                    w.create(f"c-{i:04}", file_source(files / str(i), topic))
                begin = time.monotonic()
                with concurrent.futures.ThreadPoolExecutor(clients) as pool:
                    list(pool.map(create, range(count)))
                all_run(w, [w], count, 600)
                created = time.monotonic() - begin
                time.sleep(5)
                share = idle_cpu([w.process.pid])
                full = costs(w.process.pid)
                rows.append({"peer": peer, "connectors": count, "created_s": created, "idle_percent": (share - alone) * 100,
                             **{k: full[k] - empty[k] for k in ("rss_mib", "threads", "fds")}})
                tell(f"{peer}: {rows[-1]}")
    return rows


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--connectors", type=int, nargs="+", default=[200, 1000])
    p.add_argument("--java-connectors", type=int, nargs="+", default=[200])
    of_runs(p)
    a = p.parse_args()
    with one_kafka() as (kafka, folder):
        rows = measure(kafka, folder, peers(a.only or [FENCEPOST, JAVA]), {FENCEPOST: a.connectors, JAVA: a.java_connectors})
    print(table(rows, KEYS, COLUMNS))


if __name__ == "__main__":
    main()
