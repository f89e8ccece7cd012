#!/usr/bin/env python3
"""Mirrors a topic exactly once and prints records/s, CPU and memory, side by side: librdkafka's bare consume -> transactional produce
loop, Fencepost, and Java Kafka Connect where it is at hand.

    bench/mirror.py                          100-byte records, one task, transaction.boundary poll and interval, 5 runs
    bench/mirror.py --size 1024 --boundary poll --runs 1 --only Fencepost "librdkafka loop"

All are measured from outside in the same way: from the first record that is committed in the target until the last one is, or until
`--seconds` are over; CPU is what the process used in that time. A worker keeps running over its runs, so all but the first find it warm.
Only ratios within one run mean anything; nothing here passes or fails.
"""
from __future__ import annotations

import argparse
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from stage import CEILING, CEILING_PROGRAM, FENCEPOST, JAVA, costs, delete_topics, of_runs, one_kafka, peers, tell, workers_of
from confluent_kafka import Consumer, Producer, TopicPartition
from harness import JSON, Kafka, Worker, eventually, mirror, unique
from report import table


#: Converters and transforms of Connect in the way of each record. Keys are null, so that InsertField$Key lets them pass as Java's does.
IN_THE_PATH = {"value.converter": JSON, "value.converter.schemas.enable": "true", "transforms": "filter,insert,route", "predicates": "tomb",
               "predicates.tomb.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone",
               "transforms.filter.type": "org.apache.kafka.connect.transforms.Filter", "transforms.filter.predicate": "tomb",
               "transforms.insert.type": "org.apache.kafka.connect.transforms.InsertField$Key", "transforms.insert.static.field": "site",
               "transforms.insert.static.value": "here", "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
               "transforms.route.regex": "(.*)", "transforms.route.replacement": "$1"}
COLUMNS = {"records/s": "records_per_s", "us of CPU a record": "us_per_record", "peak MiB": "peak_mib"}


@dataclass
class Job:
    """What is copied, and how."""
    size: int = 100
    partitions: int = 1
    tasks: int = 1
    records: int = 2_000_000
    seconds: float = 10
    config: dict = field(default_factory=dict)
    keys: bool = True


class Target:
    """A topic to be filled, watched by its committed end."""

    def __init__(self, kafka: Kafka, topic: str, partitions: int):
        self.topic, self.partitions = kafka.create_topic(topic, partitions), partitions
        self._consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": unique("watch"), "isolation.level": "read_committed", "log_level": 0})

    def committed(self) -> int:
        return sum(self._consumer.get_watermark_offsets(TopicPartition(self.topic, p), 10, cached=False)[1] for p in range(self.partitions))

    def watch(self, job: Job, pid: int, alive, begun=lambda: None) -> dict:
        """From the first committed record to the last or to the end of the time. Markers stand in the log too: a few thousand among millions."""
        def some():
            assert alive(), "it ended before its first record"
            return self.committed()
        at_first = eventually(some, 120, f"{self.topic} has records", every=0.002)
        first = last = time.monotonic()
        before = after = costs(pid)
        begun()
        end = at_first
        while end < job.records and time.monotonic() < first + job.seconds:
            now = self.committed()
            if now != end:
                with_now = _costs_if_alive(pid)
                last, end, after = time.monotonic(), now, with_now or after
            time.sleep(0.005)
        assert end > at_first, "nothing more was committed in time"
        copied, took = end - at_first, last - first
        return {"records_per_s": copied / took, "us_per_record": (after["cpu_s"] - before["cpu_s"]) * 1e6 / copied, "peak_mib": after["peak_mib"],
                "records": copied}


def _costs_if_alive(pid: int) -> dict | None:
    try:
        return costs(pid)
    except (OSError, KeyError):     # the bare loop ends by itself
        return None


