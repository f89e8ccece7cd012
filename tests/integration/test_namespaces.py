"""Workers at the far end of a wire that is cut without a word, or is slow: what reaches Kafka goes on, what does not is taken over, and each record
stands once in the read_committed target, in the order of its partition."""

import pytest
import requests

from harness import Growth, Kafka, Traffic, assert_all_arrived, eventually, free_port, mirror, unique
from namespace import Namespace, worker_at

pytestmark = [pytest.mark.native, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def namespace():
    n = Namespace()
    yield n
    n.close()


@pytest.fixture(scope="module")
def kafka(namespace, tmp_path_factory):
    """`outside` is its address for clients of either namespace."""
    near, far, controller = free_port(), free_port(), free_port()
    outside = f"{namespace.link.near}:{far}"
    k = Kafka(tmp_path_factory.mktemp("wired"), f"listeners=PLAINTEXT://127.0.0.1:{near},OUTSIDE://{outside},CONTROLLER://127.0.0.1:{controller}",
              f"advertised.listeners=PLAINTEXT://127.0.0.1:{near},OUTSIDE://{outside}",
              "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT",
              f"controller.quorum.voters=1@127.0.0.1:{controller}", port=near)
    k.outside = outside
    yield k
    k.stop()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


def copy(kafka, topic: str, **more: str) -> dict:
    return mirror(kafka, topic, source__cluster__bootstrap__servers=kafka.outside, target__cluster__bootstrap__servers=kafka.outside,
                  tasks__max="2", source__consumer__max__poll__records="50", **more)


def shared(w, name: str, *workers) -> None:
    """Two tasks run, one on each."""
    def one_each():
        return {t["worker_id"] for t in w.running(name, 2)["tasks"]} == {x.id for x in workers}
    eventually(one_each, 60, "each worker has a task")


def arrived(kafka, c, topic: str, total: int) -> None:
    eventually(lambda: kafka.count(f"src.{topic}") >= total, 90, f"{total} committed records", every=0.5)
    assert_all_arrived(kafka, c, topic, total)


def test_a_worker_reaches_kafka_but_not_the_leaders_rest(cluster_of, kafka, namespace, topic):
    """Its tasks go on. One that starts must be fenced by the leader first, so it waits; so does who asks for a change of the config."""
    wire = namespace.other_link
    c = cluster_of(bootstrap__servers=kafka.outside)
    leader = worker_at(c, wire.near).start().ready()
    far = namespace.hosts(worker_at(c, namespace.link.far)).start().ready()
    name = unique("far")
    leader.create(name, copy(kafka, topic))
    shared(leader, name, leader, far)
    with Growth(kafka, f"src.{topic}") as target, Traffic(kafka, topic) as traffic:
        target.by(300)
        wire.cut()
        try:
            target.by(300)
            shared(leader, name, leader, far)
            # Only the leader writes configs, and it is not reached: nothing is answered that is not true.
            with pytest.raises(requests.Timeout):
                far.call("PUT", f"/connectors/{name}/config", copy(kafka, topic, source__consumer__fetch__max__wait__ms="100"), timeout=3)
            far.kill()
            far.start().ready()
            target.by(300)          # of the task that the leader has, at least
        finally:
            wire.mend()
        shared(leader, name, leader, far)
        target.by(300)
        far.create(name, copy(kafka, topic, source__consumer__fetch__max__wait__ms="200"))
        shared(leader, name, leader, far)
        target.by(300)
        total = traffic.end()
    arrived(kafka, c, topic, total)


def test_a_leader_loses_kafka_and_comes_back(cluster_of, kafka, namespace, topic):
    wire = namespace.link
    c = cluster_of(bootstrap__servers=kafka.outside)
    lost = namespace.hosts(worker_at(c, namespace.other_link.far)).start().ready()
    heir = worker_at(c, namespace.other_link.near).start().ready()
    name = unique("lost")
    lost.create(name, copy(kafka, topic))
    shared(heir, name, lost, heir)
    with Growth(kafka, f"src.{topic}") as target, Traffic(kafka, topic) as traffic:
        target.by(300)
        wire.cut()
        try:
            heir.running(name, 2, on=heir.id, within=90)
            target.by(300)
            assert lost.alive(), lost.last_words()
        finally:
            wire.mend()
        lost.ready()
        shared(lost, name, lost, heir)
        target.by(300)
        # Both ways: who was led now leads.
        lost.create(name, copy(kafka, topic, source__consumer__fetch__max__wait__ms="200"))
        shared(heir, name, lost, heir)
        target.by(300)
        total = traffic.end()
    arrived(kafka, c, topic, total)


def test_a_slow_wire_is_only_slow(cluster_of, kafka, namespace, topic):
    """Heartbeats share the wire with records that fill it, and the worker stays what it is."""
    wire, count = namespace.link, 600
    c = cluster_of(bootstrap__servers=kafka.outside)
    w = namespace.hosts(worker_at(c, namespace.other_link.far)).start().ready()
    name = unique("slow")
    w.create(name, copy(kafka, topic))
    w.running(name, 2)
    wire.slow("1mbit")
    try:
        kafka.produce(topic, [(f"key-{i}", f"value-{i}-".ljust(2000, "x"), i % 3) for i in range(count)])
        eventually(lambda: kafka.count(f"src.{topic}") >= count, 120, "all records are committed", every=0.5)
        w.running(name, 2)
    finally:
        wire.mend()
    arrived(kafka, c, topic, count)
