"""Where a source goes on: after a restart, under a name used before, behind transforms that drop everything, and towards another Kafka."""
import threading

import pytest
from confluent_kafka import Producer

from harness import FILE_SOURCE, STRING, Kafka, assert_same, eventually, keyed, mirror, unique

FILTER = {"transforms": "drop", "transforms.drop.type": "org.apache.kafka.connect.transforms.Filter", "transforms.drop.predicate": "all",
          "predicates": "all", "predicates.all.type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches", "predicates.all.pattern": ".*"}


def offsets(w, name: str) -> list:
    r = w.call("GET", f"/connectors/{name}/offsets", timeout=30)
    assert r.status_code == 200, r.text
    return r.json()["offsets"]


def mirrored(w, name: str) -> dict:
    """{partition: the offset that was read last}."""
    return {o["partition"]["partition"]: o["offset"]["offset"] for o in offsets(w, name)}


def file_source(path, topic: str) -> dict:
    return {"connector.class": FILE_SOURCE, "tasks.max": "1", "file": str(path), "topic": topic, "key.converter": STRING, "value.converter": STRING}


def values(kafka, topic: str) -> list:
    return [v.decode() for _, v in kafka.read(topic)[0]]


def shows(kafka, topic: str, *want: str):
    def same():
        assert values(kafka, topic) == list(want), values(kafka, topic)
        return True
    eventually(same, 60, f"exactly {want} in {topic}")


@pytest.mark.native
def test_records_that_a_transform_drops_are_not_read_again_after_a_kill(cluster_of, kafka, topic):
    """The filter is taken away after the kill: what was dropped before it stays away."""
    c = cluster_of()
    w = c.started()
    name = unique("drop")
    kafka.produce(topic, keyed(0, 300, 3))
    w.create(name, mirror(kafka, topic, **FILTER))
    eventually(lambda: mirrored(w, name) == {0: 99, 1: 99, 2: 99}, 60, "the offsets are past what was dropped")
    w.kill()
    w.start().ready()
    w.create(name, mirror(kafka, topic))
    w.running(name)
    kafka.produce(topic, keyed(300, 3, 3))
    eventually(lambda: kafka.count(f"src.{topic}") > 0, 60, "new records arrive")
    eventually(lambda: mirrored(w, name) == {0: 100, 1: 100, 2: 100}, 60, "all of them")
    assert sorted(v for part in kafka.read(f"src.{topic}").values() for _, v in part) == [b"value-300", b"value-301", b"value-302"]


@pytest.mark.parametrize("support", ["enabled", "disabled"])
def test_a_name_used_before_goes_on_and_a_reset_begins_anew(cluster_of, kafka, tmp_path, support):
    c = cluster_of(exactly__once__source__support=support)
    w = c.started()
    name, out, path = unique("again"), kafka.create_topic(unique("lines")), tmp_path / "in"
    path.write_text("a\nb\n")
    w.create(name, file_source(path, out))
    shows(kafka, out, "a", "b")
    eventually(lambda: [o["offset"] for o in offsets(w, name)] == [{"position": 4}], 30, "the offset is stored")
    assert w.settled("DELETE", f"/connectors/{name}").status_code == 204
    with open(path, "a") as f:
        f.write("c\n")
    w.create(name, file_source(path, out))
    shows(kafka, out, "a", "b", "c")
    lines = [line for line in w.log().splitlines() if "goes on from the committed offsets" in line and name in line]
    assert len(lines) == 1 and f"DELETE /connectors/{name}/offsets" in lines[0], lines

    assert w.settled("PUT", f"/connectors/{name}/stop").status_code == 204
    eventually(lambda: w.settled("DELETE", f"/connectors/{name}/offsets").status_code == 200, 30, "the offsets are reset")
    assert offsets(w, name) == []
    assert w.settled("DELETE", f"/connectors/{name}").status_code == 204
    w.create(name, file_source(path, out))
    shows(kafka, out, "a", "b", "c", "a", "b", "c")


