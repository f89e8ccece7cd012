"""What all benchmarks stand on: the peers, a Kafka of their own, and how time, CPU and memory of a process are measured from outside."""
from __future__ import annotations

import argparse
import contextlib
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
    import matplotlib  # noqa: F401
except ImportError:         # start again with the Python of the benchmarks
    venv = subprocess.run([ROOT / "scripts" / "venv", ROOT / "bench" / "requirements.txt"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    os.execv(f"{venv}/bin/python", [f"{venv}/bin/python", *sys.argv])

from harness import Cluster, Kafka, Worker, unique  # noqa: E402
from report import table  # noqa: E402

FENCEPOST, JAVA, CEILING = "Fencepost", "Java Connect", "librdkafka loop"
CEILING_PROGRAM = ROOT / "build" / "release" / "bench" / "ceiling"
#: The Java worker as its own start script would run it: full compiler, a heap that is no bound.
JAVA_ENVIRONMENT = {"CONNECT_HEAP": "2g", "JAVA_OPTS": " ", "CONNECT_LOG": "warn", "KAFKA_HEAP": "1g"}


def tell(text: str) -> None:
    print(f"==> {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def costs(pid: int) -> dict:
    """What a process has now, the most memory that was resident, and the CPU seconds that it and its ended children have used."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return {"rss_mib": int(status["VmRSS"].split()[0]) / 1024, "peak_mib": int(status["VmHWM"].split()[0]) / 1024, "threads": int(status["Threads"]),
            "fds": len(os.listdir(f"/proc/{pid}/fd")), "cpu_s": sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")}


def idle_cpu(pids: list[int], seconds: float = 10) -> float:
    """Share of a core that the processes use together while nothing happens."""
    before = [costs(pid)["cpu_s"] for pid in pids]
    time.sleep(seconds)     # the time itself is what is measured
    return sum(costs(pid)["cpu_s"] - b for pid, b in zip(pids, before)) / seconds


def java_is_at_hand() -> bool:
    """Whether a Java worker can run here; fetches its jars where Maven can."""
    script = ROOT / "scripts" / "kafka"
    if not shutil.which("java") or (subprocess.run([script, "at-hand", "--connect"], check=False).returncode and not shutil.which("mvn")):
        tell("Java Kafka Connect is left out: java and its jars (or mvn) are not at hand")
        return False
    subprocess.run([script, "libs", "--connect"], stdout=subprocess.DEVNULL, check=True)
    return True


def peers(wanted: list[str]) -> list[str]:
    """Those of the wanted that can run here."""
    return [w for w in wanted if w != JAVA or java_is_at_hand()]


@contextlib.contextmanager
def one_kafka():
    """A Kafka and a folder of its own, both gone afterwards."""
    os.environ.update({k: os.environ.get(k, v) for k, v in JAVA_ENVIRONMENT.items()})
    folder = Path(tempfile.mkdtemp(prefix="fencepost-bench-"))
    kafka = None
    try:
        kafka = Kafka(folder / "kafka")
        yield kafka, folder
    finally:
        if kafka:
            kafka.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def workers_of(peer: str, kafka: Kafka, folder: Path, count: int = 1, **settings: str):
    """Workers of one group, all answering."""
    cluster = Cluster(kafka, folder / unique("cluster"), **settings)
    try:
        for _ in range(count):
            add_worker(cluster, peer).start()
        cluster.all_ready()
        yield cluster
    finally:
        cluster.close()


def add_worker(cluster: Cluster, peer: str) -> Worker:
    w = cluster.worker()
    return w.become_java() if peer == JAVA else w


def delete_topics(kafka: Kafka, *names: str) -> None:
    for future in kafka.admin.delete_topics(list(names), operation_timeout=30).values():
        with contextlib.suppress(Exception):    # what is not there need not go
            future.result(30)


def of_runs(p: argparse.ArgumentParser) -> None:
    p.add_argument("--only", nargs="+", default=None, help="names of peers")
    p.add_argument("--runs", type=int, default=5)


def alone(doc: str, measure, keys: list[str], columns: dict[str, str], **options: dict) -> None:
    """One benchmark by itself, from its command line to its table; `options` are those it has beside --only and --runs, and reach measure() by name."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, how in options.items():
        p.add_argument(f"--{name}", **how)
    of_runs(p)
    a = p.parse_args()
    with one_kafka() as (kafka, folder):
        rows = measure(kafka, folder, peers(a.only or [FENCEPOST, JAVA]), a.runs, **{name: getattr(a, name) for name in options})
    print(table(rows, keys, columns))
