"""Moving a running cluster to exactly once and back, as the operators' guide says, and what happens to who leaves a step out."""
import collections
import http.server
import json
import threading
import urllib.error
import urllib.request

import pytest

from harness import Traffic, append, assert_same, eventually, file_source, free_port, keyed, mirror, numbers, unique

pytestmark = pytest.mark.native
LEVEL = "exactly.once.source.support"


def cluster(cluster_of, level: str, **more: str):
    return cluster_of(exactly__once__source__support=level, **more)


@pytest.mark.timeout(900)
def test_no_record_is_lost_on_the_way_to_enabled_and_back_and_none_doubled_while_all_are_enabled(cluster_of, kafka, topic, tmp_path):
    c = cluster(cluster_of, "disabled")
    for _ in range(3):
        c.worker().start()
    c.all_ready()
    copy, lines, target = unique("mirror"), unique("lines"), kafka.create_topic(unique("lines"))
    (tmp_path / "in").touch()
    c.workers[0].create(copy, mirror(kafka, topic, tasks__max="2", exactly__once__support="requested"))
    c.workers[0].create(lines, file_source(tmp_path / "in", target))
    names = {copy: (2, f"src.{topic}"), lines: (1, target)}

    def all_run():
        for name, (tasks, _) in names.items():
            c.workers[0].running(name, tasks, within=90)

    all_run()
    with Traffic(kafka, topic, file=tmp_path / "in") as traffic:
        c.roll(**{LEVEL: "preparing"})
        c.roll(**{LEVEL: "enabled"})
        all_run()
        begin = traffic.count
        for w in c.workers:                 # the owner of each task is among them
            w.kill()
            w.start().ready()
        all_run()
        end = traffic.count
        for name, (_, to) in names.items():
            eventually(lambda to=to: end - 1 in numbers(kafka.read(to)), 120, f"record {end - 1} of {name} arrives", every=0.5)
        c.roll(**{LEVEL: "preparing"})
        c.roll(**{LEVEL: "disabled"})
        all_run()
        total = traffic.end()
    for name, (_, to) in names.items():
        eventually(lambda to=to: set(numbers(kafka.read(to))) >= set(range(total)), 120, f"all {total} records of {name} arrive", every=0.5)
        seen = collections.Counter(numbers(kafka.read(to)))
        assert set(seen) == set(range(total))
        twice = [n for n in range(begin, end) if seen[n] != 1]
        assert not twice, f"{name}: {len(twice)} records of the time when all were enabled ({begin} to {end}) are there twice: {twice[:5]}"
        print(f"{name}: {total} records, {seen.total() - total} more than that outside of {begin} to {end}")
    eventually(lambda: not [t for t in kafka.open_transactions() if c.group in t], 30, "no transaction of the group is open")


@pytest.mark.timeout(300)
def test_a_leader_that_is_still_disabled_serves_enabled_workers_and_says_what_they_left_out(cluster_of, kafka, tmp_path):
    """As Java's: it fences on request. But its own writes are not in transactions, so the next leader cannot fence it out of the log."""
    c = cluster(cluster_of, "disabled")
    leader = c.started()
    follower = c.started(**{LEVEL: "enabled"})
    for i in range(2):
        target = kafka.create_topic(unique("lines"))
        append(tmp_path / str(i), "a-1")
        leader.create(unique("lines"), file_source(tmp_path / str(i), target))
        eventually(lambda to=target: numbers(kafka.read(to)) == [1], 60, "the line arrives")
    warned = eventually(lambda: [x for x in leader.log().splitlines() if LEVEL in x and "preparing" in x], 10, "the leader warns")
    assert any(" W " in x and "disabled" in x for x in warned), warned
    assert len(warned) <= 2, warned         # once a connector, not once a request
    assert not [x for x in follower.log().splitlines() if " E " in x]


