"""A Java Connect cluster becomes a Fencepost cluster and goes back again, worker by worker, while its connectors run: configs, statuses and
offsets are kept, and nothing is lost. The Java workers are real ones of the same version."""
import json

import pytest

from harness import NATIVE, Traffic, append, assert_same, eventually, file_sink, file_source, mirror, numbers, unique

WORKERS = 3
PAUSED = {"connector": "PAUSED", "tasks": ["PAUSED"]}
STOPPED = {"connector": "STOPPED", "tasks": []}


class Seen:
    """What the cluster says of its connectors, whoever is asked."""

    def __init__(self, cluster, names):
        self.cluster, self.names = cluster, names
        self.configs, self.infos = self._read("config"), self._read("")

    def _read(self, path: str) -> dict:
        def of(name: str):
            r = self.cluster.workers[0].call("GET", f"/connectors/{name}{'/' + path if path else ''}")
            assert r.status_code == 200, (r.status_code, r.text)
            return r.json()
        return {n: of(n) for n in self.names}

    def unchanged(self) -> None:
        for w in self.cluster.workers:
            assert sorted(w.call("GET", "/connectors").json()) == sorted(self.names)
        assert self._read("config") == self.configs
        # All of it: the tasks and the type too.
        assert self._read("") == self.infos


def states(worker, name: str) -> dict:
    s = worker.status(name)
    return {"connector": s["connector"]["state"], "tasks": [t["state"] for t in s["tasks"]]}


def task_configs(kafka, cluster) -> dict:
    """The newest task configs in the config topic: what any worker would start the tasks with."""
    newest = {}
    for records in kafka.read(cluster.configs).values():
        for key, value in records:
            if key.startswith(b"task-"):
                newest[key] = value and json.loads(value)
    return newest


def settled(cluster, names: dict) -> None:
    """Every worker says that everything runs, and that only live workers run it."""
    live = {w.id for w in cluster.workers}

    def so():
        for w in cluster.workers:
            for name, tasks in names.items():
                s = w.status(name)
                assert s["connector"]["state"] == "RUNNING" and [t["state"] for t in s["tasks"]] == ["RUNNING"] * tasks, s
                assert {s["connector"]["worker_id"], *(t["worker_id"] for t in s["tasks"])} <= live, s
        return True
    eventually(so, 120, f"{list(names)} run on {live}", every=0.3)


@pytest.mark.skipif(not NATIVE, reason="it is Fencepost that a Java cluster is moved to")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("level", ["disabled", "enabled"])
def test_a_java_cluster_becomes_a_fencepost_cluster_and_goes_back(cluster_of, kafka, topic, tmp_path, level):
    c = cluster_of(exactly__once__source__support=level, producer__transaction__timeout__ms="10000")
    for _ in range(WORKERS):
        c.worker().become_java().start()
    c.all_ready()
    first = c.workers[0]
    copy, lines, sink, paused, stopped = (unique(x) for x in ("mirror", "lines", "sink", "paused", "stopped"))
    target = kafka.create_topic(unique("lines"))
    (tmp_path / "in").touch()
    first.create(copy, mirror(kafka, topic, tasks__max="2", exactly__once__support="requested"))
    first.create(lines, file_source(tmp_path / "in", target))
    first.create(sink, file_sink(tmp_path / "out", target, consumer__override__isolation__level="read_committed",
                                 consumer__override__auto__offset__reset="earliest"))
    for name, verb in ((paused, "pause"), (stopped, "stop")):
        append(tmp_path / name, "a-0")
        first.create(name, file_source(tmp_path / name, kafka.create_topic(unique(name))))
        first.running(name)
        eventually(lambda name=name: first.call("GET", f"/connectors/{name}/offsets").json()["offsets"], 60, f"{name} has offsets")
        assert first.settled("PUT", f"/connectors/{name}/{verb}").status_code in (202, 204)
    running = {copy: 2, lines: 1, sink: 1}
    settled(c, running)
    eventually(lambda: states(first, paused) == PAUSED and states(first, stopped) == STOPPED, 30, "paused and stopped")
    seen = Seen(c, [*running, paused, stopped])
    configs = task_configs(kafka, c)
    kept = {n: first.call("GET", f"/connectors/{n}/offsets").json() for n in (paused, stopped)}

    with Traffic(kafka, topic, file=tmp_path / "in", every=0.02) as traffic:
        for java in (False, True):
            for w in c.workers:
                w.stop()                    # Java does not always end in order; Fencepost does
                if java:
                    assert w.process.returncode == 0, w.last_words()
                w.become_java(java).start().ready()
                settled(c, running)
                seen.unchanged()
                for n, want in ((paused, PAUSED), (stopped, STOPPED)):
                    eventually(lambda n=n, want=want, w=w: states(w, n) == want, 30, f"{n} stays {want}")
                    assert w.settled("GET", f"/connectors/{n}/offsets").json() == kept[n]
            assert task_configs(kafka, c) == configs, f"the task configs are as they were, all workers {'Java' if java else 'Fencepost'}"
        total = traffic.end()

    def all_there(to):
        return set(numbers(kafka.read(to))) >= set(range(total))
    for to in (f"src.{topic}", target):
        eventually(lambda to=to: all_there(to), 120, f"all {total} records are in {to}", every=0.5)
    # Every step was in order, so nothing was done twice either, exactly once or not.
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))
    assert numbers(kafka.read(target)) == list(range(total))

    def in_the_file():
        return sorted({int(x.rsplit("-", 1)[1]) for x in (tmp_path / "out").read_text().splitlines()}) == list(range(total))
    eventually(in_the_file, 60, f"the sink has written all {total} lines", every=0.5)
    # The offsets are the ends of what was read, and every worker says so.
    ends = {p: len(r) for p, r in kafka.read(topic).items()}
    for w in c.workers:
        def offsets(w=w):
            found = w.call("GET", f"/connectors/{copy}/offsets").json()["offsets"]
            return {o["partition"]["partition"]: o["offset"]["offset"] + 1 for o in found} == ends
        eventually(offsets, 30, f"{w.id} shows the offsets of {copy}")
    # What was paused and stopped goes on where it stood: its one line is not sent again.
    for n in (paused, stopped):
        append(tmp_path / n, "b-1")
        assert first.settled("PUT", f"/connectors/{n}/resume").status_code == 202
        to = seen.configs[n]["topic"]
        eventually(lambda to=to: numbers(kafka.read(to)) == [0, 1], 60, f"{n} goes on where it stood")
    for w in c.workers:
        w.stop()
