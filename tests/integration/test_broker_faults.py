"""A broker that closes, stalls, dies or answers nonsense: a clear error or a recovery by itself; no crash, nothing lost, nothing doubled."""
import os
import random
import struct
import threading

import pytest

from harness import Growth, Kafka, assert_same, eventually, free_port, keyed, mirror, unique
from proxy import Babbler, Proxy


@pytest.fixture(scope="module")
def behind_proxy(tmp_path_factory):
    """A Kafka whose clients all go through a proxy, itself reached directly by nobody but the controller: (kafka, proxy, proxied address)."""
    direct, hidden, controller = free_port(), free_port(), free_port()
    proxy = Proxy(hidden)
    k = Kafka(tmp_path_factory.mktemp("proxied"),
              f"listeners=PLAINTEXT://127.0.0.1:{direct},PROXIED://127.0.0.1:{hidden},CONTROLLER://127.0.0.1:{controller}",
              f"advertised.listeners=PLAINTEXT://127.0.0.1:{direct},PROXIED://127.0.0.1:{proxy.port}",
              "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT",
              f"controller.quorum.voters=1@127.0.0.1:{controller}", port=direct)
    yield k, proxy, f"127.0.0.1:{proxy.port}"
    proxy.mode = "pass"
    k.stop()
    proxy.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault, rounds, seconds", [("close", 6, 0.5), ("stall", 2, 8),
                                                    pytest.param("nonsense", 4, 0.5, marks=pytest.mark.native)])      # a Java worker dies of it
def test_a_mirror_survives_a_broker_that(behind_proxy, cluster_of, chance, fault, rounds, seconds):
    """Each fault comes at a random moment while records flow; afterwards everything is there once and runs, without a person."""
    kafka, proxy, address = behind_proxy
    topic, name = unique("fault"), unique("c")
    kafka.create_topic(f"src.{topic}", 3)
    kafka.create_topic(topic, 3)
    c = cluster_of(on=kafka, bootstrap__servers=address)
    w = c.started()
    w.create(name, {**mirror(kafka, topic, source__consumer__max__poll__records="100"), "source.cluster.bootstrap.servers": address,
                    "target.cluster.bootstrap.servers": address})
    w.running(name)
    share = 3000

    def mended():
        """Nonsense may fail a task, with a reason; a person then restarts it. The other faults may not."""
        for t in w.status(name)["tasks"]:
            if t["state"] == "FAILED":
                assert t["trace"].strip()
                if fault != "nonsense":
                    raise RuntimeError(t["trace"])
                w.call("POST", f"/connectors/{name}/tasks/{t['id']}/restart")
    with Growth(kafka, f"src.{topic}") as target:
        for turn in range(rounds):
            kafka.produce(topic, keyed(turn * share, share, 3))
            target.by(chance.randrange(1, share // 2), within=150, meanwhile=mended)
            proxy.mode = fault
            threading.Event().wait(seconds)         # how long the fault lasts
            proxy.mode = "pass"
            assert w.alive(), w.last_words()
    eventually(lambda: kafka.count(f"src.{topic}") >= rounds * share or mended(), 150, "all records are committed", every=0.5)
    w.running(name, within=90)
    w.stop_well()
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    eventually(lambda: not [t for t in kafka.open_transactions() if c.group in t], 60, "no transaction of the group is open")


@pytest.mark.timeout(400)
def test_a_mirror_survives_the_death_of_the_broker(cluster_of, tmp_path):
    kafka = Kafka(tmp_path / "kafka")
    try:
        topic, name = unique("death"), unique("c")
        kafka.create_topic(f"src.{topic}", 3)
        kafka.create_topic(topic, 3)
        c = cluster_of(on=kafka)
        w = c.started()
        w.create(name, mirror(kafka, topic, source__consumer__max__poll__records="100"))
        w.running(name)
        with Growth(kafka, f"src.{topic}") as target:
            kafka.produce(topic, keyed(0, 6000, 3))
            target.by(100)
        kafka.kill()
        kafka.restart()
        kafka.produce(topic, keyed(6000, 3000, 3))
        eventually(lambda: kafka.count(f"src.{topic}") >= 9000, 120, "all records are committed", every=0.5)
        w.running(name, within=90)
        w.stop_well()
        assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    finally:
        c.close()
        kafka.stop()


def frame(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


NONSENSE = {
    "hangs up": lambda data: None,
    "noise": lambda data: os.urandom(random.randrange(1, 2000)),
    "framed noise": lambda data: frame(data[8:12] + os.urandom(random.randrange(0, 500))),
    "a length of 2 GB": lambda data: struct.pack(">i", 0x7FFFFFFF) + b"x" * 100,
    "a negative length": lambda data: struct.pack(">i", -5) + b"x" * 100,
    "an empty frame": lambda data: frame(b""),
    "another's correlation id": lambda data: frame(struct.pack(">i", 77) + bytes(20)),
    "an array of two thousand million": lambda data: frame(data[8:12] + struct.pack(">hi", 0, 0x7FFFFFFF)),
    "http": lambda data: b"HTTP/1.1 400 Bad Request\r\n\r\n",
}


@pytest.mark.native
@pytest.mark.timeout(200)
def test_a_bootstrap_server_that_talks_nonsense_ends_the_start_with_a_reason(cluster_of):
    """All kinds side by side, as each worker tries for a while before it gives up."""
    babblers = {kind: Babbler(answer) for kind, answer in NONSENSE.items()}
    try:
        workers = {kind: cluster_of().worker(bootstrap__servers=f"127.0.0.1:{b.port}").start() for kind, b in babblers.items()}
        for kind, w in workers.items():
            code = w.ended(150)
            assert 0 < code < 126, (kind, code, w.last_words())
            assert f"127.0.0.1:{babblers[kind].port}" in w.last_words(), (kind, w.last_words())
    finally:
        for b in babblers.values():
            b.close()
