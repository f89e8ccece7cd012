"""An operator sees at once whether a transaction hangs and who holds it, and can end it; a task whose transaction was taken from it heals itself."""
import re

import pytest
from confluent_kafka import Producer

from harness import Kafka, assert_same, eventually, keyed, mirror, unique

pytestmark = pytest.mark.native


def rows(worker, name: str) -> list:
    r = worker.call("GET", f"/connectors/{name}/transactions", timeout=30)
    assert r.status_code == 200, r.text
    return r.json()["tasks"]


def row(worker, name: str, task: int = 0) -> dict:
    return next(t for t in rows(worker, name) if t["task"] == task)


def metric(worker, name: str, **labels) -> float:
    """The sum of a metric's samples that have these labels."""
    text = worker.call("GET", "/metrics").text
    found = [m for m in re.findall(r"^(\w+)\{(.*)\} (\S+)$", text, re.M) if m[0] == name]
    return sum(float(v) for _, given, v in found if all(f'{k}="{x}"' in given for k, x in labels.items()))


def foreign(kafka, transactional_id: str, topic: str) -> Producer:
    """Somebody else's producer with an open transaction under this id."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": transactional_id, "transaction.timeout.ms": 600000,
                         "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, value="from a stranger", partition=0)
    assert producer.flush(30) == 0
    return producer


@pytest.mark.timeout(300)
def test_a_transaction_that_nobody_will_end_is_shown_as_hanging_and_can_be_ended(cluster_of, kafka, topic):
    c = cluster_of()
    first, second = c.started(), c.started()
    name = unique("hang")
    first.create(name, mirror(kafka, topic, tasks__max="2"))
    owner = first.running(name, 2)["tasks"][0]["worker_id"]
    asked = second if owner == first.id else first          # any worker tells: this one does not run the task
    assert {(t["task"], t["hangs"]) for t in rows(asked, name)} == {(0, False), (1, False)}

    stranger = foreign(kafka, f"{c.group}-{name}-0", f"src.{topic}")
    seen = row(asked, name)
    assert seen["hangs"] and seen["state"] == "Ongoing" and seen["worker_id"] == owner and seen["topics"] == [f"src.{topic}"]
    assert seen["holds_last_stable_offset"] is True and seen["open_since"], seen
    assert f"producer {seen['producer_id']} with epoch {seen['producer_epoch']}" in seen["held_by"] and "abort" in seen["advice"]
    assert asked.call("GET", f"/connectors/{name}/transactions").json()["hanging"] == 1

    assert asked.call("POST", f"/connectors/{name}/transactions/abort?transactional_id={c.group}-{name}-extra-0").status_code == 400
    r = asked.call("POST", f"/connectors/{name}/transactions/abort?task=0")
    assert r.status_code == 200 and r.json()["aborted"] is True, r.text
    eventually(lambda: not row(asked, name)["hangs"], 30, "it ended")
    with pytest.raises(Exception):
        stranger.commit_transaction(10)
    # Nothing more is open, and the task goes on.
    r = asked.call("POST", f"/connectors/{name}/transactions/abort?task=0")
    assert r.status_code == 200 and r.json()["aborted"] is False, r.text
    kafka.produce(topic, keyed(0, 1000, 3))
    eventually(lambda: kafka.count(f"src.{topic}") == 1000, 60, "all records arrive, and none of the stranger's")
    first.running(name, 2)


@pytest.mark.timeout(300)
def test_the_transaction_of_a_task_that_is_gone_is_shown_too(cluster_of, kafka, topic):
    c = cluster_of()
    w = c.started()
    name = unique("former")
    w.create(name, mirror(kafka, topic))
    w.running(name)
    foreign(kafka, f"{c.group}-{name}-7", f"src.{topic}")
    seen = row(w, name, 7)
    assert seen["hangs"] and seen["run"] is None and seen["transactional_id"] == f"{c.group}-{name}-7"
    assert w.call("POST", f"/connectors/{name}/transactions/abort?task=7").json()["aborted"] is True
    eventually(lambda: [t["task"] for t in rows(w, name)] == [0], 30, "it is gone")


@pytest.mark.timeout(300)
def test_a_running_task_s_transaction_is_its_own_until_somebody_insists(cluster_of, kafka, topic):
    c = cluster_of()
    w = c.started()
    name = unique("live")
    config = mirror(kafka, topic, transaction__boundary="interval", transaction__boundary__interval__ms="600000",
                    producer__override__transaction__timeout__ms="600000")
    w.create(name, config)
    w.running(name)
    kafka.produce(topic, keyed(0, 300, 3))
    seen = eventually(lambda: (r := row(w, name))["state"] == "Ongoing" and r["run"]["stage"] == "open" and r, 60, "a transaction is open")
    assert not seen["hangs"] and w.id in seen["held_by"] and seen["open_ms"] >= 0 and seen["advice"] == ""
    assert metric(w, "fencepost_task_transaction_state", connector=name, state="open") == 1
    assert metric(w, "fencepost_task_transaction_open_seconds", connector=name) > 0
    eventually(lambda: row(w, name)["run"]["uncommitted_records"] == 300, 30, "all records wait in the open transaction")
    assert row(w, name)["holds_last_stable_offset"] is True
    assert metric(w, "fencepost_task_transaction_uncommitted_records", connector=name) == 300

    r = w.call("POST", f"/connectors/{name}/transactions/abort?task=0")
    assert r.status_code == 409 and "force=true" in r.text, r.text
    r = w.call("POST", f"/connectors/{name}/transactions/abort", {"task": 0, "force": True})
    assert r.status_code == 200 and r.json()["aborted"] is True, r.text

    # The task is told at its next record, and begins anew from its committed offsets by itself.
    kafka.produce(topic, keyed(300, 300, 3))
    eventually(lambda: row(w, name)["run"]["restarts"] == 1, 60, "it began anew")
    run = row(w, name)["run"]
    assert run["aborts"] == {"operator": 1} and "REST" in run["last_abort"]["what"] and run["fenced"] == {}, run
    assert metric(w, "fencepost_task_self_healing_restarts_total", connector=name) == 1
    w.running(name)
    eventually(lambda: row(w, name)["run"]["stage"] == "open", 60, "it works on")
    w.create(name, {**config, "transaction.boundary.interval.ms": "300"})
    eventually(lambda: kafka.count(f"src.{topic}") == 600, 60, "all records arrive")
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))


@pytest.fixture(scope="module")
def strict_kafka(tmp_path_factory):
    """A broker that ends transactions as soon as their timeout is over."""
    k = Kafka(tmp_path_factory.mktemp("strict"), "transaction.abort.timed.out.transaction.cleanup.interval.ms=500")
    yield k
    k.stop()


@pytest.mark.timeout(400)
def test_a_transaction_that_outgrows_its_timeout_heals_a_few_times_and_then_fails_with_the_cure(cluster_of, strict_kafka):
    kafka = strict_kafka
    topic = kafka.create_topic(unique("late"), 3)
    kafka.create_topic(f"src.{topic}", 3)
    c = cluster_of(on=kafka)
    w = c.started()
    name = unique("late")
    config = mirror(kafka, topic, transaction__boundary="interval", transaction__boundary__interval__ms="600000",
                    producer__override__transaction__timeout__ms="2000")
    w.create(name, config)
    w.running(name)
    sent = 0

    def goes_on():
        """Records keep coming, as a fenced client learns of it only when it sends."""
        nonlocal sent
        kafka.produce(topic, keyed(sent, 30, 3))
        sent += 30

    def restarted():
        goes_on()
        return metric(w, "fencepost_task_self_healing_restarts_total", connector=name) >= 1
    eventually(restarted, 60, "it begins anew by itself", every=0.2)
    run = row(w, name)["run"]
    assert run["aborts"]["timeout"] >= 1 and run["fenced"] == {} and "transaction.timeout.ms" in run["last_restart"]["what"], run

    def failed():
        goes_on()
        task = w.status(name)["tasks"][0]
        return task["state"] == "FAILED" and task
    trace = eventually(failed, 120, "it does not go on like this for ever", every=0.2)["trace"]
    assert "timed out after 2 s" in trace and "transaction.timeout.ms" in trace and "transaction.boundary.interval.ms" in trace, trace
    assert "restarts" in trace and kafka.count(f"src.{topic}") == 0
    assert metric(w, "fencepost_task_self_healing_restarts_total", connector=name) == 5

    # The cure that it names helps, and nothing was lost or doubled.
    w.create(name, {**config, "transaction.boundary.interval.ms": "300", "producer.override.transaction.timeout.ms": "60000"})
    eventually(lambda: kafka.count(f"src.{topic}") == sent, 90, "all records arrive")
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))


@pytest.mark.timeout(300)
def test_a_fight_with_a_foreign_producer_is_named_so(cluster_of, kafka, topic):
    c = cluster_of()
    w = c.started()
    name = unique("fight")
    w.create(name, mirror(kafka, topic, transaction__boundary="interval", transaction__boundary__interval__ms="600000",
                          producer__override__transaction__timeout__ms="600000"))
    w.running(name)
    kafka.produce(topic, keyed(0, 30, 3))
    eventually(lambda: row(w, name)["run"]["stage"] == "open", 60, "a transaction is open")
    foreign(kafka, f"{c.group}-{name}-0", f"src.{topic}")
    kafka.produce(topic, keyed(30, 30, 3))
    task = eventually(lambda: (t := w.status(name)["tasks"][0])["state"] == "FAILED" and t, 60, "it fails")
    assert "foreign producer" in task["trace"] and f"{c.group}-{name}-0" in task["trace"], task
    seen = row(w, name)
    assert seen["run"]["fenced"] == {"foreign_producer": 1} and "another client" in seen["run"]["fenced_by"]["what"], seen
    assert seen["hangs"] and metric(w, "fencepost_task_fenced_total", connector=name, by="foreign_producer") == 1


@pytest.mark.timeout(300)
@pytest.mark.parametrize("place", ["the worker's topic", "its own topic"])
def test_what_a_task_committed_behind_the_open_transaction_of_somebody_who_died_is_not_done_again(cluster_of, kafka, topic, place):
    c = cluster_of()
    w = c.started()
    name, offsets = unique("behind"), f"{c.group}-offsets"
    config = mirror(kafka, topic)
    if place == "its own topic":
        offsets = config["offsets.storage.topic"] = unique("own-offsets")
    kafka.produce(topic, keyed(0, 50, 3))
    w.create(name, config)
    eventually(lambda: kafka.count(f"src.{topic}") == 50, 60, "the first records are mirrored")
    # Another task's worker dies between its records and its commit; whichever partition it wrote to, ours is hidden behind it.
    died = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": unique("died"), "transaction.timeout.ms": 15000, "log_level": 0})
    died.init_transactions(30)
    died.begin_transaction()
    for p in kafka.topics()[offsets].partitions:
        died.produce(offsets, key=b'["somebody-else",{"n":1}]', value=b'{"offset":1}', partition=p)
    assert died.flush(30) == 0
    kafka.produce(topic, keyed(50, 50, 3))
    eventually(lambda: kafka.count(f"src.{topic}") == 100, 60, "the others are mirrored too")
    w.kill()
    w = c.started()
    kafka.produce(topic, keyed(100, 50, 3))
    eventually(lambda: kafka.count(f"src.{topic}") >= 150, 120, "it goes on when that transaction has timed out")
    w.running(name)
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
