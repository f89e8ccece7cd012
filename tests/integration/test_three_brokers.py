"""Workers and brokers of a cluster of three brokers die, stop for a while and come back while records flow: each record stands once in the
read_committed target, in the order of its partition."""
import signal
import threading

import pytest

from harness import Cluster, Growth, Traffic, assert_all_arrived, eventually, keyed, mirror, unique
from trio import Trio

pytestmark = [pytest.mark.native, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    k = Trio(tmp_path_factory.mktemp("trio"))
    yield k
    k.stop()


def small(kafka, topic: str, **more: str) -> dict:
    """Many short transactions, so that a fault meets one in any stage."""
    return mirror(kafka, topic, source__consumer__max__poll__records="50", **more)


def arrived(kafka, c: Cluster, topic: str, total: int, name: str, tasks: int = 1) -> None:
    """All of it, once, in order, while all runs."""
    eventually(lambda: kafka.count(f"src.{topic}") >= total, 90, f"{total} committed records", every=0.5)
    c.workers[0].running(name, tasks, within=90)
    assert_all_arrived(kafka, c, topic, total)


def test_the_leading_worker_is_killed_while_it_copies(cluster_of, kafka, topic):
    c = cluster_of()
    c.started()
    c.started()
    name = unique("leader")
    c.workers[0].create(name, small(kafka, topic, tasks__max="2", transaction__boundary="interval", transaction__boundary__interval__ms="300"))
    c.workers[0].running(name, 2)
    with Growth(kafka, f"src.{topic}") as target, Traffic(kafka, topic, every=0.002) as traffic:
        for turn in range(2):
            leader = c.workers[turn % 2]          # the eldest member of a group leads it
            target.by(300)
            leader.kill()
            c.workers[1 - turn % 2].running(name, 2, on=c.workers[1 - turn % 2].id)
            target.by(300)
            leader.start().ready()
        total = traffic.end()
    arrived(kafka, c, topic, total, name, 2)


def test_each_broker_goes_once_one_of_them_without_warning(cluster_of, kafka, topic):
    """A rolling restart. Each time another one takes over what the gone one had in hand: open transactions, the group's members, the logs."""
    c = cluster_of()
    c.started()
    c.started()
    name = unique("broker")
    c.workers[0].create(name, small(kafka, topic, tasks__max="2"))
    c.workers[0].running(name, 2)
    turns = [("kill", lambda: kafka.transaction_coordinator(f"{c.group}-{name}-0")), ("stop", lambda: kafka.group_coordinator(c.group)),
             ("stop", lambda: kafka.leader(f"src.{topic}"))]
    left = list(kafka.nodes.values())
    with Growth(kafka, f"src.{topic}") as target, Traffic(kafka, topic) as traffic:
        for how, who in turns:
            wanted = who()
            node = wanted if wanted in left else left[0]
            left.remove(node)
            target.by(100)
            node.script(how)
            target.by(200)
            node.script("restart")
            kafka.whole()
        target.by(100)
        total = traffic.end()
    arrived(kafka, c, topic, total, name, 2)


@pytest.mark.parametrize("beyond", ["session", "transaction"])
def test_a_worker_is_stopped_beyond_the_timeout_of_its(cluster_of, kafka, topic, beyond):
    """Alone in its group, it finds its membership gone, or its transaction ended by the broker; with nobody to take over, it goes on itself."""
    timeout = "8000" if beyond == "transaction" else "60000"     # not less: a loaded machine needs seconds for one
    c = cluster_of(session__timeout__ms="6000" if beyond == "session" else "60000", heartbeat__interval__ms="1000", rebalance__timeout__ms="60000")
    w = c.started()
    name = unique("stopped")
    w.create(name, small(kafka, topic, transaction__boundary="interval", transaction__boundary__interval__ms="500",
                         producer__override__transaction__timeout__ms=timeout))
    w.running(name)
    with Growth(kafka, f"src.{topic}") as target, Traffic(kafka, topic) as traffic:
        target.by(300)

        def stopped_in_a_transaction() -> bool:
            w.signal(signal.SIGSTOP)
            if kafka.undecided(f"src.{topic}"):
                return True
            w.signal(signal.SIGCONT)
            return False
        eventually(stopped_in_a_transaction, 60, "it is stopped while a transaction is open", every=0.1)
        try:
            if beyond == "transaction":
                eventually(lambda: not kafka.undecided(f"src.{topic}"), 60, "the broker has ended what was open", every=0.5)
            threading.Event().wait(8)          # how long the fault lasts
        finally:
            w.signal(signal.SIGCONT)
        target.by(500)
        total = traffic.end()
    arrived(kafka, c, topic, total, name)


def test_what_a_dead_incarnation_left_open_is_ended_by_the_next_one(cluster_of, kafka, topic):
    """The broker would wait a quarter of an hour, beyond the deadline of this test; the next incarnation ends it at its start."""
    count = 3000
    c = cluster_of()
    w = c.started()
    name = unique("left")
    config = mirror(kafka, topic, transaction__boundary="interval", transaction__boundary__interval__ms="600000",
                    producer__override__transaction__timeout__ms="900000")
    w.create(name, config)
    w.running(name)
    with Growth(kafka, f"src.{topic}") as target:
        kafka.produce(topic, keyed(0, count, 3))
        eventually(lambda: target.size() >= count, 60, "the records are written")
    w.kill()
    left = kafka.undecided(f"src.{topic}")
    assert set(left) == {0, 1, 2} and all(stable == 0 for stable, _ in left.values()), left
    # The next incarnation has no reason to begin a transaction before this one is ended.
    w.start().ready()
    eventually(lambda: all(kafka.undecided(f"src.{topic}").get(p, (end,))[0] >= end for p, (_, end) in left.items()), 60,
               "the last stable offset is beyond what was left open")
    w.create(name, {**config, "transaction.boundary.interval.ms": "300"})
    arrived(kafka, c, topic, count, name)