def test_start_from_latest_means_it(cluster_of, kafka, topic):
    c = cluster_of()
    w = c.started()
    name = unique("latest")
    kafka.produce(topic, keyed(0, 300, 3))
    config = mirror(kafka, topic, source__consumer__auto__offset__reset="latest")
    w.create(name, config)
    w.running(name)
    sent = 300

    def one_arrived():
        """Where "latest" is, the task decides when it begins to read: a record before that is rightly not mirrored."""
        nonlocal sent
        kafka.produce(topic, keyed(sent, 3, 3))
        sent += 3
        return kafka.count(f"src.{topic}") >= 3
    eventually(one_arrived, 60, "new records arrive", every=0.5)
    old = {f"value-{i}".encode() for i in range(300)}
    w.kill()
    w.start().ready()
    w.running(name)
    kafka.produce(topic, keyed(sent, 3, 3))
    last = {f"value-{sent + i}".encode() for i in range(3)}

    def seen():
        return [v for part in kafka.read(f"src.{topic}").values() for _, v in part]
    eventually(lambda: last <= set(seen()), 60, "the newest records arrive after the restart")
    assert not old & set(seen()) and len(seen()) == len(set(seen()))


def test_a_target_gets_its_partitions_and_settings_before_its_first_record(cluster_of, kafka):
    """The broker makes topics by itself, with one partition."""
    c = cluster_of()
    w = c.started()
    name, prefix = unique("made"), unique("pre")
    w.create(name, mirror(kafka, f"{prefix}.*", tasks__max="2", sync__topic__configs__enabled="true"))
    source = kafka.create_topic(f"{prefix}-new", 7, retention_ms="123456789")
    kafka.produce(source, keyed(0, 700, 7))
    eventually(lambda: kafka.count(f"src.{source}") == 700, 90, "all records arrive")
    assert len(kafka.topics()[f"src.{source}"].partitions) == 7
    assert_same(kafka.read(source), kafka.read(f"src.{source}"))


