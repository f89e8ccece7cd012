"""Several workers in one cluster: any of them answers any request, whatever happens to the others. The names say what was once wrong elsewhere."""
import collections
import signal
import subprocess
import threading
from urllib.parse import quote

import pytest
import requests

from harness import (Cluster, Traffic, append, assert_same, eventually, file_source, free_port, keyed, mirror, numbers, unharmed, unique)

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def pair(kafka, tmp_path_factory):
    """The first leads, as it was there first; the second follows."""
    c = Cluster(kafka, tmp_path_factory.mktemp("pair"))
    c.started()
    c.started()
    yield c
    c.close()


@pytest.fixture(params=[0, 1], ids=["leader", "follower"])
def asked(request, pair):
    return pair.workers[request.param]


@pytest.fixture
def other(asked, pair):
    return next(w for w in pair.workers if w is not asked)


def path(name: str, rest: str = "") -> str:
    return f"/connectors/{quote(name, safe='')}{rest}"


def state(worker, name: str) -> tuple:
    s = worker.status(name)
    return (s["connector"]["state"], *(t["state"] for t in s["tasks"]))


def owners(worker, name: str) -> list:
    return [t["worker_id"] for t in worker.status(name)["tasks"]]


def position(worker, name: str) -> int:
    """Of the one file of a file source."""
    return worker.call("GET", path(name, "/offsets")).json()["offsets"][0]["offset"]["position"]


def is_text(kafka, topic: str, *texts: str) -> bool:
    return sorted(v.decode() for p in kafka.read(topic).values() for _, v in p) == sorted(texts)


# requests are forwarded ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("odd", ["my conn", "a/b", "50%", "ünï", "x?y#z", "a+b", "%2F", "a:b&c=d"])
def test_a_connector_of_any_name_is_managed_from_any_worker(asked, other, kafka, tmp_path, odd):
    """Each name goes into a path from worker to worker, and is to arrive as it was."""
    name, first, second = f"{odd} {unique('o')}", kafka.create_topic(unique("a")), kafka.create_topic(unique("b"))
    append(tmp_path / "in", "x-1")
    config = file_source(tmp_path / "in", first)
    asked.create(name, config)
    other.running(name)
    eventually(lambda: is_text(kafka, first, "x-1"), 30, "the line arrives")
    # New task configs, made wherever the connector runs, are written by the leader.
    asked.create(name, {**config, "topic": second})
    # The task that is on its way out may still take a line to the old topic.
    eventually(lambda: append(tmp_path / "in", "x-2") or kafka.count(second), 30, "the task has its new config", every=0.5)
    size = (tmp_path / "in").stat().st_size
    eventually(lambda: position(other, name) == size, 30, "the file is read to its end")
    for w in (asked, other):
        assert w.settled("POST", path(name, "/restart")).status_code == 204
        assert w.settled("POST", path(name, "/restart?includeTasks=true")).status_code == 202
        w.running(name)
        assert w.settled("POST", path(name, "/tasks/0/restart")).status_code == 204
        w.running(name)
        assert w.settled("PUT", path(name, "/pause")).status_code == 202
        eventually(lambda w=w: state(w, name) == ("PAUSED", "PAUSED"), 30, "paused")
        assert w.settled("PUT", path(name, "/stop")).status_code == 204
        eventually(lambda w=w: state(w, name) == ("STOPPED",), 30, "stopped")
        r = w.settled("PATCH", path(name, "/offsets"), {"offsets": [{"partition": {"filename": str(tmp_path / "in")}, "offset": {"position": size - 4}}]})
        assert r.status_code == 200, r.text
        assert position(w, name) == size - 4
        before = kafka.count(second)
        assert w.settled("PUT", path(name, "/resume")).status_code == 202
        w.running(name)
        eventually(lambda: kafka.count(second) == before + 1, 30, "it goes on from the altered offset")
        eventually(lambda w=w: position(w, name) == size, 30, "and commits it")
    assert asked.settled("DELETE", path(name)).status_code == 204
    for w in (asked, other):
        eventually(lambda w=w: name not in w.call("GET", "/connectors").json(), 30, "gone")


