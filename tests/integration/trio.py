"""A Kafka of three nodes, each broker and controller, that loses one at a time without losing a record."""
from __future__ import annotations

import base64
import os
import subprocess
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from confluent_kafka.admin import AdminClient

from harness import ROOT, Kafka, eventually, free_port


class Node:
    """One of the three; it has a process and a folder of its own."""

    def __init__(self, folder: Path, port: int, environment: dict):
        self.folder, self.port, self._environment = folder, port, environment

    def script(self, verb: str, *rest: str) -> str:
        return subprocess.run([ROOT / "scripts" / "kafka", verb, self.folder, *rest], check=True, text=True, stdout=subprocess.PIPE, timeout=180,
                              env={**os.environ, **self._environment}).stdout.strip()


class Trio(Kafka):
    """Every topic stands on all three nodes, and a record counts as written when two have it."""
    replicas = 3

    def __init__(self, folder: Path, *settings: str):
        ids = (1, 2, 3)
        ports, controllers = {i: free_port() for i in ids}, {i: free_port() for i in ids}
        # All nodes of a cluster are formatted with one id; it may not begin with a dash.
        cluster = "F" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")[1:]
        environment = {"KAFKA_HEAP": "256m", "KAFKA_CLUSTER_ID": cluster}
        self.nodes = {i: Node(Path(folder) / f"node-{i}", ports[i], environment) for i in ids}
        voters = ",".join(f"{i}@127.0.0.1:{controllers[i]}" for i in ids)

        def start(i: int) -> None:
            self.nodes[i].script("start", str(ports[i]), f"node.id={i}", f"controller.quorum.voters={voters}",
                                 f"listeners=PLAINTEXT://127.0.0.1:{ports[i]},CONTROLLER://127.0.0.1:{controllers[i]}",
                                 "default.replication.factor=3", "min.insync.replicas=2", "offsets.topic.replication.factor=3",
                                 "transaction.state.log.replication.factor=3", "transaction.state.log.min.isr=2",
                                 "share.coordinator.state.topic.replication.factor=3", "share.coordinator.state.topic.min.isr=2",
                                 # A dead broker is noticed sooner than by default, so that a test takes less time.
                                 "broker.session.timeout.ms=4000", "broker.heartbeat.interval.ms=500", "replica.lag.time.max.ms=5000", *settings)
        # None of them serves before two do.
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(start, ids))
        self.bootstrap = ",".join(f"127.0.0.1:{p}" for p in ports.values())
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def _all(self, verb: str) -> None:
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda n: n.script(verb), self.nodes.values()))

    def stop(self) -> None:
        # Not politely: the last one would wait for a quorum that is gone. The data goes away anyway.
        self._all("kill")

    def kill(self) -> None:
        self._all("kill")

    def restart(self) -> None:
        self._all("restart")

    def whole(self, within: float = 90) -> None:
        """Waits until every partition stands on all three again, so that the next one may go."""
        def in_sync():
            lagging = [(t.topic, p.id, p.isrs) for t in self.topics().values() for p in t.partitions.values() if len(p.isrs) < 3]
            assert not lagging, lagging[:3]
            return True
        eventually(in_sync, within, "all replicas are in sync", every=0.2)

    def group_coordinator(self, group: str) -> Node:
        return self._leader("__consumer_offsets", group)

    def transaction_coordinator(self, transactional_id: str) -> Node:
        return self._leader("__transaction_state", transactional_id)

    def leader(self, topic: str, partition: int = 0) -> Node:
        return self.nodes[eventually(lambda: max(0, self.topics()[topic].partitions[partition].leader), 30, f"{topic} has a leader")]

    def _leader(self, topic: str, key: str) -> Node:
        return self.leader(topic, (java_hash(key) & 0x7FFFFFFF) % len(self.topics()[topic].partitions))


def java_hash(text: str) -> int:
    """String.hashCode of text without characters beyond the basic plane: Kafka places groups and transactional ids by it."""
    h = 0
    for c in text:
        h = (31 * h + ord(c)) & 0xFFFFFFFF
    return h
