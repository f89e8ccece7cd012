"""What others get wrong: requests, and records in the internal topics. An error or a warning that names the thing; no crash, nothing lost."""
import http.client
import json
import os
import re
import socket

import pytest
from confluent_kafka import Producer

from harness import FILE_SOURCE, NATIVE, STRING, eventually, mirror, unique


def source(tmp_path, topic: str) -> dict:
    file = tmp_path / unique("in")
    file.write_text("one\n")
    return {"connector.class": FILE_SOURCE, "tasks.max": "1", "file": str(file), "topic": topic, "key.converter": STRING, "value.converter": STRING}


def healthy(worker) -> None:
    assert worker.alive(), worker.last_words()
    assert worker.call("GET", "/connectors", timeout=10).status_code == 200


def is_error(answer, *codes: int) -> str:
    """The message of an error in Connect's form."""
    assert answer.status_code in codes, (answer.status_code, answer.text)
    body = answer.json()
    assert body["error_code"] == answer.status_code and body["message"], answer.text
    return body["message"]


# requests -------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("body", ['{"name": "x", "config": {', "", "null", "[]", "7", '"text"', "\x00\x01\xff", "{" * 20000, '{"name": "x", "config": []}',
                                  '{"name": ["x"], "config": {}}', '{"name": "x", "config": {"a": {"b": "c"}}}', '{"name": "x", "config": {"tasks.max": [1]}}'],
                         ids=["cut", "empty", "null", "a list", "a number", "a text", "bytes", "deep", "config is a list", "name is a list", "a nested value",
                              "a list as value"])
def test_a_body_that_is_not_a_connector_is_refused(worker, body):
    is_error(worker.call("POST", "/connectors", data=body.encode("latin-1")), 400, 500)
    assert "x" not in worker.call("GET", "/connectors").json()
    healthy(worker)


def test_an_unknown_field_is_named(worker, tmp_path):
    name = unique("c")
    message = is_error(worker.call("POST", "/connectors", {"name": name, "config": source(tmp_path, name), "surprise": 1}), 400, 500)
    assert "surprise" in message
    assert name not in worker.call("GET", "/connectors").json()


def test_an_unknown_setting_of_a_connector_is_no_error(worker, kafka, tmp_path):
    name = unique("c")
    kafka.create_topic(name)
    worker.create(name, {**source(tmp_path, name), "no.such.setting": "1"})
    worker.running(name)
    assert worker.settled("DELETE", f"/connectors/{name}").status_code == 204


def test_a_name_that_differs_between_path_and_config_is_refused(worker, tmp_path):
    name = unique("c")
    message = is_error(worker.call("PUT", f"/connectors/{name}/config", {**source(tmp_path, name), "name": "another"}), 400)
    assert "another" in message and name in message
    assert name not in worker.call("GET", "/connectors").json()


def test_a_class_that_does_not_exist_is_named(worker):
    name = unique("c")
    message = is_error(worker.call("PUT", f"/connectors/{name}/config", {"connector.class": "no.such.Connector"}), 400, 500)
    assert "no.such.Connector" in message
    assert name not in worker.call("GET", "/connectors").json()


@pytest.mark.native
def test_an_oversized_body_is_413_and_the_worker_lives(worker):
    body = b'{"name": "big", "config": {"connector.class": "' + b"x" * 3_000_000 + b'"}}'     # rest.request.max.bytes is 2,000,000
    try:
        code = worker.call("POST", "/connectors", data=body).status_code
    except OSError:
        code = 413          # it may hang up on who keeps sending, after its answer
    assert code == 413
    healthy(worker)


@pytest.mark.native
def test_a_length_that_is_too_large_is_refused_before_the_body_is_sent(worker):
    with socket.create_connection(("127.0.0.1", worker.port), 10) as s:
        s.sendall(b"POST /connectors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{")
        s.settimeout(20)
        assert b" 413 " in s.recv(4096).split(b"\r\n")[0]
    healthy(worker)


@pytest.mark.parametrize("request_bytes", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"\r\n\r\n\r\n", os.urandom(4096),
                                           b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 20000 + b"\r\n", b"GET /" + b"x" * 200000 + b" HTTP/1.1\r\n\r\n"],
                         ids=["TLS", "half a line", "blank lines", "noise", "twenty thousand headers", "a long path"])
def test_what_is_no_http_harms_nobody(worker, request_bytes):
    with socket.create_connection(("127.0.0.1", worker.port), 10) as s:
        try:
            s.sendall(request_bytes)
            s.settimeout(2)
            s.recv(4096)
        except OSError:
            pass
    healthy(worker)


def test_clients_that_hang_up_in_the_middle_harm_nobody(worker):
    for _ in range(50):
        c = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=10)
        c.putrequest("POST", "/connectors")
        c.putheader("Content-Type", "application/json")
        c.putheader("Content-Length", "1000")
        c.endheaders(b'{"name": ')
        c.close()
    healthy(worker)


