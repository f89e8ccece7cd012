#!/usr/bin/env python3
"""Mirrors a topic exactly once and prints records/s, CPU seconds and memory, in one run for: librdkafka's bare consume -> transactional
produce loop (the ceiling), Fencepost, and Java Kafka Connect where its jars are at hand.

    bench/mirror.py                          2 million records of 100 bytes, one task, transaction.boundary poll and interval
    bench/mirror.py --records 200000 --size 1024 --boundary poll --repeat 3 --only fencepost ceiling

All are measured from outside in the same way: from the first record in the target's log to the moment when the last one is committed (the
last stable offset stops growing); CPU is what the process used in that time. Only ratios of one run mean anything; nothing here passes or fails.
"""
from __future__ import annotations

import argparse
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
    from confluent_kafka import OFFSET_END, Consumer, Producer, TopicPartition  # noqa: F401
except ImportError:         # start again with the Python of the tests
    venv = subprocess.run([ROOT / "scripts" / "venv"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    os.execv(f"{venv}/bin/python", [f"{venv}/bin/python", *sys.argv])

from harness import Cluster, Kafka, mirror, unique  # noqa: E402

CEILING = ROOT / "build" / "release" / "bench" / "ceiling"
TICK = os.sysconf("SC_CLK_TCK")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICK


def memory_mib(pid: int) -> float:
    """The most that was resident."""
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


class Target:
    """A topic to be filled, watched by its committed end."""

    def __init__(self, kafka: Kafka, topic: str, partitions: int):
        self.topic, self.partitions = kafka.create_topic(topic, partitions), partitions
        self._consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": unique("watch"), "isolation.level": "read_committed", "log_level": 0})

    def committed(self) -> int:
        return sum(self._consumer.get_watermark_offsets(TopicPartition(self.topic, p), 10, cached=False)[1] for p in range(self.partitions))

    def watch(self, count: int, pid: int, alive) -> dict:
        """Waits until `count` records are committed and the log is quiet; measures the process `pid` meanwhile."""
        begin = time.monotonic()
        while self.committed() == 0:
            assert alive(), "it ended before its first record"
            assert time.monotonic() < begin + 120, "no record within 120 s"
            time.sleep(0.005)
        first, cpu_first, at_first = time.monotonic(), cpu_seconds(pid), self.committed()
        last, cpu_last, end = first, cpu_first, at_first
        rss = memory_mib(pid)
        while time.monotonic() < last + (1.5 if end >= count else 60):
            now = self.committed()
            try:
                cpu, rss = cpu_seconds(pid), memory_mib(pid)
            except (OSError, StopIteration):        # the ceiling ends by itself
                pass
            else:
                if now != end:
                    cpu_last = cpu
            if now != end:
                last, end = time.monotonic(), now
            time.sleep(0.01)
        assert end >= count, f"only {end} of {count} were committed when it fell silent"
        seconds = max(last - first, 1e-3)
        # The markers of the commits stand in the log too; a few thousand among millions.
        return {"records_per_s": (count - at_first) / seconds, "seconds": seconds, "cpu_s": cpu_last - cpu_first, "rss_mib": rss}


def fill(kafka: Kafka, topic: str, count: int, size: int, partitions: int) -> None:
    kafka.create_topic(topic, partitions)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "linger.ms": 50, "batch.size": 1000000, "queue.buffering.max.messages": 500000,
                         "enable.idempotence": True, "log_level": 0})
    filler = os.urandom(size).hex()[:size]
    for i in range(count):
        value = f"{i:010d}{filler}"[:size]
        while True:
            try:
                producer.produce(topic, key=f"{i % 1000:04d}", value=value, partition=i % partitions)
                break
            except BufferError:
                producer.poll(0.05)
    assert producer.flush(120) == 0


def run_worker(kafka: Kafka, folder: Path, command: str | None, topic: str, boundary: str, arguments) -> dict:
    cluster = Cluster(kafka, folder / unique("cluster"), plugin__discovery="service_load")
    w = cluster.worker()
    if command:
        w.command = command
    alias = unique(boundary)
    target = Target(kafka, f"{alias}.{topic}", arguments.partitions)
    try:
        w.start().ready()
        w.create("bench", mirror(kafka, topic, source__cluster__alias=alias, tasks__max=str(arguments.tasks), transaction__boundary=boundary,
                                 transaction__boundary__interval__ms="1000"))
        return target.watch(arguments.records, w.process.pid, w.alive)
    finally:
        cluster.close()


