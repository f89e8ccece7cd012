#!/usr/bin/env python3
"""Many connectors on few workers: 1,000 idle file sources of one task each over three workers, made through REST. Then one worker is killed.
Printed are the times until all run, and what each worker takes: memory, threads, file descriptors, CPU. Fencepost first, then Java Kafka
Connect where its jars are at hand; it needs a producer and several threads for each connector.

  bench/scale.py [--connectors 1000] [--java-connectors 1000] [--workers 3] [--only Fencepost "Java Connect"]
"""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import sys
import time
from pathlib import Path

from stage import FENCEPOST, JAVA, add_worker, costs, idle_cpu, one_kafka, peers, tell  # first: it finds the Python and the harness
from harness import Cluster, Kafka, eventually, file_source, unique


def running(worker, live: set) -> collections.Counter | None:
    """Tasks by worker where every connector and its task run on live workers; None else."""
    r = worker.call("GET", "/connectors?expand=status", timeout=60)
    if r.status_code != 200:
        return None
    tasks: collections.Counter = collections.Counter()
    for answer in r.json().values():
        s = answer["status"]
        if s["connector"]["state"] != "RUNNING" or s["connector"]["worker_id"] not in live or len(s["tasks"]) != 1:
            return None
        t = s["tasks"][0]
        if t["state"] == "FAILED":
            raise RuntimeError(t)
        if t["state"] != "RUNNING" or t["worker_id"] not in live:
            return None
        tasks[t["worker_id"]] += 1
    return tasks


def all_run(worker, workers, count: int, within: float) -> collections.Counter:
    live = {w.id for w in workers}
    return eventually(lambda: (t := running(worker, live)) and t.total() == count and len(t) == len(live) and t, within,
                      f"{count} tasks run on {len(live)} workers", every=0.1)


def run(kafka: Kafka, folder: Path, peer: str, count: int, size: int = 3, clients: int = 8, level: str = "enabled", within: float = 900) -> dict:
    """`count` connectors over `size` workers, made by `clients` at the same time; no step may take longer than `within` seconds."""
    cluster = Cluster(kafka, folder / unique("cluster"), exactly__once__source__support=level)
    topic = kafka.create_topic(unique("lines"), 3)
    files = folder / unique("files")
    files.mkdir()
    out: dict = {"what": peer, "connectors": count, "workers": size}
    try:
        for _ in range(size):
            add_worker(cluster, peer).start()
        cluster.all_ready()
        workers = cluster.workers
        out["empty"] = [costs(w.process.pid) for w in workers]

        def create(i: int):
            name = f"c-{i:04}"
            (files / name).touch()
            w = workers[i % len(workers)]
            # A rebalance answers 409, a leader that is busy may time out: both are repeated.
            eventually(lambda: w.settled("PUT", f"/connectors/{name}/config", file_source(files / name, topic), within=within).status_code in (200, 201),
                       within, f"{name} is created", every=0.2)
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            list(pool.map(create, range(count)))
        out["created_s"] = time.monotonic() - begin
        all_run(workers[0], workers, count, within)
        out["running_s"] = time.monotonic() - begin
        out["full"] = [costs(w.process.pid) for w in workers]
        out["idle_cpu"] = idle_cpu([w.process.pid for w in workers])
        tell(f"{out['what']}: {count} run after {out['running_s']:.1f} s; a worker is killed")
        survivors = workers[:-1]
        threads = [costs(w.process.pid)["threads"] for w in survivors]
        begin = time.monotonic()
        workers[-1].kill()
        placed = all_run(workers[0], survivors, count, within)
        out["after_kill_s"] = time.monotonic() - begin
        out["after_kill"] = [costs(w.process.pid) for w in survivors]
        out["threads_added"] = [costs(w.process.pid)["threads"] - t for w, t in zip(survivors, threads)]
        out["placed"] = sorted(placed.values())
        begin = time.monotonic()
        workers[-1].start().ready(within=300)
        all_run(workers[0], workers, count, within)
        out["after_return_s"] = time.monotonic() - begin
        begin = time.monotonic()
        for w in survivors:
            w.stop(within=300)
        workers[-1].stop(within=300)
        out["stopped_s"] = time.monotonic() - begin
        return out
    finally:
        cluster.close()