class OldLeader(http.server.BaseHTTPRequestHandler):
    """Stands before a worker's REST port as one of a version without fencing would: that path does not exist."""
    port = 0

    def _pass_on(self):
        if self.path.split("?")[0].endswith("/fence"):
            return self._answer(404, b'{"error_code":404,"message":"HTTP 404 Not Found"}')
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "content-length")}
        ask = urllib.request.Request(f"http://127.0.0.1:{self.port}{self.path}", body, headers, method=self.command)
        try:
            with urllib.request.urlopen(ask, timeout=100) as r:
                self._answer(r.status, r.read())
        except urllib.error.HTTPError as e:
            self._answer(e.code, e.read())

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = _pass_on

    def _answer(self, code: int, body: bytes):
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.timeout(300)
def test_a_leader_that_knows_no_fencing_fails_the_tasks_of_enabled_workers_with_the_cure(cluster_of, kafka, tmp_path):
    """The other way to leave `preparing` out: the leader is a worker of a version before KIP-618. The task
    fails after a minute's patience, and says what to do; once that is done it runs."""
    c = cluster(cluster_of, "disabled")
    old = c.worker()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), type("_", (OldLeader,), {"port": old.port}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        old.start(rest__advertised__port=str(server.server_address[1])).ready()
        new = c.started(**{LEVEL: "enabled"})
        names = []
        for i in range(2):
            append(tmp_path / str(i), "a-1")
            names.append(unique("lines"))
            old.create(names[-1], file_source(tmp_path / str(i), kafka.create_topic(unique("lines"))))

        def failed():
            return [t for n in names for t in new.status(n)["tasks"] if t["state"] == "FAILED"]
        task = eventually(failed, 120, "the task on the enabled worker fails")[0]
        assert task["worker_id"] == new.id and LEVEL in task["trace"] and "preparing" in task["trace"], task
        assert [x for x in new.log().splitlines() if " E " in x and LEVEL in x and "preparing" in x], new.last_words()
        # The cure: every worker, the leader too, is given a version and a level that can fence; then the task is restarted.
        old.stop_well()
        old.start(rest__advertised__port=str(old.port), **{LEVEL: "preparing"}).ready()
        for n in names:
            new.settled("POST", f"/connectors/{n}/restart?includeTasks=true&onlyFailed=true")
            eventually(lambda n=n: all(t["state"] == "RUNNING" for t in new.status(n)["tasks"]) and new.status(n)["tasks"], 60, f"{n} runs")
    finally:
        server.shutdown()


@pytest.mark.timeout(400)
@pytest.mark.parametrize("end", ["stopped", "killed"])
def test_a_hard_downgrade_to_a_java_worker_goes_on_from_the_global_offsets(cluster_of, kafka, topic, end):
    """No step back through preparing: the enabled worker is gone, and a Java worker with the feature disabled takes its place. The connector
    has an offsets topic of its own, which that worker does not read."""
    name, count = unique("down"), 20000
    c = cluster(cluster_of, "enabled")
    w = c.started()
    w.create(name, mirror(kafka, topic, tasks__max="2", exactly__once__support="requested", offsets__storage__topic=unique("own"),
                          source__consumer__max__poll__records="500"))
    kafka.produce(topic, keyed(0, count, 3))
    eventually(lambda: kafka.count(f"src.{topic}") == count, 120, f"{count} records", every=0.3)
    if end == "stopped":
        w.stop_well()
    else:
        # What is committed reaches the global topic a moment later; a killed worker may owe it the last of it.
        eventually(lambda: offsets_of(kafka, c, name) == {p: len(r) for p, r in kafka.read(topic).items()}, 30, "offsets are copied", every=0.3)
        w.kill()
    kafka.produce(topic, keyed(count, count, 3))
    w.become_java().start(**{LEVEL: "disabled"}).ready()
    w.running(name, 2, within=120)
    eventually(lambda: kafka.count(f"src.{topic}") >= 2 * count, 120, "the rest arrives", every=0.5)
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    w.stop()


def offsets_of(kafka, cluster, name: str) -> dict:
    """{source partition: next offset} of a mirror in the global offsets topic."""
    out = {}
    for records in kafka.read(cluster.offsets).values():
        for key, value in records:
            who, partition = json.loads(key)
            if who == name and value is not None:
                out[partition["partition"]] = json.loads(value)["offset"] + 1
    return out