# records in the internal topics -----------------------------------------------------------------------------------------------------------
def strange(connector: str) -> list:
    """(key, value) that no worker wrote. A compacted topic takes no record without a key."""
    return [(b"", b""), (b"rubbish", b"rubbish"), (os.urandom(300), os.urandom(3000)), (b"connector-", b"{}"),
            (b"connector-x", b"[1]"), (b"connector-x", b'{"properties": 7}'), (b"task-x-0", b'{"properties": null}'), (b"task-x-zero", b"{}"),
            (b"commit-x", b'{"tasks": "many"}'), (b"commit-x", b'{"tasks": -1}'), (b"target-state-x", b'{"state": "SIDEWAYS"}'),
            (b"tasks-fencing-x", b'{"task-count": "n"}'), (b"session-key", b'{"key": 1}'), (b"status-connector-x", b'{"state": 5}'),
            (b"status-task-x-0", b"{"), (b"status-task-x-minus", b"{}"), (b"status-topic-x", b"null"), (f'["{connector}"]'.encode(), b"{}"),
            (f'["{connector}",{{"partition":0}}]'.encode(), b"[1]"), (b'{"not":"a list"}', b"{}"), (b"[1,2,3]", b"null"), (b"x" * 100000, None)]


def spoil(kafka, topic: str, records: list) -> None:
    p = Producer({"bootstrap.servers": kafka.bootstrap, "message.max.bytes": 5_000_000})
    refused = []
    for key, value in records:
        p.produce(topic, key=key, value=value, partition=0, on_delivery=lambda error, _: error and refused.append(error))
    assert p.flush(30) == 0 and not refused, refused


@pytest.mark.timeout(300)
def test_rubbish_in_the_internal_topics_is_skipped_with_a_warning_and_costs_nothing(cluster_of, kafka, topic):
    """While a worker runs, and when the next one reads it all from the start."""
    c = cluster_of()
    w = c.started()
    name = unique("c")
    w.create(name, mirror(kafka, topic))
    w.running(name)
    kafka.produce(topic, [("k", f"before-{i}", i % 3) for i in range(300)])
    eventually(lambda: kafka.count(f"src.{topic}") == 300, 60, "300 records before")
    for internal in (c.configs, c.statuses, c.offsets):
        if NATIVE or internal != c.configs:         # Java's herder does not survive all of it in the config topic
            spoil(kafka, internal, strange(name))
    other = unique("d")
    kafka.create_topic(f"again.{topic}", 3)
    w.create(other, mirror(kafka, topic, source__cluster__alias="again"))
    w.running(other)
    w.running(name)
    w.stop_well()
    w.start().ready()
    w.running(name)
    w.running(other)
    assert sorted(w.call("GET", "/connectors").json()) == sorted([name, other])
    kafka.produce(topic, [("k", f"after-{i}", i % 3) for i in range(300)])
    eventually(lambda: kafka.count(f"src.{topic}") == 600 and kafka.count(f"again.{topic}") == 600, 60, "600 records in both targets")
    if NATIVE:
        for internal in (c.configs, c.statuses, c.offsets):
            place = re.compile(rf"{re.escape(internal)}, partition 0, offset \d+")
            assert place.search(w.log()), internal
        raw = w.log_file.read_bytes()
        raw.decode()
        assert not any(byte < 32 and byte not in b"\t\n" for byte in raw)


@pytest.mark.native                     # Java's worker forgets the tasks (KAFKA-17719)
def test_a_config_that_compaction_has_moved_behind_its_tasks_leaves_them_in_force(cluster_of, kafka, tmp_path):
    """And what a deleted connector has left is not taken for the tasks of the next one of its name (KAFKA-16838)."""
    c = cluster_of()
    kafka.create_topic(c.configs, 1, cleanup_policy="compact")
    target = kafka.create_topic(unique("lines"))
    moved, paused, gone = unique("moved"), unique("paused"), unique("gone")
    written = Producer({"bootstrap.servers": kafka.bootstrap})
    for name in (moved, paused, gone):
        config = {**source(tmp_path, target), "name": name}
        rows = [(f"task-{name}-0", {"properties": {**config, "task.class": FILE_SOURCE.replace("Connector", "Task")}}), (f"commit-{name}", {"tasks": 1}),
                (f"tasks-fencing-{name}", {"task-count": 1}), (f"target-state-{name}", {"state": "PAUSED", "state.v2": "PAUSED"} if name == paused else None),
                (f"connector-{name}", {"properties": config} if name != gone else None)]
        for key, value in rows:
            if value is not None:
                written.produce(c.configs, key=key, value=json.dumps(value))
    assert written.flush(30) == 0
    w = c.started()
    w.running(moved)
    eventually(lambda: (s := w.status(paused))["connector"]["state"] == "PAUSED" and [t["state"] for t in s["tasks"]] == ["PAUSED"], 60,
               "the paused one shows its task")
    eventually(lambda: kafka.count(target) == 1, 60, "the line of the one that runs")
    assert w.settled("POST", "/connectors", {"name": gone, "config": {**source(tmp_path, target), "tasks.max": "1"}, "initial_state": "PAUSED"}).status_code == 201
    eventually(lambda: w.status(gone)["connector"]["state"] == "PAUSED", 60, "the new one is there")
    assert w.call("GET", f"/connectors/{gone}/tasks").json() == []