@pytest.mark.native
def test_a_transaction_timeout_above_the_brokers_fails_at_once_naming_both(cluster_of, kafka, topic):
    c = cluster_of()
    w = c.started()
    name = unique("long")
    w.create(name, mirror(kafka, topic, producer__override__transaction__timeout__ms="3600000"))
    task = eventually(lambda: next((t for t in w.status(name)["tasks"] if t["state"] == "FAILED"), None), 30, "it fails")
    for word in ("3600000", "transaction.timeout.ms", "transaction.max.timeout.ms"):
        assert word in task["trace"], task
    assert len([line for line in w.log().splitlines() if "task failed" in line]) == 1


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Another Kafka, which cuts connections that are idle for two seconds."""
    k = Kafka(tmp_path_factory.mktemp("elsewhere"), "connections.max.idle.ms=2000")
    yield k
    k.stop()


@pytest.mark.native
def test_towards_another_kafka_offsets_lie_there_and_a_copy_here(cluster_of, kafka, elsewhere, topic):
    """And idle connections that the far side cuts are nobody's failure."""
    c = cluster_of()
    w = c.started()
    name, own = unique("far"), unique("own-offsets")
    there = {f"{client}.override.bootstrap.servers": elsewhere.bootstrap for client in ("producer", "admin", "consumer")}
    config = {**mirror(kafka, topic, offsets__storage__topic=own), **there, "target.cluster.bootstrap.servers": elsewhere.bootstrap}
    w.create(name, config)
    w.running(name)
    kafka.produce(topic, keyed(0, 300, 3))
    eventually(lambda: elsewhere.count(f"src.{topic}") == 300, 60, "all records arrive there")
    assert elsewhere.count(own) > 0 and own not in kafka.topics() and elsewhere.topics()[own] is not None
    eventually(lambda: any(name.encode() in (k or b"") for part in kafka.read(c.offsets).values() for k, _ in part), 30, "a copy is in the worker's topic")
    eventually(lambda: mirrored(w, name) == {0: 99, 1: 99, 2: 99}, 30, "they are shown")

    # The far side cuts what was idle for two seconds, so these come over connections that were cut. Waiting is the input here.
    for life in range(2):
        threading.Event().wait(3.5)
        kafka.produce(topic, keyed(300 + 3 * life, 3, 3))
        eventually(lambda: elsewhere.count(f"src.{topic}") == 303 + 3 * life, 60, "the next records arrive")
    assert w.running(name) and not [line for line in w.log().splitlines() if "] E [" in line]

    # A kill: it goes on from the offsets that lie there.
    w.kill()
    kafka.produce(topic, keyed(306, 300, 3))
    w.start().ready()
    eventually(lambda: elsewhere.count(f"src.{topic}") == 606, 90, "the rest arrives")
    assert_same(kafka.read(topic), elsewhere.read(f"src.{topic}"))

    # A stranger's transaction there is seen there, and a change of the offsets fences it there.
    stranger = Producer({"bootstrap.servers": elsewhere.bootstrap, "transactional.id": f"{c.group}-{name}-0", "log_level": 0})
    stranger.init_transactions(30)
    stranger.begin_transaction()
    stranger.produce(f"src.{topic}", value="from a stranger", partition=0)
    assert stranger.flush(30) == 0
    seen = w.call("GET", f"/connectors/{name}/transactions", timeout=30).json()
    assert seen["hanging"] == 1 and seen["tasks"][0]["state"] == "Ongoing", seen

    # Its offsets are set there, by a transaction.
    assert w.settled("PUT", f"/connectors/{name}/stop").status_code == 204
    change = [{"partition": o["partition"], "offset": {"offset": 99}} for o in offsets(w, name)]
    eventually(lambda: w.settled("PATCH", f"/connectors/{name}/offsets", {"offsets": change}).status_code == 200, 30, "the offsets are set")
    assert mirrored(w, name) == {0: 99, 1: 99, 2: 99}
    assert w.settled("PUT", f"/connectors/{name}/resume").status_code == 202
    eventually(lambda: elsewhere.count(f"src.{topic}") == 606 + 306, 90, "all after the 300th come again, as was asked for")


@pytest.mark.parametrize("tolerance", ["all", "none"])
def test_a_record_that_the_broker_refuses(cluster_of, kafka, tmp_path, tolerance):
    """Without transactions: it is passed over and the offsets pass it too, or the task fails with the record's place."""
    c = cluster_of(exactly__once__source__support="disabled")
    w = c.started()
    name, out, path = unique("refused"), kafka.create_topic(unique("lines"), max_message_bytes="1000"), tmp_path / "in"
    small = [f"line-{i}" for i in range(10_000)]
    path.write_text("\n".join([*small[:5_000], "x" * 5_000, *small[5_000:]]) + "\n")
    # The refusal is told for a whole batch of the producer's: each record is one, so that only the large one is refused.
    w.create(name, {**file_source(path, out), "errors.tolerance": tolerance, "errors.log.enable": "true", "producer.override.batch.size": "1"})
    if tolerance == "none":
        eventually(lambda: [t["state"] for t in w.status(name)["tasks"]] == ["FAILED"], 60, "the task fails")
        trace = w.status(name)["tasks"][0]["trace"]
        assert out in trace and str(path) in trace and "position" in trace, trace
        return
    eventually(lambda: values(kafka, out) == small, 60, "all lines but the refused one are there, once and in order")
    eventually(lambda: [o["offset"] for o in offsets(w, name)] == [{"position": path.stat().st_size}], 30, "the offset has passed it")
    w.running(name)
    assert [line for line in w.log().splitlines() if out in line and (" W " in line or " E " in line)], "it was logged"
