#!/usr/bin/env python3
"""Many connectors on few workers: 1,000 idle file sources of one task each over three workers, made through REST. Then one worker is killed.
Printed are the times until all run, and what each worker takes: memory, threads, file descriptors, CPU. Fencepost first, then Java Kafka
Connect where its jars are at hand, with fewer connectors unless told otherwise: it needs a producer and several threads for each.

  bench/scale.py [--connectors 1000] [--java-connectors 200] [--workers 3] [--only fencepost java]
"""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "integration"))
try:
    import confluent_kafka  # noqa: F401
except ImportError:         # start again with the Python of the tests
    venv = subprocess.run([ROOT / "scripts" / "venv"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    os.execv(f"{venv}/bin/python", [f"{venv}/bin/python", *sys.argv])

from harness import Cluster, Kafka, eventually, file_source, unique  # noqa: E402


def tell(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


def costs(pid: int) -> dict:
    """What a process has now, and the CPU seconds that it has used."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return {"rss_mib": int(status["VmRSS"].split()[0]) / 1024, "threads": int(status["Threads"]), "fds": len(os.listdir(f"/proc/{pid}/fd")),
            "cpu_s": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")}


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


def idle_cpu(workers, seconds: float = 10) -> float:
    """Share of a core that all of them use while nothing happens."""
    before = [costs(w.process.pid)["cpu_s"] for w in workers]
    time.sleep(seconds)
    return sum(costs(w.process.pid)["cpu_s"] - b for w, b in zip(workers, before)) / seconds


def run(kafka: Kafka, folder: Path, java: bool, count: int, arguments) -> dict:
    cluster = Cluster(kafka, folder / unique("cluster"), exactly__once__source__support=arguments.level)
    topic = kafka.create_topic(unique("lines"), 3)
    files = folder / unique("files")
    files.mkdir()
    out: dict = {"what": "Java Connect" if java else "Fencepost", "connectors": count, "workers": arguments.workers}
    try:
        for _ in range(arguments.workers):
            w = cluster.worker()
            if java:
                w.become_java()
            w.start()
        cluster.all_ready()
        workers = cluster.workers
        out["empty"] = [costs(w.process.pid) for w in workers]

        def create(i: int):
            name = f"c-{i:04}"
            (files / name).touch()
            w = workers[i % len(workers)]
            # A rebalance answers 409, a leader that is busy may time out: both are repeated.
            eventually(lambda: w.settled("PUT", f"/connectors/{name}/config", file_source(files / name, topic), within=600).status_code in (200, 201),
                       600, f"{name} is created", every=0.2)
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(arguments.clients) as pool:
            list(pool.map(create, range(count)))
        out["created_s"] = time.monotonic() - begin
        all_run(workers[0], workers, count, 900)
        out["running_s"] = time.monotonic() - begin
        out["full"] = [costs(w.process.pid) for w in workers]
        out["idle_cpu"] = idle_cpu(workers)
        tell(f"{out['what']}: {count} run after {out['running_s']:.1f} s; a worker is killed")
        survivors = workers[:-1]
        threads = [costs(w.process.pid)["threads"] for w in survivors]
        begin = time.monotonic()
        workers[-1].kill()
        placed = all_run(workers[0], survivors, count, 900)
        out["after_kill_s"] = time.monotonic() - begin
        out["after_kill"] = [costs(w.process.pid) for w in survivors]
        out["threads_added"] = [costs(w.process.pid)["threads"] - t for w, t in zip(survivors, threads)]
        out["placed"] = sorted(placed.values())
        begin = time.monotonic()
        workers[-1].start().ready(within=300)
        all_run(workers[0], workers, count, 900)
        out["after_return_s"] = time.monotonic() - begin
        begin = time.monotonic()
        for w in survivors:
            w.stop(within=300)
        workers[-1].stop(within=300)
        out["stopped_s"] = time.monotonic() - begin
        return out
    finally:
        cluster.close()


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
    p.add_argument("--java-connectors", type=int, default=200)
    p.add_argument("--workers", type=int, default=3)
    p.add_argument("--clients", type=int, default=8, help="requests at the same time")
    p.add_argument("--level", default="enabled", choices=["disabled", "enabled"], help="exactly.once.source.support")
    p.add_argument("--only", nargs="+", default=["fencepost", "java"], choices=["fencepost", "java"])
    p.add_argument("--json", action="store_true", help="one JSON line a run")
    arguments = p.parse_args()

    os.environ.setdefault("KAFKA_HEAP", "1g")
    os.environ.setdefault("CONNECT_HEAP", "1g")
    os.environ.setdefault("JAVA_OPTS", " ")
    os.environ.setdefault("CONNECT_LOG", "warn")
    folder = Path(tempfile.mkdtemp(prefix="fencepost-scale-"))
    kafka, failed = None, False
    try:
        kafka = Kafka(folder / "kafka")
        for what in arguments.only:
            count = arguments.connectors if what == "fencepost" else arguments.java_connectors
            if what == "java" and (not shutil.which("java") or subprocess.run([ROOT / "scripts" / "kafka", "libs", "--connect"], stdout=subprocess.DEVNULL,
                                                                              check=False).returncode):
                tell("Java Kafka Connect is left out: java or its jars are not at hand")
                continue
            if what == "java" and count < arguments.connectors:
                tell(f"Java gets {count} connectors, not {arguments.connectors}: --java-connectors changes that")
            tell(f"{what}: {count} connectors")
            try:
                result = run(kafka, folder, what == "java", count, arguments)
            except AssertionError as e:
                failed = failed or what == "fencepost"
                print(f"\n{what}: did not cope with {count} connectors: {e}")
                continue
            print(json.dumps(result)) if arguments.json else show(result)
    finally:
        if kafka:
            kafka.stop()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
