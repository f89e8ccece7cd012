"""What the tests are written with: a Kafka and workers of their own, a REST client, readers of topics, deadlines. All processes are ended
by pid; nothing waits for time to pass, only for something to happen before a deadline."""
from __future__ import annotations

import json
import os
import random
import shlex
import signal
import socket
import subprocess
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import quote

import requests
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

ROOT = Path(__file__).resolve().parent.parent.parent
#: Runs a worker in the foreground: it is given the properties file.
WORKER_CMD = os.environ.get("WORKER_CMD", str(ROOT / "build" / "release" / "fencepost"))
#: "java" when the harness itself is tried on the Java worker.
NATIVE = os.environ.get("WORKER_KIND", "native") == "native"
#: A Java Kafka Connect worker of the same protocol, for clusters of two kinds; its jars are pinned as Kafka's are.
JAVA_CMD = f"{ROOT / 'scripts' / 'kafka'} connect"
#: Multiplies every deadline, for slow or shared machines.
PATIENCE = float(os.environ.get("PATIENCE", "1"))

MIRROR_SOURCE = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
FILE_SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
JSON = "org.apache.kafka.connect.json.JsonConverter"
STRING = "org.apache.kafka.connect.storage.StringConverter"

_ports: set[int] = set()


def free_port() -> int:
    """A port on which nobody listens, and that this run has given to nobody else. It lies below the ports that the kernel gives to outgoing
    connections: a client that tries and tries to reach a dead broker's port from there can end up connected to itself, and hold the port."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _ports:
            _ports.add(port)
            return port


def unique(stem: str) -> str:
    return f"{stem}-{uuid.uuid4().hex[:8]}"


#: What a client says of a broker that has just died.
CLIENT_TROUBLE = ("_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN", "_DESTROY_BROKER", "_WAIT_COORD", "LEADER_NOT_AVAILABLE", "_LEADER_NOT_AVAILABLE",
                  "NOT_LEADER_FOR_PARTITION", "OFFSET_NOT_AVAILABLE")


def eventually(check, within: float = 30, what: str = "", every: float = 0.05):
    """Repeats `check` until it gives something true, and gives that back. AssertionError, failed requests and a
    Kafka that is not reached count as "not yet"; anything else ends the wait at once."""
    end = time.monotonic() + within * PATIENCE
    while True:
        try:
            last = check()
            if last:
                return last
        except (AssertionError, requests.RequestException) as e:
            last = e
        except KafkaException as e:
            if not e.args[0].retriable() and e.args[0].name() not in CLIENT_TROUBLE:
                raise
            last = e
        if time.monotonic() > end:
            raise AssertionError(f"not within {within:g} s: {what}; last seen: {last!r}")
        time.sleep(every)


class Kafka:
    """A real single-node Kafka with its data in `folder`; more of its own settings as "key=value"."""
    #: Of topics that are made here.
    replicas = 1

    def __init__(self, folder: Path, *settings: str, port: int | None = None):
        self.folder = Path(folder)
        self.bootstrap = self._script("start", str(port or free_port()), *settings)
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def _script(self, verb: str, *rest: str) -> str:
        return subprocess.run([ROOT / "scripts" / "kafka", verb, self.folder, *rest], check=True, text=True, stdout=subprocess.PIPE,
                              timeout=180).stdout.strip()

    def stop(self):
        self._script("stop")

    def kill(self):
        self._script("kill")

    def restart(self):
        self._script("restart")

    def create_topic(self, name: str, partitions: int = 1, **config: str) -> str:
        self.admin.create_topics([NewTopic(name, partitions, self.replicas, config={k.replace("_", "."): v for k, v in config.items()})])[name].result(30)
        eventually(lambda: name in self.topics(), 30, f"topic {name} is visible")
        return name

    def topics(self) -> dict:
        return self.admin.list_topics(timeout=20).topics

    def produce(self, topic: str, records) -> None:
        """Writes (key, value, partition) tuples, in this order; returns when the broker has them all."""
        producer = Producer({"bootstrap.servers": self.bootstrap, "enable.idempotence": True, "linger.ms": 5})
        for key, value, partition in records:
            while True:
                try:
                    producer.produce(topic, key=key, value=value, partition=partition)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(60 * PATIENCE) == 0, "the broker did not take the records"

    def read(self, topic: str, isolation: str = "read_committed", within: float = 120) -> dict:
        """{partition: [(key, value), ...]} from the start to the end, or with read_committed to the last stable offset, at the time of the call."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": unique("reader"), "isolation.level": isolation,
                             "auto.offset.reset": "earliest", "enable.auto.commit": False, "enable.partition.eof": True, "log_level": 0,
                             "fetch.wait.max.ms": 50})
        try:
            partitions = self._partitions(consumer, topic)
            # A topic that grows steadily has no moment without news, so the client never calls an end of it: the end is fixed beforehand.
            ends = {p: self._end(consumer, topic, p) for p in partitions}
            consumer.assign([TopicPartition(topic, p, 0) for p in partitions])
            got: dict[int, list] = {p: [] for p in partitions}
            left = set(partitions)
            deadline = time.monotonic() + within * PATIENCE
            while left:
                assert time.monotonic() < deadline, f"the end of {topic} was not reached within {within:g} s"
                for m in consumer.consume(10000, 0.1):
                    p = m.partition()
                    if m.error() is None and m.offset() < ends[p]:
                        got[p].append((m.key(), m.value()))
                    # Markers and aborted records are not handed over, so the last record may stand well before the end.
                    if m.offset() >= ends[p] - 1 and (m.error() is None or m.error().name() == "_PARTITION_EOF"):
                        left.discard(p)
            return got
        finally:
            consumer.close()

    def _end(self, consumer: Consumer, topic: str, partition: int) -> int:
        """The partition's end as this consumer's isolation level sees it."""
        return eventually(lambda: [consumer.get_watermark_offsets(TopicPartition(topic, partition), 20, cached=False)[1]], 60,
                          f"the end of partition {partition} of {topic}", every=0.2)[0]

    def count(self, topic: str) -> int:
        """Committed records in the topic; 0 while it does not exist."""
        return sum(map(len, self.read(topic).values())) if topic in self.topics() else 0

    def undecided(self, topic: str) -> dict:
        """{partition: (last stable offset, end)} of the partitions that hold records of a transaction which nobody has ended."""
        def ends(isolation: str) -> dict:
            consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": unique("ends"), "isolation.level": isolation, "log_level": 0})
            try:
                return {p: self._end(consumer, topic, p) for p in self._partitions(consumer, topic)}
            finally:
                consumer.close()
        stable, last = ends("read_committed"), ends("read_uncommitted")
        return {p: (stable[p], last[p]) for p in last if stable[p] < last[p]}

    def _partitions(self, consumer: Consumer, topic: str) -> list[int]:
        def known():
            t = consumer.list_topics(topic, 10).topics[topic]
            return sorted(t.partitions) if t.error is None else None
        return eventually(known, 30, f"topic {topic} exists")

    def open_transactions(self) -> dict:
        """Transactional id -> state of each transaction that is not finished, as the broker lists them."""
        out = subprocess.run([ROOT / "scripts" / "kafka", "tool", "org.apache.kafka.tools.TransactionsCommand", "--bootstrap-server",
                              self.bootstrap, "list"], check=True, text=True, stdout=subprocess.PIPE, timeout=120).stdout
        rows = [line.split() for line in out.splitlines()[1:] if line.strip()]
        return {r[0]: r[-1] for r in rows if r[-1] in ("Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence")}