def test_any_worker_gives_the_leader_s_answers(pair, kafka, tmp_path):
    """Status and body of each refusal are the same, whoever is asked."""
    a, b = pair.workers
    name = unique("same")
    (tmp_path / "in").touch()
    a.create(name, file_source(tmp_path / "in", kafka.create_topic(unique("t"))))
    for w in (a, b):
        w.running(name)
    for method, where, body in [
            ("DELETE", "/connectors/nobody", None), ("PUT", "/connectors/nobody/pause", None), ("PUT", "/connectors/nobody/stop", None),
            ("POST", "/connectors/nobody/restart", None), ("POST", "/connectors/nobody/restart?includeTasks=true", None),
            ("POST", f"/connectors/{name}/tasks/9/restart", None), ("DELETE", f"/connectors/{name}/offsets", None),
            ("POST", "/connectors", {"name": name, "config": file_source(tmp_path / "in", "t")}),
            ("PUT", f"/connectors/{name}/config", {"a": "b"}), ("PATCH", f"/connectors/{name}/config", {"tasks.max": "0"}),
            ("PATCH", f"/connectors/{name}/offsets", {"offsets": []}), ("PUT", f"/connectors/{name}/fence", None),
            ("POST", f"/connectors/{name}/tasks", [])]:
        answers = [w.call(method, where, body) for w in (a, b)]
        assert [r.status_code for r in answers] == [answers[0].status_code] * 2 and answers[0].status_code >= 400, (method, where, answers)
        assert answers[0].text == answers[1].text, (method, where)
    a.settled("DELETE", f"/connectors/{name}")


@pytest.mark.timeout(200)
def test_what_cannot_be_served_yet_says_what_the_worker_waits_for(cluster_of, tmp_path, kafka):
    """A leader whose REST address nobody can reach: requests of others are refused with its address. Nothing hangs."""
    c = cluster_of()
    c.worker().start(rest__advertised__port=str(free_port())).ready()
    follower = c.started()
    r = follower.settled("PUT", "/connectors/x/config", file_source(tmp_path / "in", "t"))
    assert r.status_code == 500 and c.workers[0].settings["rest.advertised.port"] in r.json()["message"], r.text


class Certificate:
    """A key with a certificate that vouches for itself, as PEM and PKCS12."""
    password = "not-so-secret"

    def __init__(self, folder, names: str):
        self.pem, self._key, self._both, self._store = (folder / f for f in ("cert.pem", "key.pem", "both.pem", "store.p12"))
        self._run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=worker", "-addext", f"subjectAltName={names}",
                  "-keyout", self._key, "-out", self.pem)
        self._run("pkcs12", "-export", "-inkey", self._key, "-in", self.pem, "-out", self._store, "-passout", f"pass:{self.password}")
        self._both.write_text(self._key.read_text() + self.pem.read_text())

    @staticmethod
    def _run(*what):
        subprocess.run(["openssl", *what], check=True, capture_output=True)

    def settings(self, kind: str, prefix: str = "listeners.https.") -> dict:
        store = {"PEM": {"location": self._both}, "PKCS12": {"location": self._store, "password": self.password}}[kind]
        return {**{f"{prefix}ssl.keystore.{k}": str(v) for k, v in {**store, "type": kind}.items()},
                f"{prefix}ssl.truststore.location": str(self.pem), f"{prefix}ssl.truststore.type": "PEM"}

    def ask(self, port: int, method: str, where: str, body=None, shown: bool = True, verify: bool = True):
        return requests.request(method, f"https://127.0.0.1:{port}{where}", json=body, verify=verify and str(self.pem),
                                cert=(str(self.pem), str(self._key)) if shown else None, timeout=90)

    def start(self, cluster: Cluster, verify: bool = True, **settings: str) -> None:
        w = cluster.worker()
        w.start(listeners=f"https://127.0.0.1:{w.port}", **settings)
        eventually(lambda: self.ask(w.port, "GET", "/connectors", verify=verify).status_code == 200, 60, "it serves HTTPS")

    def create(self, worker, name: str, config: dict, verify: bool = True):
        """The answer, once it is another than that the group rebalances."""
        def answer():
            r = self.ask(worker.port, "PUT", f"/connectors/{name}/config", config, verify=verify)
            return r.status_code != 409 and [r]
        return eventually(answer, 60, "an answer")[0]