def run_ceiling(kafka: Kafka, topic: str, arguments) -> dict:
    target = Target(kafka, unique("ceiling"), arguments.partitions)
    process = subprocess.Popen([CEILING, "--bootstrap", kafka.bootstrap, "--from", topic, "--to", target.topic, "--count", str(arguments.records)],
                               text=True, stdout=subprocess.PIPE)
    try:
        result = target.watch(arguments.records, process.pid, lambda: process.poll() is None)
        own = json.loads(process.communicate(timeout=60)[0].strip().splitlines()[-1])
        return {**result, "note": f"by its own clock {own['records_per_s'] / 1000:,.0f} k/s, {own['cpu_s']:.1f} s CPU in all"}
    finally:
        if process.poll() is None:
            process.kill()


def java_command() -> str | None:
    """A Java worker, where Java and its jars (or Maven to fetch them) are at hand."""
    script = ROOT / "scripts" / "kafka"
    if not shutil.which("java") or (subprocess.run([script, "at-hand", "--connect"], check=False).returncode and not shutil.which("mvn")):
        return None
    subprocess.run([script, "libs", "--connect"], stdout=subprocess.DEVNULL, check=True)
    os.environ.setdefault("CONNECT_LOG", "warn")
    return f"{script} connect"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--records", type=int, default=2_000_000)
    p.add_argument("--size", type=int, default=100, help="bytes of a record's value")
    p.add_argument("--partitions", type=int, default=1)
    p.add_argument("--tasks", type=int, default=1)
    p.add_argument("--boundary", nargs="+", default=["poll", "interval"], choices=["poll", "interval"])
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--only", nargs="+", default=["ceiling", "fencepost", "java"], choices=["ceiling", "fencepost", "java"])
    p.add_argument("--json", action="store_true", help="one JSON line a run instead of the table")
    arguments = p.parse_args()

    os.environ.setdefault("KAFKA_HEAP", "1g")
    folder = Path(tempfile.mkdtemp(prefix="fencepost-bench-"))
    kafka = None
    rows: list[dict] = []
    try:
        kafka = Kafka(folder / "kafka")
        topic = "bench"
        tell(f"writing {arguments.records} records of {arguments.size} bytes")
        fill(kafka, topic, arguments.records, arguments.size, arguments.partitions)
        java = java_command() if "java" in arguments.only else None
        if "java" in arguments.only and java is None:
            tell("Java Kafka Connect is left out: java and its jars (or mvn) are not at hand")
        if "ceiling" in arguments.only and not CEILING.exists():
            tell(f"the ceiling is left out: {CEILING} is not built")
        for turn in range(arguments.repeat):
            if "ceiling" in arguments.only and CEILING.exists():
                tell("ceiling")
                rows.append({"what": "librdkafka loop (ceiling)", **run_ceiling(kafka, topic, arguments)})
            for boundary in arguments.boundary:
                if "fencepost" in arguments.only:
                    tell(f"fencepost, {boundary}")
                    rows.append({"what": f"Fencepost, {boundary}", **run_worker(kafka, folder, None, topic, boundary, arguments)})
                if java:
                    tell(f"java, {boundary}")
                    rows.append({"what": f"Java Connect, {boundary}", **run_worker(kafka, folder, java, topic, boundary, arguments)})
    finally:
        if kafka:
            kafka.stop()
        shutil.rmtree(folder, ignore_errors=True)

    if arguments.json:
        for row in rows:
            print(json.dumps(row))
        return
    print(f"\n{arguments.records:,} records of {arguments.size} bytes, {arguments.partitions} partition(s), {arguments.tasks} task(s)\n")
    print(f"{'':28}{'records/s':>12}{'CPU s':>9}{'µs/record':>11}{'RSS MiB':>9}")
    for row in rows:
        print(f"{row['what']:28}{row['records_per_s']:>12,.0f}{row['cpu_s']:>9.2f}{row['cpu_s'] * 1e6 / arguments.records:>11.2f}{row['rss_mib']:>9.0f}"
              f"   {row.get('note', '')}")
    best = {row["what"]: row for row in sorted(rows, key=lambda r: r["records_per_s"])}
    for boundary in arguments.boundary:
        ours = best.get(f"Fencepost, {boundary}")
        for name, other in (("the ceiling", best.get("librdkafka loop (ceiling)")), ("Java Connect", best.get(f"Java Connect, {boundary}"))):
            if ours and other:
                print(f"{boundary}: {ours['records_per_s'] / other['records_per_s']:.2f} x the records/s of {name}, "
                      f"{ours['cpu_s'] / max(other['cpu_s'], 0.01):.2f} x its CPU")


if __name__ == "__main__":
    main()