class Growth:
    """Watches how far the log of a topic has grown: committed or not, markers too."""

    def __init__(self, kafka: Kafka, topic: str):
        self.topic = topic
        self._consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": unique("watch"), "log_level": 0,
                                   "isolation.level": "read_uncommitted"})
        self._partitions = kafka._partitions(self._consumer, topic)

    def size(self) -> int:
        """A partition whose leader has just died is asked again."""
        return eventually(lambda: [self._size()], 60, f"the ends of {self.topic}")[0]

    def _size(self) -> int:
        return sum(self._consumer.get_watermark_offsets(TopicPartition(self.topic, p), 10, cached=False)[1] for p in self._partitions)

    def by(self, records: int, within: float = 90, meanwhile=None) -> None:
        """Waits until the log has grown by so much since the call."""
        start = self.size()
        eventually(lambda: self.size() >= start + records or (meanwhile and meanwhile()), within, f"{self.topic} grows by {records} from {start}",
                   every=0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._consumer.close()


class Worker:
    """One worker process with its properties and log in `folder`."""

    def __init__(self, folder: Path, settings: dict):
        self.folder, self.settings, self.process, self.command, self.native = Path(folder), settings, None, WORKER_CMD, NATIVE
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = int(settings["rest.advertised.port"])
        self.id = f"{settings['rest.advertised.host.name']}:{self.port}"
        self.url = f"http://{self.id}"
        self.file, self.log_file = self.folder / "worker.properties", self.folder / "worker.log"

    def start(self, **settings: str) -> "Worker":
        assert not self.alive()
        self.settings.update({k.replace("__", "."): v for k, v in settings.items()})
        self.file.write_text("".join(f"{k}={v}\n" for k, v in self.settings.items()))
        with open(self.log_file, "ab") as log:
            # Heap and options of Java workers save start-up time and memory.
            java = {"CONNECT_HEAP": "256m", "JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto"}
            self.process = subprocess.Popen([*shlex.split(self.command), str(self.file)], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            start_new_session=True, env={**java, **os.environ})
        return self

    def become_java(self, java: bool = True) -> "Worker":
        """At its next start it is the other kind of worker, with the same properties and the same place in the cluster."""
        assert not self.alive()
        self.command, self.native = (JAVA_CMD, False) if java else (WORKER_CMD, NATIVE)
        return self

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ready(self, within: float = 90) -> "Worker":
        def answers():
            if not self.alive():
                raise RuntimeError(f"the worker ended with {self.process.returncode}: {self.last_words()}")
            return self.call("GET", "/connectors", timeout=5).status_code == 200
        eventually(answers, within, f"worker {self.id} answers; its log is {self.log_file}")
        return self

    def log(self) -> str:
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def last_words(self) -> str:
        return "\n".join(self.log().splitlines()[-3:])

    def signal(self, number: int):
        os.kill(self.process.pid, number)

    def kill(self):
        """As a crash: nothing is finished, nothing is said to anyone."""
        self.signal(signal.SIGKILL)
        self.process.wait(30)

    def stop(self, within: float = 30) -> int:
        """SIGTERM, and the exit code."""
        if self.alive():
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
        return self.ended(within)

    def stop_well(self, within: float = 30) -> None:
        """SIGTERM ends it in time and in order: with 0, or as Java ends on a signal."""
        assert self.alive(), f"the worker ended by itself with {self.process.returncode}: {self.last_words()}"
        code = self.stop(within)
        assert code == (0 if self.native else 128 + signal.SIGTERM), f"exit code {code}: {self.last_words()}"

    def ended(self, within: float = 30) -> int:
        try:
            return self.process.wait(within * PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"worker {self.id} did not end within {within:g} s; its log is {self.log_file}") from None

    # REST ---------------------------------------------------------------------------------------------------------------------
    def call(self, method: str, path: str, body=None, *, data=None, timeout: float = 100, headers: dict | None = None) -> requests.Response:
        """`body` goes as JSON, `data` as it is."""
        if body is not None:
            data = json.dumps(body)
        sent = {"Content-Type": "application/json"} if data is not None else {}
        return requests.request(method, self.url + path, data=data, headers={**sent, **(headers or {})}, timeout=timeout, allow_redirects=False)

    def settled(self, method: str, path: str, body=None, within: float = 60) -> requests.Response:
        """The first answer that is not 409 (rebalancing)."""
        def answer():
            r = self.call(method, path, body)
            return [r] if r.status_code != 409 else None       # in a list, because a Response of 4xx counts as false
        return eventually(answer, within, f"{method} {path} is answered")[0]

    def create(self, name: str, config: dict) -> None:
        r = self.settled("PUT", f"/connectors/{quote(name, safe='')}/config", config)
        assert r.status_code in (200, 201), (r.status_code, r.text)

    def status(self, name: str) -> dict:
        r = self.call("GET", f"/connectors/{quote(name, safe='')}/status", timeout=10)
        assert r.status_code == 200, (r.status_code, r.text)
        return r.json()

    def running(self, name: str, tasks: int = 1, within: float = 60, on: str | None = None) -> dict:
        """Waits until the connector and exactly `tasks` tasks are RUNNING (on that worker)."""
        def all_run():
            s = self.status(name)
            unharmed(s)
            ok = s["connector"]["state"] == "RUNNING" and len(s["tasks"]) == tasks and all(t["state"] == "RUNNING" for t in s["tasks"])
            return s if ok and (on is None or all(t["worker_id"] == on for t in s["tasks"])) else None
        return eventually(all_run, within, f"{name} runs with {tasks} tasks{' on ' + on if on else ''}; last status {self._status_text(name)}")

    def _status_text(self, name: str) -> str:
        try:
            return self.call("GET", f"/connectors/{quote(name, safe='')}/status", timeout=5).text
        except requests.RequestException as e:
            return repr(e)


def unharmed(status: dict) -> None:
    """No test of this suite gives a task a reason to fail: a failed one ends the test with its trace."""
    failed = [t for t in [status["connector"], *status["tasks"]] if t["state"] == "FAILED"]
    if failed:
        raise RuntimeError(f"FAILED: {failed}")


class Cluster:
    """Workers of one group on one Kafka."""

    def __init__(self, kafka: Kafka, folder: Path, **settings: str):
        self.kafka, self.folder, self.group, self.workers = kafka, Path(folder), unique("group"), []
        self.settings = {k.replace("__", "."): v for k, v in settings.items()}
        self.configs, self.statuses, self.offsets = (f"{self.group}-{x}" for x in ("configs", "status", "offsets"))

    def worker(self, **settings: str) -> Worker:
        """One more worker, not started."""
        port = free_port()
        all_settings = {
            "bootstrap.servers": self.kafka.bootstrap, "group.id": self.group,
            "config.storage.topic": self.configs, "status.storage.topic": self.statuses, "offset.storage.topic": self.offsets,
            **{f"{t}.storage.replication.factor": str(self.kafka.replicas) for t in ("config", "status", "offset")},
            "status.storage.partitions": "2", "offset.storage.partitions": "3", "key.converter": JSON, "value.converter": JSON,
            "listeners": f"http://127.0.0.1:{port}", "rest.advertised.host.name": "127.0.0.1", "rest.advertised.port": str(port),
            "exactly.once.source.support": "enabled", "offset.flush.interval.ms": "1000", "scheduled.rebalance.max.delay.ms": "1000",
            "session.timeout.ms": "6000", "heartbeat.interval.ms": "1000", "plugin.discovery": "service_load", **self.settings,
            **{k.replace("__", "."): v for k, v in settings.items()}}
        self.workers.append(Worker(self.folder / f"worker-{port}", all_settings))
        return self.workers[-1]

    def started(self, **settings: str) -> Worker:
        return self.worker(**settings).start().ready()

    def all_ready(self) -> None:
        for w in self.workers:
            w.ready()

    def roll(self, **settings: str) -> None:
        """Restarts the workers one by one with other settings; each is back before the next one goes."""
        for w in self.workers:
            w.stop_well()
            w.start(**settings).ready()

    def close(self):
        for w in self.workers:
            if w.alive():
                try:
                    w.stop()
                except AssertionError:
                    pass


def mirror(kafka: Kafka, topic: str, **more: str) -> dict:
    """A MirrorSource config: `topic` is copied to src.`topic` on the same Kafka."""
    return {"connector.class": MIRROR_SOURCE, "tasks.max": "1", "topics": topic, "source.cluster.alias": "src", "target.cluster.alias": "dst",
            "source.cluster.bootstrap.servers": kafka.bootstrap, "target.cluster.bootstrap.servers": kafka.bootstrap,
            "source.consumer.isolation.level": "read_committed", "source.consumer.auto.offset.reset": "earliest",
            "exactly.once.support": "required", "key.converter": BYTES, "value.converter": BYTES, "replication.factor": str(kafka.replicas),
            "offset-syncs.topic.replication.factor": str(kafka.replicas), "sync.topic.acls.enabled": "false", "sync.topic.configs.enabled": "false",
            "refresh.topics.interval.seconds": "2", **{k.replace("__", "."): v for k, v in more.items()}}


def file_source(path, topic: str, **more: str) -> dict:
    """A FileStreamSource config whose lines go to `topic` as they are."""
    return {"connector.class": FILE_SOURCE, "tasks.max": "1", "file": str(path), "topic": topic, "key.converter": STRING,
            "value.converter": STRING, **{k.replace("__", "."): v for k, v in more.items()}}


def file_sink(path, topic: str, **more: str) -> dict:
    return {"connector.class": FILE_SINK, "tasks.max": "1", "file": str(path), "topics": topic, "key.converter": STRING,
            "value.converter": STRING, **{k.replace("__", "."): v for k, v in more.items()}}


def append(path, *lines: str) -> None:
    with open(path, "a") as f:
        f.write("".join(line + "\n" for line in lines))


def numbers(records: dict) -> list:
    """The numbers at the ends of the values, in the order of each partition."""
    return [int(value.rsplit(b"-", 1)[-1]) for p in sorted(records) for _, value in records[p]]


class Traffic:
    """Writes numbered records ("line-17") from a thread of its own until it is told to end: into a topic's partitions in turn, and as lines
    of a file where one is given."""

    def __init__(self, kafka: Kafka, topic: str, partitions: int = 3, file=None, every: float = 0.005):
        self.count, self._kafka, self._topic, self._partitions, self._file, self._every = 0, kafka, topic, partitions, file, every
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._go, daemon=True)

    def _go(self):
        producer = Producer({"bootstrap.servers": self._kafka.bootstrap, "enable.idempotence": True, "linger.ms": 5, "log_level": 0})
        while not self._end.wait(self._every):
            value = f"line-{self.count}"
            producer.produce(self._topic, key=value, value=value, partition=self.count % self._partitions)
            producer.poll(0)
            if self._file:
                append(self._file, value)
            self.count += 1
        producer.flush(60)

    def __enter__(self) -> "Traffic":
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self) -> int:
        """How many were written in all."""
        self._end.set()
        self._thread.join(90)
        return self.count