@pytest.mark.timeout(200)
@pytest.mark.parametrize("kind", ["PEM", "PKCS12"])
def test_workers_that_serve_https_forward_by_https(cluster_of, kafka, tmp_path, kind):
    """One certificate that both show, and that both demand of each other and of clients; /admin has a listener and settings of its own."""
    certificate = Certificate(tmp_path, "IP:127.0.0.1")
    c = cluster_of(**certificate.settings(kind), **certificate.settings(kind, "admin.listeners.https."),
                   **{"listeners.https.ssl.client.auth": "required"})
    config = file_source(tmp_path / "in", kafka.create_topic(unique("t")))
    append(tmp_path / "in", "a-1")
    admin = free_port()
    certificate.start(c, **{"admin.listeners": f"https://127.0.0.1:{admin}"})
    certificate.start(c)
    leader, follower = c.workers
    name = unique("tls")
    r = certificate.create(follower, name, config)
    assert r.status_code == 201 and r.headers["Location"] == f"https://127.0.0.1:{follower.port}/connectors/{name}", r.text
    eventually(lambda: numbers(kafka.read(config["topic"])) == [1], 60, "the task runs, so the workers can also talk among themselves")
    with pytest.raises(requests.RequestException):
        certificate.ask(leader.port, "GET", "/connectors", shown=False)
    with pytest.raises(requests.RequestException):
        requests.get(f"http://127.0.0.1:{leader.port}/connectors", timeout=10)
    # The admin listener was told to ask no certificate of its clients, and serves nothing else.
    assert certificate.ask(admin, "GET", "/admin/loggers", shown=False).status_code == 200
    assert certificate.ask(admin, "GET", "/connectors", shown=False).status_code == 404
    assert certificate.ask(leader.port, "GET", "/admin/loggers").status_code == 404
    assert certificate.ask(follower.port, "GET", "/admin/loggers").status_code == 200


@pytest.mark.timeout(200)
@pytest.mark.parametrize("checked", [True, False])
def test_a_certificate_for_another_host_is_refused_unless_names_are_not_compared(cluster_of, kafka, tmp_path, checked):
    certificate = Certificate(tmp_path, "DNS:elsewhere.example")
    more = {} if checked else {"listeners.https.ssl.endpoint.identification.algorithm": ""}
    c = cluster_of(**certificate.settings("PEM"), **more)
    certificate.start(c, verify=False)
    certificate.start(c, verify=False)
    config = file_source(tmp_path / "in", kafka.create_topic(unique("t")))
    r = certificate.create(c.workers[1], unique("tls"), config, verify=False)
    assert r.status_code == (500 if checked else 201), r.text
    if checked:
        assert str(c.workers[0].port) in r.json()["message"], r.text


# tasks run once -----------------------------------------------------------------------------------------------------------------------
@pytest.mark.timeout(400)
def test_fifty_restarts_leave_one_instance_of_each_task(cluster_of, kafka, topic):
    """Without transactions, so that a second instance would show as records that are there twice."""
    c = cluster_of(exactly__once__source__support="disabled")
    c.started()
    c.started()
    name = unique("again")
    c.workers[0].create(name, mirror(kafka, topic, tasks__max="2", exactly__once__support="requested"))
    c.workers[0].running(name, 2)
    for i in range(50):
        w = c.workers[i % 2]
        r = w.settled("POST", path(name, "/restart" if i % 4 < 2 else "/restart?includeTasks=true"))
        assert r.status_code in (202, 204), r.text
    c.workers[0].running(name, 2)
    eventually(lambda: all(state(w, name) == ("RUNNING",) * 3 for w in c.workers), 30, "settled")
    kafka.produce(topic, keyed(0, 3000, 3))
    eventually(lambda: kafka.count(f"src.{topic}") >= 3000, 60, "all records", every=0.3)
    # Two more rounds of records: a second instance would have had the time to copy the first round again.
    for i in (1, 2):
        kafka.produce(topic, keyed(3000 * i, 3000, 3))
        eventually(lambda i=i: kafka.count(f"src.{topic}") >= 3000 * (i + 1), 60, "all records", every=0.3)
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))


