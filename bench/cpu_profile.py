#!/usr/bin/env python3
"""Where the CPU of a mirroring worker goes: Fencepost's own code, librdkafka with what it calls, or the kernel. Samples by `perf`.

    bench/cpu_profile.py [--runs 3]
"""
from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

from stage import FENCEPOST, alone, delete_topics, tell, workers_of
from harness import Kafka, unique
from mirror import Job, fill, through_worker

KEYS, COLUMNS = ["thread", "code"], {"% of the CPU": "share"}
#: Threads of librdkafka name themselves; all others are called as the program is.
CLIENT_THREAD = "rdk:"


def code_of(module: str, symbol: str) -> str:
    if "kernel" in module or module.startswith("[k"):
        return "kernel"
    if symbol.startswith(("rd_", "rdk_", "mtx_", "thrd_", "cnd_")) or "rdkafka" in module:
        return "librdkafka"
    return "Fencepost" if "fencepost" in symbol else "C and C++ libraries, vdso"


def shares(report: str) -> dict[tuple[str, str], float]:
    out: dict[tuple[str, str], float] = {}
    for line in report.splitlines():
        if line.startswith("#") or line.count("|") != 3:
            continue
        share, thread, module, symbol = (x.strip() for x in line.split("|"))
        place = ("librdkafka's" if thread.startswith(CLIENT_THREAD) else "Fencepost's", code_of(module, symbol.split("] ", 1)[-1]))
        out[place] = out.get(place, 0) + float(share.rstrip("%"))
    return out


def sampled(pid: int, begin: threading.Event, file: Path, seconds: int) -> None:
    begin.wait(60)
    subprocess.run(["perf", "record", "-q", "-F", "997", "-o", file, "-p", str(pid), "--", "sleep", str(seconds)], check=True, stderr=subprocess.DEVNULL)


def measure(kafka: Kafka, folder: Path, who: list[str], runs: int) -> list[dict]:
    if not shutil.which("perf"):
        tell("the profile is left out: perf is not installed")
        return []
    topic, job, rows, file = unique("source"), Job(records=6_000_000, seconds=6), [], folder / "perf.data"
    fill(kafka, topic, job)
    with workers_of(FENCEPOST, kafka, folder) as cluster:
        w = cluster.workers[0]
        for run in range(runs):
            begin = threading.Event()
            sampler = threading.Thread(target=sampled, args=(w.process.pid, begin, file, 4))
            sampler.start()
            through_worker(kafka, w, topic, "interval", job, begun=begin.set)
            sampler.join()
            report = subprocess.run(["perf", "report", "-i", file, "--no-children", "-g", "none", "--stdio", "-t", "|", "--sort", "comm,dso,sym"],
                                    check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            rows += [{"peer": FENCEPOST, "run": run, "thread": thread, "code": code, "share": share}
                     for (thread, code), share in sorted(shares(report).items())]
    delete_topics(kafka, topic)
    return rows


if __name__ == "__main__":
    alone(__doc__, measure, KEYS, COLUMNS)