def keyed(first: int, count: int, partitions: int) -> list:
    """`count` records spread over the partitions; no value occurs twice."""
    return [(f"key-{i % 997}", f"value-{i}", i % partitions) for i in range(first, first + count)]


def assert_all_arrived(kafka: Kafka, c: Cluster, topic: str, total: int) -> None:
    """The mirror of `topic` ends with all of it, once, in order; and when the workers have ended, nothing is left open."""
    for w in c.workers:
        w.stop_well()
    want = kafka.read(topic)
    # A producer that loses a broker may write a record again; what is there twice in the source has to be there twice in the target.
    assert sum(map(len, want.values())) >= total, "the source itself is not what was written to it"
    assert_same(want, kafka.read(f"src.{topic}"))
    eventually(lambda: not kafka.undecided(f"src.{topic}"), 30, "no record is in a transaction that nobody has ended")


def assert_same(want: dict, got: dict) -> None:
    """The topics hold the same records in the same order, partition by partition."""
    for p, records in want.items():
        have = got.get(p, [])
        if have == records:
            continue
        first = next((i for i, (a, b) in enumerate(zip(records, have)) if a != b), min(len(records), len(have)))
        seen = [v for _, v in have]
        raise AssertionError(f"partition {p}: {len(records)} records in the source, {len(have)} in the target, {len(seen) - len(set(seen))} of them "
                             f"more than once; they differ from place {first}: {records[first:first + 3]} against {have[first:first + 3]}")