@pytest.mark.timeout(400)
def test_many_connectors_created_at_once_all_run_and_none_ever_fails(cluster_of, kafka, tmp_path):
    """Each new connector makes the group meet again while the others' tasks are being fenced."""
    c = cluster_of()
    c.started()
    c.started()
    for turn in range(3):
        names = [unique(f"burst{turn}") for _ in range(10)]
        target = kafka.create_topic(unique("t"))
        for n in names:
            append(tmp_path / n, "a-1")

        def create(i: int, n: str):
            c.workers[i % 2].create(n, file_source(tmp_path / n, target))
        threads = [threading.Thread(target=create, args=(i, n)) for i, n in enumerate(names)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(120)
        for n in names:
            c.workers[turn % 2].running(n, within=90)
        eventually(lambda: len(numbers(kafka.read(target))) == 10, 60, "each has sent its line")
    for records in kafka.read(c.statuses).values():
        assert not [k for k, v in records if v and b'"FAILED"' in v]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("level", ["disabled", "enabled"])
def test_a_worker_that_was_paused_for_long_gives_up_what_others_took(cluster_of, kafka, topic, level):
    c = cluster_of(exactly__once__source__support=level, scheduled__rebalance__max__delay__ms="0")
    for _ in range(3):
        c.worker().start()
    c.all_ready()
    name = unique("paused")
    c.workers[0].create(name, mirror(kafka, topic, tasks__max="3", exactly__once__support="requested", source__consumer__max__poll__records="50"))
    c.workers[0].running(name, 3)
    eventually(lambda: len(set(owners(c.workers[0], name))) == 3, 60, "each worker has a task")
    zombie = next(w for w in c.workers[1:])
    rest = [w for w in c.workers if w is not zombie]
    with Traffic(kafka, topic) as traffic:
        zombie.signal(signal.SIGSTOP)
        eventually(lambda: zombie.id not in owners(rest[0], name) and state(rest[0], name) == ("RUNNING",) * 4, 90, "its task runs elsewhere")
        zombie.signal(signal.SIGCONT)
        eventually(lambda: all(len(set(owners(w, name))) == 3 and state(w, name) == ("RUNNING",) * 4 for w in c.workers), 90, "it has a task again")
        begin = traffic.count
        eventually(lambda: traffic.count > begin + 500, 60)
        total = traffic.end()
    eventually(lambda: set(numbers(kafka.read(f"src.{topic}"))) >= set(range(total)), 90, f"all {total} records", every=0.5)
    seen = collections.Counter(numbers(kafka.read(f"src.{topic}")))
    if level == "enabled":
        assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    # What came after it was back was done by one instance of each task, with transactions or without.
    assert not [n for n in range(begin, total) if seen[n] != 1]


@pytest.mark.timeout(400)
def test_leaders_come_and_go_while_keys_are_rotated_every_second(cluster_of, kafka, topic):
    c = cluster_of(inter__worker__key__ttl__ms="1000")
    for _ in range(3):
        c.started()
    name = unique("keys")
    config = mirror(kafka, topic, exactly__once__support="requested")
    c.workers[0].create(name, config)
    c.workers[0].running(name)
    kafka.produce(topic, keyed(0, 300, 3))
    for turn in range(3):
        leader = c.workers[turn]          # the eldest member of a group leads it
        rest = [w for w in c.workers if w is not leader]
        leader.kill()
        count = turn % 3 + 1
        # Asked of a worker that may neither lead nor know who does; what it then generates is signed with a key that is a second old.
        # Until the session of the killed one is over, requests are sent to it and refused with its name.
        changed = {**config, "tasks.max": str(count), "turn": str(turn)}
        eventually(lambda: rest[1].settled("PUT", path(name, "/config"), changed).status_code == 200, 60, "the config is taken", every=0.3)
        rest[0].running(name, count, within=90)
        for w in rest:
            assert w.call("GET", "/connectors", timeout=5).status_code == 200
        kafka.produce(topic, keyed(300 * (turn + 1), 300, 3))
        leader.start().ready()
    eventually(lambda: kafka.count(f"src.{topic}") >= 1200, 60, "all records", every=0.3)
    unharmed(c.workers[0].status(name))
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