KEYS = ["connectors"]
COLUMNS = {"s to create": "created_s", "s after a kill": "after_kill_s", "s after its return": "after_return_s", "MiB of the largest": "rss_mib",
           "threads of the largest": "threads", "descriptors of the largest": "fds", "% of a core, all": "idle_percent"}


def measure(kafka: Kafka, folder: Path, who: list[str], counts: tuple[int, ...] = (300, 1000)) -> list[dict]:
    """A row for each; where a peer does not cope with so many, the row says how it failed."""
    rows = []
    for peer in who:
        for count in counts:
            try:
                r = run(kafka, folder, peer, count, within=300)
            except (AssertionError, RuntimeError) as e:
                rows.append({"peer": peer, "connectors": count, "failed": f"{peer} did not cope with {count:,} connectors within 300 s a step: {str(e)[:200]}"})
            else:
                rows.append({"peer": peer, "idle_percent": r["idle_cpu"] * 100, **{k: r[k] for k in ("connectors", "created_s", "after_kill_s", "after_return_s")},
                             **{k: max(c[k] for c in r["full"]) for k in ("rss_mib", "threads", "fds")}})
            tell(f"{rows[-1]}")
    return rows


def show(r: dict) -> None:
    def each(rows, key, form="{:.0f}"):
        return " ".join(form.format(c[key]) for c in rows)
    print(f"\n{r['what']}: {r['connectors']:,} connectors of one task over {r['workers']} workers")
    print(f"  created through REST                 {r['created_s']:8.1f} s   ({r['connectors'] / r['created_s']:.0f} a second)")
    print(f"  all running, from the first request  {r['running_s']:8.1f} s")
    print(f"  a worker killed -> all running again {r['after_kill_s']:8.1f} s   (session timeout 6 s and delay 1 s included), tasks {r['placed']}")
    print(f"  it came back -> balanced again       {r['after_return_s']:8.1f} s")
    print(f"  all stopped in order                 {r['stopped_s']:8.1f} s")
    print(f"  idle CPU of all workers              {r['idle_cpu'] * 100:8.1f} % of a core")
    for label, key in (("RSS, MiB", "rss_mib"), ("threads", "threads"), ("file descriptors", "fds")):
        print(f"  {label:17} without connectors {each(r['empty'], key)}; with {each(r['full'], key)}; survivors {each(r['after_kill'], key)}")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--connectors", type=int, default=1000)
    p.add_argument("--java-connectors", type=int, default=1000)
    p.add_argument("--workers", type=int, default=3)
    p.add_argument("--clients", type=int, default=8, help="requests at the same time")
    p.add_argument("--level", default="enabled", choices=["disabled", "enabled"], help="exactly.once.source.support")
    p.add_argument("--only", nargs="+", default=[FENCEPOST, JAVA])
    p.add_argument("--json", action="store_true", help="one JSON line a run")
    arguments = p.parse_args()

    failed = False
    with one_kafka() as (kafka, folder):
        for peer in peers(arguments.only):
            count = arguments.java_connectors if peer == JAVA else arguments.connectors
            tell(f"{peer}: {count} connectors")
            try:
                result = run(kafka, folder, peer, count, arguments.workers, arguments.clients, arguments.level)
            except AssertionError as e:
                failed = failed or peer == FENCEPOST
                print(f"\n{peer}: did not cope with {count} connectors: {e}")
                continue
            print(json.dumps(result)) if arguments.json else show(result)
    sys.exit(failed)


if __name__ == "__main__":
    main()
