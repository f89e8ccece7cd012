"""How a worker begins and ends: the command line, and what it says when it cannot start. Fencepost's own manners: Java's differ."""
import shlex
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import PATIENCE, WORKER_CMD, Cluster, eventually, free_port, unique
from proxy import Proxy

pytestmark = pytest.mark.native


def run(*arguments: str, within: float = 30) -> subprocess.CompletedProcess:
    return subprocess.run([*shlex.split(WORKER_CMD), *map(str, arguments)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=within * PATIENCE)


def refused(worker, *phrases: str, within: float = 120) -> None:
    """The worker ends by itself, not by a signal and not with 0, and its last line has all the phrases (regardless of case)."""
    worker.start()
    code = worker.ended(within)
    lines = [line for line in worker.log().splitlines() if line.strip()]
    assert 0 < code < 126, (code, worker.last_words())
    missing = [p for p in phrases if p.lower() not in lines[-1].lower()]
    assert not missing, f"{missing} are not in the last line: {lines[-1]}"


@pytest.fixture
def cluster(cluster_of) -> Cluster:
    return cluster_of()


# the command line -----------------------------------------------------------------------------------------------------------------------
def test_version_is_one_line_and_0():
    r = run("--version")
    assert r.returncode == 0 and len(r.stdout.splitlines()) == 1 and r.stdout[0:1].strip(), r


def test_help_names_every_way_to_call_it():
    r = run("--help")
    assert r.returncode == 0
    for word in ("check", "--override", "--version", "properties"):
        assert word in r.stdout, r.stdout


@pytest.mark.parametrize("arguments", [[], ["--nope"], ["/nowhere/worker.properties"], ["check"], ["check", "/nowhere/worker.properties"]],
                         ids=["nothing", "an unknown option", "a file that is not there", "check of nothing", "check of no file"])
def test_a_call_that_makes_no_sense_is_refused_with_a_reason(arguments):
    r = run(*arguments)
    assert 0 < r.returncode < 126 and r.stdout.strip(), r
    if arguments and arguments[-1].startswith(("--nope", "/nowhere")):
        assert arguments[-1].lstrip("-") in r.stdout


def test_check_accepts_the_example_files():
    from harness import ROOT
    for mode in ("disabled", "preparing", "enabled"):
        r = run("check", ROOT / "config" / f"connect-distributed-{mode}.properties")
        assert r.returncode == 0, r.stdout


def test_check_names_each_wrong_setting_and_starts_nothing(cluster):
    w = cluster.worker(offset__flush__interval__ms="soon", exactly__once__source__support="sometimes")
    del w.settings["group.id"]
    w.file.write_text("".join(f"{k}={v}\n" for k, v in w.settings.items()))
    r = run("check", w.file)
    assert 0 < r.returncode < 126
    for word in ("offset.flush.interval.ms", "soon", "exactly.once.source.support", "sometimes", "preparing", "group.id"):
        assert word in r.stdout.lower(), (word, r.stdout)


def test_override_wins_over_the_file(cluster):
    w = cluster.worker()
    w.file.write_text("".join(f"{k}={v}\n" for k, v in w.settings.items()))
    assert run("check", w.file).returncode == 0
    r = run("check", w.file, "--override", "offset.flush.interval.ms=soon")
    assert 0 < r.returncode < 126 and "offset.flush.interval.ms" in r.stdout, r


def test_an_override_starts_a_worker_with_it(cluster):
    w, port = cluster.worker(), free_port()
    w.file.write_text("".join(f"{k}={v}\n" for k, v in w.settings.items()))
    with open(w.log_file, "ab") as log:
        w.process = subprocess.Popen([*shlex.split(WORKER_CMD), str(w.file), "--override", f"listeners=http://127.0.0.1:{port}", "--override",
                                      f"rest.advertised.port={port}"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    w.port, w.url = port, f"http://127.0.0.1:{port}"
    w.ready()


def test_an_unknown_setting_is_warned_of_once_by_name(cluster):
    w = cluster.started(no__such__setting="1")
    assert len([line for line in w.log().splitlines() if "no.such.setting" in line]) == 1
    w.stop_well()


def test_java_s_way_to_write_properties_is_read(cluster):
    w = cluster.worker()
    del w.settings["group.id"]
    w.start_text = "# comment\n! comment\n  group.id : " + cluster.group[:3] + "\\\n     " + cluster.group[3:] + "\noffset.flush.timeout.ms 5000\nclient.id\\:x=\\u0061\n"
    w.file.write_text("".join(f"{k}={v}\n" for k, v in w.settings.items()) + w.start_text)
    assert run("check", w.file).returncode == 0


# what cannot start ----------------------------------------------------------------------------------------------------------------------
def test_without_a_broker_it_ends_and_names_the_address(cluster):
    address = f"127.0.0.1:{free_port()}"
    refused(cluster.worker(bootstrap__servers=address), address, "bootstrap.servers", within=120)


def test_a_bootstrap_server_that_is_no_address_is_refused_at_once(cluster):
    refused(cluster.worker(bootstrap__servers="not an address"), "bootstrap.servers", "host:port", within=30)


@pytest.mark.parametrize("which", ["configs", "statuses", "offsets"])
@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_an_internal_topic_that_forgets_is_refused(cluster, kafka, which, policy):
    topic = getattr(cluster, which)
    kafka.create_topic(topic, 1, cleanup_policy=policy)
    refused(cluster.worker(), topic, "cleanup.policy", "compact")


def test_a_config_topic_with_two_partitions_is_refused(cluster, kafka):
    kafka.create_topic(cluster.configs, 2, cleanup_policy="compact")
    refused(cluster.worker(), cluster.configs, "partition")


def test_a_topic_that_cannot_be_created_is_named(cluster):
    refused(cluster.worker(config__storage__replication__factor="3"), cluster.configs, "replication")


def test_a_port_in_use_is_named(cluster):
    w = cluster.worker()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", w.port))
        taken.listen()
        refused(w, str(w.port), "listeners")


@pytest.mark.parametrize("key, value, phrases", [
    ("exactly.once.source.support", "sometimes", ["exactly.once.source.support", "sometimes", "enabled"]),
    ("offset.flush.interval.ms", "soon", ["offset.flush.interval.ms", "soon"]),
    ("heartbeat.interval.ms", "99999999", ["heartbeat.interval.ms", "session.timeout.ms"]),
    ("listeners", "http://127.0.0.1:99999", ["listeners", "99999"]),
    ("key.converter", "no.such.Converter", ["key.converter", "no.such.Converter"]),
])
def test_a_bad_setting_is_refused_with_key_and_value(cluster, key, value, phrases):
    refused(cluster.worker(**{key: value}), *phrases, within=30)


@pytest.mark.parametrize("key", ["bootstrap.servers", "group.id", "config.storage.topic", "offset.storage.topic", "status.storage.topic",
                                 "key.converter", "value.converter"])
def test_a_missing_required_setting_is_named(cluster, key):
    w = cluster.worker()
    del w.settings[key]
    refused(w, key, within=30)


# while it starts ------------------------------------------------------------------------------------------------------------------------
@pytest.fixture
def stalled(kafka):
    """A way to the broker on which nothing moves until its mode is "pass"."""
    proxy = Proxy(int(kafka.bootstrap.rsplit(":", 1)[1]))
    proxy.mode = "stall"
    yield proxy
    proxy.close()


def test_a_start_that_waits_for_a_broker_says_so_at_once_and_serves_who_waited(cluster, stalled):
    w = cluster.worker(bootstrap__servers=f"127.0.0.1:{stalled.port}").start()
    eventually(lambda: w.call("GET", "/health", timeout=5).status_code == 503, 30, "it serves HTTP")
    r = w.call("GET", "/health", timeout=5)
    assert r.status_code == 503 and set(r.json()) == {"status", "message", "components"}, r.text
    assert r.json()["status"] == "starting" and r.json()["message"].startswith("Worker is still starting up."), r.text
    waits = {c["component"]: c["doing"] for c in r.json()["components"]}
    assert f"waiting for a broker at 127.0.0.1:{stalled.port} (bootstrap.servers)" in waits["cluster"], r.text
    assert w.call("GET", "/", timeout=5).status_code == 503
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(w.call, "GET", path, timeout=90) for path in ("/connectors", "/connectors?expand=status", "/connectors/nope")]
        assert not any(f.done() for f in waiting)
        stalled.mode = "pass"
        assert [f.result().status_code for f in waiting] == [200, 200, 404]
    r = w.call("GET", "/health")
    assert r.status_code == 200 and set(r.json()) == {"status", "message"}, r.text
    w.stop_well(20)


def test_a_start_that_waits_for_a_broker_ends_when_it_is_told_to(cluster, stalled):
    w = cluster.worker(bootstrap__servers=f"127.0.0.1:{stalled.port}").start()
    eventually(lambda: w.call("GET", "/health", timeout=5).status_code == 503, 30, "it serves HTTP")
    w.stop_well(20)


# how it ends ----------------------------------------------------------------------------------------------------------------------------
def test_sigint_ends_an_idle_worker_with_0(cluster):
    import signal
    w = cluster.started()
    w.signal(signal.SIGINT)
    assert w.ended(10) == 0, w.last_words()


def test_sigterm_during_the_start_ends_it_too(cluster):
    w = cluster.worker().start()
    eventually(lambda: w.log() or not w.alive(), 30, "it says something")
    w.stop_well(20)


def test_one_worker_s_end_is_seen_by_the_group_at_once(cluster):
    """It leaves the group rather than letting its session run out, which takes a minute here."""
    long = {"session__timeout__ms": "60000", "scheduled__rebalance__max__delay__ms": "0"}
    first, second = cluster.started(**long), cluster.started(**long)
    name = unique("c")
    file = cluster.folder / "lines"
    file.write_text("one\n")
    cluster.kafka.create_topic(name)
    first.create(name, {"connector.class": "FileStreamSource", "file": str(file), "topic": name, "tasks.max": "1"})
    owner = first.running(name)["tasks"][0]["worker_id"]
    leaving, staying = (first, second) if owner == first.id else (second, first)
    leaving.stop_well(20)
    staying.running(name, on=staying.id, within=30)
