"""Every record of the source stands once in the read_committed target, in the order of its partition, whatever happens to the workers."""
import os
import signal
import threading

import pytest

from harness import NATIVE, Growth, assert_same, eventually, keyed, mirror, unharmed, unique

RECORDS = int(os.environ.get("FENCEPOST_RECORDS", "200000"))
KILLS = int(os.environ.get("FENCEPOST_KILLS", "20"))
#: A Java worker waits for its predecessor's transaction to time out; ours fences it.
PATIENT = {} if NATIVE else {"producer.override.transaction.timeout.ms": "10000"}


class InBackground:
    """Runs something beside the test; what it raises comes out at the end."""

    def __init__(self, work):
        self._error = None

        def go():
            try:
                work()
            except BaseException as e:
                self._error = e
        self._thread = threading.Thread(target=go, daemon=True)
        self._thread.start()

    def join(self):
        self._thread.join(180)
        assert not self._thread.is_alive() and self._error is None, self._error


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("boundary", ["poll", "interval"])
def test_nothing_is_lost_or_doubled_by_twenty_kills(cluster_of, kafka, topic, chance, boundary):
    """Each life is given its share of the records. Most are killed when a random part of it has arrived: in the middle of a transaction, of a
    commit, of a fetch. Some are killed a random time after they were started, ready or not."""
    name = unique("kill")
    c = cluster_of()
    w = c.started()
    w.create(name, mirror(kafka, topic, tasks__max="2", transaction__boundary=boundary, transaction__boundary__interval__ms="300",
                          source__consumer__max__poll__records="100", **PATIENT))
    w.running(name, 2)
    share = RECORDS // (KILLS + 1)
    early = 0
    with Growth(kafka, f"src.{topic}") as target:
        for life in range(KILLS):
            feed = InBackground(lambda life=life: kafka.produce(topic, keyed(life * share, share, 3)))
            target.by(chance.randrange(1, share // 2))
            w.kill()
            w.start()
            if chance.random() < 0.25:
                threading.Event().wait(chance.uniform(0.05, 1.0))        # the random moment itself, not a wait for anything
                w.kill()
                w.start()
                early += 1
            feed.join()
    kafka.produce(topic, keyed(KILLS * share, RECORDS - KILLS * share, 3))
    w.ready()
    print(f"{KILLS} kills in the middle of the work and {early} during a start")

    def arrived():
        unharmed(w.status(name))
        return kafka.count(f"src.{topic}") >= RECORDS
    eventually(arrived, 300, f"{RECORDS} committed records in src.{topic}", every=1)
    w.running(name, 2)
    w.stop_well()
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    eventually(lambda: not [t for t in kafka.open_transactions() if c.group in t], 30, "no transaction of the group is open")


@pytest.mark.timeout(400)
def test_a_zombie_s_records_never_become_visible_and_it_rejoins_in_good_health(cluster_of, kafka, topic):
    """The owner of the task is paused until the task has moved to the other worker, and then goes on where it stood."""
    name, count = unique("zombie"), 30000
    c = cluster_of()
    first, second = c.started(), c.started()
    first.create(name, mirror(kafka, topic, source__consumer__max__poll__records="50", **PATIENT))
    owner = first.running(name)["tasks"][0]["worker_id"]
    zombie, heir = (first, second) if owner == first.id else (second, first)
    with Growth(kafka, f"src.{topic}") as target:
        feed = InBackground(lambda: kafka.produce(topic, keyed(0, count, 3)))
        target.by(500)
        zombie.signal(signal.SIGSTOP)
        feed.join()
        heir.running(name, on=heir.id, within=90)
        feed = InBackground(lambda: kafka.produce(topic, keyed(count, count, 3)))
        target.by(500)
        zombie.signal(signal.SIGCONT)
        feed.join()
    eventually(lambda: kafka.count(f"src.{topic}") >= 2 * count, 120, f"{2 * count} committed records", every=0.5)
    # It answers, knows the group again, and can be given work.
    zombie.ready()
    zombie.running(name, within=90)
    other = unique("after")
    zombie.create(other, mirror(kafka, topic, source__cluster__alias="again", tasks__max="2"))
    placed = zombie.running(other, 2, within=90)
    assert {t["worker_id"] for t in placed["tasks"]} <= {zombie.id, heir.id}
    eventually(lambda: kafka.count(f"again.{topic}") >= 2 * count, 120, "the second mirror works too", every=0.5)
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    zombie.stop_well()
    heir.stop_well()
    eventually(lambda: not [t for t in kafka.open_transactions() if c.group in t], 30, "no transaction of the group is open")


@pytest.mark.timeout(300)
def test_sigterm_commits_what_is_open_and_ends_with_0_in_time(cluster_of, kafka, topic):
    """The transaction is open for minutes when the signal comes; afterwards its records are committed, not aborted."""
    name, count = unique("term"), 3000
    c = cluster_of(task__shutdown__graceful__timeout__ms="10000")
    w = c.started()
    w.create(name, mirror(kafka, topic, transaction__boundary="interval", transaction__boundary__interval__ms="600000",
                          producer__override__transaction__timeout__ms="600000"))
    w.running(name)
    with Growth(kafka, f"src.{topic}") as target:
        kafka.produce(topic, keyed(0, count, 3))
        eventually(lambda: target.size() >= count, 60, "the records are written")
    assert kafka.count(f"src.{topic}") == 0
    w.stop_well(within=10)
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    assert not [t for t in kafka.open_transactions() if c.group in t]
