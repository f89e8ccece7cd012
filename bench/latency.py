#!/usr/bin/env python3
"""From the moment when a record is handed to a producer for the source topic to the moment when a read_committed consumer of the target has it: a mirror
under a steady trickle, transaction.boundary=poll.

    bench/latency.py [--rate 500] [--seconds 8] [--runs 5]
"""
from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path

from stage import alone, delete_topics, tell, workers_of
from confluent_kafka import Consumer, Producer, TopicPartition
from harness import Kafka, mirror, unique


KEYS, COLUMNS = [], {"p50, ms": "p50_ms", "p99, ms": "p99_ms", "longest, ms": "max_ms"}


class Trickle:
    """Writes the time of each record as its value, at an even pace."""

    def __init__(self, kafka: Kafka, topic: str, rate: float):
        self._topic, self._pause, self._end = topic, 1 / rate, threading.Event()
        self._producer = Producer({"bootstrap.servers": kafka.bootstrap, "linger.ms": 0, "log_level": 0})
        self._thread = threading.Thread(target=self._go, daemon=True)

    def _go(self) -> None:
        due = time.monotonic()
        while not self._end.wait(max(0.0, due - time.monotonic())):
            self._producer.produce(self._topic, value=str(time.monotonic_ns()))
            self._producer.poll(0)
            due += self._pause

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self._producer.flush(30)


def delays(consumer: Consumer, seconds: float, warm_up: float) -> list[float]:
    """Milliseconds of each record that came after the warm-up."""
    out: list[float] = []
    begin = time.monotonic()
    while (now := time.monotonic()) < begin + warm_up + seconds:
        m = consumer.poll(0.05)     # and not consume(), which holds what it has back until it has all that were asked for
        arrived = time.monotonic_ns()
        if m is not None and m.error() is None and now > begin + warm_up:
            out.append((arrived - int(m.value())) / 1e6)
    return out


def measure(kafka: Kafka, folder: Path, who: list[str], runs: int, rate: float = 500, seconds: float = 8) -> list[dict]:
    rows = []
    for peer in who:
        with workers_of(peer, kafka, folder) as cluster:
            w = cluster.workers[0]
            for run in range(runs):
                topic, alias = kafka.create_topic(unique("trickle")), unique("late")
                target = kafka.create_topic(f"{alias}.{topic}")
                w.create(alias, mirror(kafka, topic, source__cluster__alias=alias, transaction__boundary="poll"))
                w.running(alias)
                consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": unique("late"), "isolation.level": "read_committed",
                                     "fetch.wait.max.ms": 500, "log_level": 0})
                consumer.assign([TopicPartition(target, 0, 0)])
                with Trickle(kafka, topic, rate):
                    found = sorted(delays(consumer, seconds, warm_up=3 if run else 8))
                consumer.close()
                assert len(found) > 100, f"only {len(found)} records came through {peer}"
                rows.append({"peer": peer, "run": run, "p50_ms": statistics.median(found), "p99_ms": found[int(len(found) * 0.99)], "max_ms": found[-1]})
                tell(f"{peer}: p50 {rows[-1]['p50_ms']:.1f} ms, p99 {rows[-1]['p99_ms']:.1f} ms of {len(found)} records")
                w.settled("DELETE", f"/connectors/{alias}")
                delete_topics(kafka, topic, target)
    return rows


if __name__ == "__main__":
    alone(__doc__, measure, KEYS, COLUMNS, rate={"type": float, "default": 500, "help": "records a second"}, seconds={"type": float, "default": 8})
