#!/usr/bin/env python3
"""Everything that is measured, in one run on one Kafka, with Java Kafka Connect and the bare librdkafka loop beside Fencepost. Writes
bench/results/*.json and *.svg and bench/RESULTS.md.

    bench/run.py                     all stages, 5 runs each (about 50 minutes on two cores)
    bench/run.py --stages start latency --runs 3
    bench/run.py --report            only writes RESULTS.md and the plots anew from bench/results/*.json

Leave the machine alone meanwhile: everything shares its cores, the broker too.
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from pathlib import Path

from stage import CEILING, FENCEPOST, JAVA, ROOT, one_kafka, peers, tell  # first: it finds the Python and the harness
import at_rest
import cpu_profile
import failover
import latency
import mirror
import rest_reads
import scale
import start
from report import bars, median, table

RESULTS = ROOT / "bench" / "results"


def mirrors(kafka, folder, who, runs):
    """A job for each size, with as many records as keep the fastest busy for some seconds: it commits once a second with `interval`."""
    rows = []
    for size, records in ((10, 6_000_000), (100, 6_000_000), (1024, 2_000_000), (10_240, 200_000)):
        rows += mirror.measure(kafka, folder, mirror.Job(size=size, records=records, seconds=6), ["poll", "interval"], who, runs)
    return rows


def tasks(kafka, folder, who, runs):
    rows = []
    for count in (1, 2, 4):
        job = mirror.Job(tasks=count, partitions=4, records=4_000_000, seconds=6)
        rows += mirror.measure(kafka, folder, job, ["poll"], [w for w in who if w != CEILING], min(runs, 3))
    return rows


def converted(kafka, folder, who, runs):
    job = mirror.Job(records=2_000_000, seconds=6, config=mirror.IN_THE_PATH, keys=False)
    return mirror.measure(kafka, folder, job, ["poll", "interval"], [w for w in who if w != CEILING], runs)


def fences(kafka, folder, who, runs):
    topic = kafka.create_topic("fence-bench", 4)
    out = subprocess.run([ROOT / "build" / "release" / "bench" / "fence", "--bootstrap", kafka.bootstrap, "--topic", topic, "--runs", str(runs)],
                         check=True, text=True, stdout=subprocess.PIPE).stdout
    return [{"peer": FENCEPOST, **json.loads(line)} for line in out.splitlines()]


STAGES = {
    "start": start.measure,
    "latency": latency.measure,
    "failover": failover.measure,
    "rest": rest_reads.measure,
    "mirror": lambda k, f, w, n: mirrors(k, f, [CEILING, *w], n),
    "profile": cpu_profile.measure,
    "tasks": tasks,
    "converted": converted,
    "fence": fences,
    "at_rest": lambda k, f, w, n: at_rest.measure(k, f, w, {FENCEPOST: [200, 1000], JAVA: [200]}),
    "scale": lambda k, f, w, n: scale.measure(k, f, w),
}


def machine() -> dict:
    cpu = next(line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    memory = int(next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal"))) // 2**20
    os_name = next((line.split("=", 1)[1].strip('"') for line in Path("/etc/os-release").read_text().splitlines() if line.startswith("PRETTY_NAME")), "")
    version = subprocess.run([ROOT / "build" / "release" / "fencepost", "--version"], text=True, stdout=subprocess.PIPE).stdout.strip()
    java = subprocess.run(["java", "-version"], text=True, stderr=subprocess.PIPE).stderr.splitlines()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], text=True, stdout=subprocess.PIPE).stdout.strip()
    return {"date": time.strftime("%Y-%m-%d"), "cpu": f"{os.cpu_count()} x {cpu}", "memory": f"{memory} GiB", "system": f"{os_name}, Linux {platform.release()}",
            "fencepost": f"{version}, commit {commit}", "java": java[0] if java else "none", "kafka": "4.3.1, one broker on the same machine"}


def rows_of(stage: str) -> list[dict]:
    file = RESULTS / f"{stage}.json"
    return json.loads(file.read_text())["rows"] if file.exists() else []


def ratios(rows: list[dict], keys: list[str], column: str, other: str) -> list[str]:
    """Fencepost's median as a multiple of another's, for each place."""
    out = []
    for place in dict.fromkeys(tuple(r[k] for k in keys) for r in rows if r["peer"] == FENCEPOST):
        ours = [r for r in rows if r["peer"] == FENCEPOST and tuple(r[k] for k in keys) == place]
        theirs = [r for r in rows if r["peer"] == other and tuple(r[k] for k in keys) == place]
        if theirs:
            out.append(f"{', '.join(map(str, place)) or 'all'}: {median(ours, column) / median(theirs, column):.2f}")
    return out


def against_loop(rows: list[dict]) -> list[str]:
    """With the faster of the loop's two ways to commit."""
    out = []
    for size in dict.fromkeys(r["size"] for r in rows):
        loops = [r for r in rows if r["peer"] == CEILING and r["size"] == size]
        if not loops:
            continue
        best = max((median([r for r in loops if r["boundary"] == b], "records_per_s") for b in {r["boundary"] for r in loops}))
        for boundary in ("poll", "interval"):
            ours = [r for r in rows if r["peer"] == FENCEPOST and r["size"] == size and r["boundary"] == boundary]
            if ours:
                out.append(f"{size}, {boundary}: {median(ours, 'records_per_s') / best:.2f}")
    return out