def fill(kafka: Kafka, topic: str, job: Job) -> None:
    kafka.create_topic(topic, job.partitions)
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "linger.ms": 50, "batch.size": 1000000, "queue.buffering.max.messages": 500000,
                         "enable.idempotence": True, "log_level": 0})
    filler = os.urandom(job.size).hex()[:job.size]
    for i in range(job.records):
        value = f"{i:010d}{filler}"[:job.size]
        key = f"{i % 1000:04d}" if job.keys else None
        while True:
            try:
                producer.produce(topic, key=key, value=value, partition=i % job.partitions)
                break
            except BufferError:
                producer.poll(0.05)
    assert producer.flush(120) == 0


def through_worker(kafka: Kafka, w: Worker, topic: str, boundary: str, job: Job, begun=lambda: None) -> dict:
    alias = unique("bench")
    target = Target(kafka, f"{alias}.{topic}", job.partitions)
    try:
        w.create(alias, {**mirror(kafka, topic, source__cluster__alias=alias, tasks__max=str(job.tasks), transaction__boundary=boundary,
                                  transaction__boundary__interval__ms="1000"), **job.config})
        return target.watch(job, w.process.pid, w.alive, begun)
    finally:
        w.settled("DELETE", f"/connectors/{alias}")
        eventually(lambda: w.call("GET", f"/connectors/{alias}/status").status_code == 404, 60, f"{alias} is gone")
        delete_topics(kafka, target.topic)


def through_loop(kafka: Kafka, topic: str, per_commit: int, job: Job) -> dict:
    target = Target(kafka, unique("loop"), job.partitions)
    process = subprocess.Popen([CEILING_PROGRAM, "--bootstrap", kafka.bootstrap, "--from", topic, "--to", target.topic, "--count", str(job.records),
                                "--per-commit", str(per_commit)], stdout=subprocess.DEVNULL)
    try:
        return target.watch(job, process.pid, lambda: process.poll() is None)
    finally:
        process.kill()
        process.wait(30)
        delete_topics(kafka, target.topic)


def measure(kafka: Kafka, folder: Path, job: Job, boundaries: list[str], who: list[str], runs: int) -> list[dict]:
    """Rows {peer, boundary, run, size, tasks, ...}. One peer after the other: they must not share the cores."""
    topic = unique("source")
    tell(f"writing {job.records:,} records of {job.size} bytes")
    fill(kafka, topic, job)
    rows: list[dict] = []

    def add(peer, boundary, run, result):
        rows.append({"peer": peer, "boundary": boundary, "run": run, "size": job.size, "tasks": job.tasks, **result})
        tell(f"{peer}, {boundary}: {result['records_per_s']:,.0f} records/s, {result['us_per_record']:.2f} us of CPU a record, {result['peak_mib']:.0f} MiB")
    try:
        for peer in who:
            if peer == CEILING:
                for run in range(runs):
                    for per_commit in (25_000, 50_000):
                        add(peer, f"{per_commit:,} a commit", run, through_loop(kafka, topic, per_commit, job))
                continue
            for boundary in boundaries:
                with workers_of(peer, kafka, folder) as cluster:
                    for run in range(runs):
                        add(peer, boundary, run, through_worker(kafka, cluster.workers[0], topic, boundary, job))
    finally:
        delete_topics(kafka, topic)
    return rows


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--records", type=int, default=6_000_000)
    p.add_argument("--seconds", type=float, default=10, help="bound of a run")
    p.add_argument("--size", type=int, default=100, help="bytes of a record's value")
    p.add_argument("--partitions", type=int, default=1)
    p.add_argument("--tasks", type=int, default=1)
    p.add_argument("--boundary", nargs="+", default=["poll", "interval"], choices=["poll", "interval"])
    of_runs(p)
    a = p.parse_args()
    job = Job(size=a.size, partitions=a.partitions, tasks=a.tasks, records=a.records, seconds=a.seconds)
    with one_kafka() as (kafka, folder):
        rows = measure(kafka, folder, job, a.boundary, peers(a.only or [CEILING, FENCEPOST, JAVA]), a.runs)
    print(table(rows, ["size", "tasks", "boundary"], COLUMNS))


if __name__ == "__main__":
    main()
