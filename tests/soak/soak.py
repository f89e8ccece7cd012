#!/usr/bin/env python3
"""Rounds of faults under steady traffic; README.md beside this file says which, and what is judged. Replayed by its seed."""
from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from harness import Cluster, Growth, Traffic, Worker, assert_same, eventually, file_source, mirror, unique  # noqa: E402
from trio import Trio  # noqa: E402

SESSION_S = 4
#: Of all transactions but in the fault that lets one time out.
TRANSACTION_S, SHORT_TRANSACTION_S = 120, 1.5
PARTITIONS = 3
#: After a fault everything must be well within so many seconds.
RECOVERY_S = 90


class Resources:
    """What a process uses."""

    def __init__(self, pid: int):
        proc = Path(f"/proc/{pid}")
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        self.threads, self.rss_mb = int(status["Threads"]), int(status["VmRSS"].split()[0]) / 1024
        self.files = len(list((proc / "fd").iterdir()))
        begun = int((proc / "stat").read_text().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")
        self.age_s = float(Path("/proc/uptime").read_text().split()[0]) - begun

    def __str__(self) -> str:
        return f"age {self.age_s:.0f} s, {self.threads} threads, {self.files} files, {self.rss_mb:.0f} MB"


class Soak:
    """One cluster under fire. `kafka` must allow sessions of SESSION_S; see `settings`. It has three brokers: one that is alone and comes back from a
    crash may drop the markers of a transaction whose end was under way (docs/OPERATIONS.md), whoever wrote it."""
    #: Of the brokers.
    settings = ("group.min.session.timeout.ms=1000", "transaction.abort.timed.out.transaction.cleanup.interval.ms=500")

    def __init__(self, kafka: Trio, folder: Path, seed: int, say=print):
        self.kafka, self.chance, self.say, self.round = kafka, random.Random(seed), say, 0
        self.cluster = Cluster(kafka, folder, session__timeout__ms=str(SESSION_S * 1000), heartbeat__interval__ms="500")
        self.file = Path(folder) / "lines"
        self.file.touch()
        self.topic, self.lines = unique("soak"), unique("lines")
        self.names = {kind: f"{self.topic}-{kind}" for kind in ("poll", "interval", "file")}
        self.targets = {"poll": f"poll.{self.topic}", "interval": f"interval.{self.topic}", "file": self.lines}
        self.tasks = {"poll": 2, "interval": 2, "file": 1}
        self.first: Resources | None = None
        self.written = 0
        self.elders: list[Worker] = []
        self.deck: list[str] = []
        self.faults = {"kill": self._kill, "kill-leader": self._kill_leader, "stop-session": self._stop_session,
                       "stop-transaction": self._stop_transaction, "restart": self._restart, "broker": self._broker, "config": self._config,
                       "restart-connector": self._restart_connector, "pause": self._pause}

    def begin(self) -> None:
        self.kafka.create_topic(self.topic, PARTITIONS)
        for kind, target in self.targets.items():
            self.kafka.create_topic(target, 1 if kind == "file" else PARTITIONS)
        # One by one: the eldest leads.
        self.elders = [self.cluster.started() for _ in range(3)]
        self.veteran = self.elders[0]
        for kind in self.names:
            self.veteran.create(self.names[kind], self._wanted(kind))
        self._well(self.veteran)

    def run(self, rounds: int, check_each: int = 10) -> None:
        while self.round < rounds:
            block = min(check_each, rounds - self.round)
            with self._traffic() as traffic:
                for _ in range(block):
                    self._one_round()
                self.written = traffic.end()
            self._check()

    def close(self) -> None:
        self.cluster.close()

    def _traffic(self) -> Traffic:
        traffic = Traffic(self.kafka, self.topic, PARTITIONS, self.file, every=0.01)
        traffic.count = self.written          # numbers go on: no value occurs twice
        return traffic

    def _wanted(self, kind: str, transaction_s: float = TRANSACTION_S) -> dict:
        """The config of a connector; each call may give another one."""
        timeout = {"producer__override__transaction__timeout__ms": str(int(transaction_s * 1000))}
        if kind == "file":
            return file_source(self.file, self.lines, batch__size=str(self.chance.choice((20, 200, 2000))), **timeout)
        more = {"transaction__boundary__interval__ms": str(self.chance.choice((100, 300, 600)))} if kind == "interval" else {}
        return mirror(self.kafka, self.topic, tasks__max="2", source__cluster__alias=kind, transaction__boundary=kind,
                      source__consumer__max__poll__records=str(self.chance.choice((20, 100, 500))), **more, **timeout)

    # Judgement ----------------------------------------------------------------------------------------------------------------
    def _one_round(self) -> None:
        self.round += 1
        begin = time.monotonic()
        if not self.deck:
            # Each once before any comes again.
            self.deck = sorted(self.faults)
            self.chance.shuffle(self.deck)
        fault = self.deck.pop()
        whom = self.faults[fault]()
        struck = time.monotonic()
        self.cluster.all_ready()
        self._well(self.chance.choice(self.cluster.workers))
        self.say(f"round {self.round}: {fault} {whom}: {struck - begin:.1f} s, well after {time.monotonic() - struck:.1f} s", flush=True)

    def _well(self, asked: Worker) -> None:
        """All run and, as far as there is something to copy, all copy: who says RUNNING may be dead."""
        for kind, name in self.names.items():
            asked.running(name, self.tasks[kind], within=RECOVERY_S)
        if not self.round:
            return
        for target in self.targets.values():
            with Growth(self.kafka, target) as growth:
                growth.by(10, RECOVERY_S)
        # Growth takes a moment, in which a rebalance may have come.
        for kind, name in self.names.items():
            asked.running(name, self.tasks[kind], within=RECOVERY_S)

    def _check(self) -> None:
        for kind, target in self.targets.items():
            eventually(lambda t=target: self.kafka.count(t) >= self.written, RECOVERY_S, f"all {self.written} records are in {target}", every=0.5)
        want = self.kafka.read(self.topic)
        assert sum(map(len, want.values())) == self.written, "the source itself is not what was written to it"
        for kind in ("poll", "interval"):
            assert_same(want, self.kafka.read(self.targets[kind]))
        lines = [(None, line.encode()) for line in self.file.read_text().splitlines()]
        assert len(lines) == self.written
        assert_same({0: lines}, {0: [(None, value) for _, value in self.kafka.read(self.lines)[0]]})
        for target in self.targets.values():
            eventually(lambda t=target: not self.kafka.undecided(t), 30, f"no record of {target} is in a transaction that nobody has ended")
        self.say(f"after {self.round} rounds {self.written} records stand once and in order in each of {len(self.targets)} targets", flush=True)
        self._weigh()

    def _weigh(self) -> None:
        now = {w: Resources(w.process.pid) for w in self.cluster.workers}
        for w, used in now.items():
            self.say(f"    {w.id}: {used}", flush=True)
        if self.first is None:
            # Which tasks a worker has changes from check to check: compared with the one that had most to do.
            self.first = max(now.values(), key=lambda used: used.threads)
            self.first.rss_mb = max(used.rss_mb for used in now.values())
            return
        for w, used in now.items():
            assert used.threads <= 2 * self.first.threads + 20, f"{w.id} has {used}; at the first check the busiest had {self.first}"
            assert used.files <= 2 * self.first.files + 40, f"{w.id} has {used}; at the first check the busiest had {self.first}"
            assert used.rss_mb <= 1.5 * self.first.rss_mb + 60, f"{w.id} has {used}; at the first check the busiest had {self.first}"

    # Faults; each says whom it hit ----------------------------------------------------------------------------------------------
    def _other(self) -> Worker:
        return self.chance.choice([w for w in self.cluster.workers if w is not self.veteran])

    def _any(self) -> Worker:
        return self.chance.choice(self.cluster.workers)

    def _younger(self, w: Worker) -> str:
        """It joins anew, behind the others."""
        self.elders.remove(w)
        self.elders.append(w)
        return w.id

    def _kill(self, w: Worker | None = None) -> str:
        w = w or self._other()
        w.kill()
        late = self.chance.random() < 0.5
        if late:
            others = [o for o in self.cluster.workers if o is not w]
            for kind in self.names:
                eventually(lambda k=kind: self._left(others[0], k, w), RECOVERY_S, f"others do the work of {w.id} in {self.names[kind]}")
        w.start()
        return f"{self._younger(w)} {'replaced, then' if late else 'at once'} started again"

    def _left(self, asked: Worker, kind: str, gone: Worker) -> bool:
        status = asked.status(self.names[kind])
        runs = [status["connector"], *status["tasks"]]
        return len(runs) == 1 + self.tasks[kind] and all(r["state"] == "RUNNING" and r["worker_id"] != gone.id for r in runs)

    def _kill_leader(self) -> str:
        return self._kill(self.elders[0])

    def _stopped(self, w: Worker, seconds: float) -> None:
        w.signal(signal.SIGSTOP)
        try:
            threading.Event().wait(seconds)          # how long the fault lasts
        finally:
            w.signal(signal.SIGCONT)

    def _stop_session(self) -> str:
        w = self._any()
        self._stopped(w, SESSION_S + 2)
        return self._younger(w)

    def _stop_transaction(self) -> str:
        kind = "interval"          # its transactions are open nearly all the time
        name = self.names[kind]
        self._any().create(name, self._wanted(kind, SHORT_TRANSACTION_S))
        self._well(self._any())
        owner = self.veteran.status(name)["tasks"][0]["worker_id"]
        w = next(w for w in self.cluster.workers if w.id == owner)
        self._stopped(w, SHORT_TRANSACTION_S + 1)
        self._well(self._any())
        self._any().create(name, self._wanted(kind))
        return w.id

    def _restart(self) -> str:
        w = self._other()
        w.stop_well()
        w.start()
        return self._younger(w)

    def _broker(self) -> str:
        which = self.chance.choice(sorted(self.kafka.nodes))
        node = self.kafka.nodes[which]
        node.script("kill")
        self._well(self._any())          # the other two do without it
        node.script("restart")
        self.kafka.whole()
        return str(which)

    def _config(self) -> str:
        kind = self.chance.choice(sorted(self.names))
        self._any().create(self.names[kind], self._wanted(kind))
        return kind

    def _restart_connector(self) -> str:
        kind, w = self.chance.choice(sorted(self.names)), self._any()
        only = self.chance.choice(("true", "false"))
        r = w.settled("POST", f"/connectors/{self.names[kind]}/restart?includeTasks=true&onlyFailed={only}")
        assert r.status_code in (202, 204), (r.status_code, r.text)
        return f"{kind} onlyFailed={only}"

    def _pause(self) -> str:
        kind = self.chance.choice(sorted(self.names))
        name = self.names[kind]
        assert self._any().settled("PUT", f"/connectors/{name}/pause").status_code == 202

        def paused():
            status = self.veteran.status(name)
            return all(t["state"] == "PAUSED" for t in [status["connector"], *status["tasks"]])
        eventually(paused, RECOVERY_S, f"{name} pauses")
        assert self._any().settled("PUT", f"/connectors/{name}/resume").status_code == 202
        return kind


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    arguments.add_argument("--folder", type=Path, help="where data and logs go (default: a temporary folder)")
    given = arguments.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="fencepost-soak-"))
    print(f"{given.rounds} rounds with --seed {given.seed}; logs in {folder}", flush=True)
    kafka = Trio(folder / "kafka", *Soak.settings)
    soak = Soak(kafka, folder, given.seed)
    try:
        soak.begin()
        soak.run(given.rounds)
    finally:
        soak.close()
        kafka.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