SECTIONS = [
    ("mirror", "Mirror, one task, one partition, by record size", ["size", "boundary"], mirror.COLUMNS),
    ("profile", "Where a worker's CPU goes while it mirrors 100-byte records with `interval`", cpu_profile.KEYS, cpu_profile.COLUMNS),
    ("tasks", "Mirror of 100-byte records, four partitions, by tasks (`poll`)", ["tasks"], mirror.COLUMNS),
    ("converted", "Mirror through JsonConverter with schemas, Filter with a predicate, InsertField and RegexRouter, 100-byte records", ["boundary"], mirror.COLUMNS),
    ("latency", "From a record's production to a read_committed consumer of the target, 500 records/s", latency.KEYS, latency.COLUMNS),
    ("start", "Start, and an idle worker", start.KEYS, start.COLUMNS),
    ("at_rest", "Idle exactly-once connectors on one worker", at_rest.KEYS, at_rest.COLUMNS),
    ("scale", "Connectors of one exactly-once task each over three workers; one worker is killed and comes back", scale.KEYS, scale.COLUMNS),
    ("failover", "A worker goes; its task runs elsewhere after (SIGKILL: after the session timeout)", failover.KEYS, failover.COLUMNS),
    ("rest", "REST reads, 16 kept connections", rest_reads.KEYS, rest_reads.COLUMNS),
    ("fence", "Fencing 1,000 transactional ids, idle or with a transaction open on each", ["open"], {"s": "seconds"}),
]


def plots() -> list[str]:
    made = []

    def plot(stage, name, *arguments, **more):
        if rows_of(stage):
            bars(rows_of(stage), *arguments, RESULTS / f"{name}.svg", **more)
            made.append(name)

    def place(r):
        return f"{r['size']} B\n{r['boundary']}"
    plot("mirror", "throughput", place, "records_per_s", "Mirror, exactly once, one task", "records/s", log=True)
    plot("mirror", "cpu", place, "us_per_record", "CPU of a mirrored record = CPU seconds of a million", "us", log=True)
    plot("latency", "latency", lambda r: "p99", "p99_ms", "Latency", "ms")
    plot("start", "start", lambda r: "exec -> REST", "start_s", "Start", "s", log=True)
    plot("start", "memory", lambda r: "idle worker", "rss_mib", "Memory", "MiB")
    plot("failover", "failover", lambda r: r["way"], "failover_s", "A worker goes", "s")
    return made


def report() -> None:
    about = json.loads((RESULTS / "machine.json").read_text())
    out = ["# Results", "", "Made by `bench/run.py`; nothing is left out, the worst figures neither. Several runs: least / **median** / most. "
           "The broker shares the cores with whoever is measured. Only ratios within a run mean anything.", ""]
    out += [f"- {k}: {v}" for k, v in about.items()]
    for stage, title, keys, columns in SECTIONS:
        if measured := rows_of(stage):
            rows = [r for r in measured if "failed" not in r]
            out += ["", f"## {title}", "", table(rows, keys, columns)]
            for row in measured:
                out += ["", row["failed"] + "."] if "failed" in row else []
            first = next(iter(columns.values()))
            for column in [first, *(["us_per_record"] if "us_per_record" in columns.values() else [])]:
                if lines := ratios(rows, keys, column, JAVA):
                    out += ["", f"Fencepost : Java Connect, {column}: " + "; ".join(lines) + "."]
            if stage == "mirror" and (lines := against_loop(rows)):
                out += ["", "Fencepost : the bare loop, records_per_s: " + "; ".join(lines) + "."]
    out += ["", "## Plots", ""] + [f"![{name}](results/{name}.svg)" for name in plots()]
    (ROOT / "bench" / "RESULTS.md").write_text("\n".join(out) + "\n")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--stages", nargs="+", default=list(STAGES), choices=list(STAGES))
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--report", action="store_true")
    a = p.parse_args()
    RESULTS.mkdir(exist_ok=True)
    if not a.report:
        (RESULTS / "machine.json").write_text(json.dumps(machine(), indent=1) + "\n")
        with one_kafka() as (kafka, folder):
            who = peers([FENCEPOST, JAVA])
            for stage in a.stages:
                tell(f"stage {stage}")
                rows = STAGES[stage](kafka, folder, who, a.runs)
                (RESULTS / f"{stage}.json").write_text("{\"rows\": [\n" + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
    report()


if __name__ == "__main__":
    main()
