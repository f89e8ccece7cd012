"""Sinks: which topics they read, and where they go on."""
import pytest

from harness import FILE_SINK, STRING, eventually, unique


def file_sink(path, **more) -> dict:
    return {"connector.class": FILE_SINK, "tasks.max": "1", "file": str(path), "key.converter": STRING, "value.converter": STRING,
            **{k.replace("__", "."): v for k, v in more.items()}}


def lines(path) -> list:
    return path.read_text().splitlines() if path.exists() else []


def shows(path, *want: str):
    def same():
        assert sorted(lines(path)) == sorted(want), lines(path)
        return True
    eventually(same, 60, f"exactly {want} in the file")


def written(kafka, topic: str, *values: str) -> str:
    kafka.produce(topic, [(None, v.encode(), 0) for v in values])
    return topic


def offsets(w, name: str) -> dict:
    r = w.call("GET", f"/connectors/{name}/offsets", timeout=30)
    assert r.status_code == 200, r.text
    return {o["partition"]["kafka_topic"]: o["offset"]["kafka_offset"] for o in r.json()["offsets"]}


def test_topics_are_matched_as_java_reads_the_expression_also_those_made_later(worker, kafka, tmp_path):
    stem, out = unique("t"), tmp_path / "out"
    written(kafka, kafka.create_topic(f"{stem}-12"), "a")
    written(kafka, kafka.create_topic(f"{stem}-d"), "not this one")
    written(kafka, kafka.create_topic(f"x-{stem}-12"), "nor this")
    name = unique("sink")
    worker.create(name, file_sink(out, topics__regex=rf"(?i){stem.upper()}-\d+", consumer__override__metadata__max__age__ms="1000"))
    worker.running(name)
    shows(out, "a")
    written(kafka, kafka.create_topic(f"{stem}-3"), "b")
    shows(out, "a", "b")
    written(kafka, f"{stem}-12", "c")
    shows(out, "a", "b", "c")


def test_behind_a_transform_that_renames_topics_offsets_are_of_the_topic_that_was_read(worker, kafka, tmp_path):
    topic, out, name = kafka.create_topic(unique("lines")), tmp_path / "out", unique("sink")
    written(kafka, topic, *[f"line-{i}" for i in range(1000)])
    worker.create(name, file_sink(out, topics=topic, transforms="rename", transforms__rename__type="org.apache.kafka.connect.transforms.RegexRouter",
                                  transforms__rename__regex="(.*)", transforms__rename__replacement="$1-x"))
    worker.running(name)
    eventually(lambda: len(lines(out)) == 1000, 60, "all lines are there")
    eventually(lambda: offsets(worker, name) == {topic: 1000}, 30, "the offset is committed for the topic that was read")
    assert worker.settled("POST", f"/connectors/{name}/restart?includeTasks=true").status_code in (202, 204)
    written(kafka, topic, "last")
    eventually(lambda: "last" in lines(out), 60, "it goes on")
    assert sorted(lines(out)) == sorted([f"line-{i}" for i in range(1000)] + ["last"])


def test_a_sink_s_name_used_before_goes_on_and_a_reset_begins_anew(worker, kafka, tmp_path):
    topic, out, name = kafka.create_topic(unique("lines")), tmp_path / "out", unique("sink")
    written(kafka, topic, "a", "b")
    worker.create(name, file_sink(out, topics=topic))
    shows(out, "a", "b")
    eventually(lambda: offsets(worker, name) == {topic: 2}, 30, "the offset is committed")
    assert worker.settled("DELETE", f"/connectors/{name}").status_code == 204
    written(kafka, topic, "c")
    worker.create(name, file_sink(out, topics=topic))
    shows(out, "a", "b", "c")
    eventually(lambda: offsets(worker, name) == {topic: 3}, 30, "the offset is committed")
    assert worker.settled("PUT", f"/connectors/{name}/stop").status_code == 204
    eventually(lambda: worker.settled("DELETE", f"/connectors/{name}/offsets").status_code == 200, 30, "the offsets are reset")
    assert offsets(worker, name) == {}
    assert worker.settled("DELETE", f"/connectors/{name}").status_code == 204
    worker.create(name, file_sink(out, topics=topic))
    shows(out, "a", "b", "c", "a", "b", "c")


@pytest.mark.native
def test_an_expression_without_a_topic_waits_for_one(worker, kafka, tmp_path):
    stem, out, name = unique("later"), tmp_path / "out", unique("sink")
    worker.create(name, file_sink(out, topics__regex=rf"{stem}-\d+", consumer__override__metadata__max__age__ms="500"))
    worker.running(name)
    written(kafka, kafka.create_topic(f"{stem}-1"), "a")
    shows(out, "a")
