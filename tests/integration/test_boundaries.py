"""Connectors that say themselves where their transactions end (transaction.boundary=connector), on a plugin that reads its steps from a file."""
import pytest

from harness import ROOT, STRING, Growth, eventually, unique

pytestmark = pytest.mark.native
PLUGINS = ROOT / "build" / "release" / "test_plugins"


@pytest.fixture(scope="module")
def w(kafka, tmp_path_factory):
    from harness import Cluster
    c = Cluster(kafka, tmp_path_factory.mktemp("boundaries"), plugin__path=str(PLUGINS))
    yield c.started()
    c.close()


class Script:
    """One connector, its script and its target topic."""

    def __init__(self, kafka, worker, folder):
        self.kafka, self.w, self.path, self.name = kafka, worker, folder / "script", unique("script")
        self.topic = kafka.create_topic(unique("out"))
        self.path.touch()

    def config(self, **more) -> dict:
        return {"connector.class": "org.example.ScriptSource", "script": str(self.path), "topic": self.topic, "transaction.boundary": "connector",
                "exactly.once.support": "required", "value.converter": STRING, "key.converter": STRING,
                **{k.replace("__", "."): v for k, v in more.items()}}

    def start(self, **more):
        self.w.create(self.name, self.config(**more))
        self.w.running(self.name)

    def add(self, *lines: str):
        with open(self.path, "a") as f:
            f.write("".join(f"{line}\n" for line in lines))

    def shows(self, *values: str, what: str = ""):
        """These are the committed records, soon."""
        def same():
            got = [v.decode() for _, v in self.kafka.read(self.topic)[0]]
            assert got == list(values), got
            return True
        eventually(same, 30, what or f"exactly {values} are committed")

    def offset(self) -> int | None:
        offsets = self.w.call("GET", f"/connectors/{self.name}/offsets").json()["offsets"]
        return offsets[0]["offset"]["line"] if offsets else None

    def written(self, log: Growth, size: int):
        eventually(lambda: log.size() >= size, 30, "the records are in the log, committed or not")


@pytest.fixture
def script(kafka, w, tmp_path):
    return Script(kafka, w, tmp_path)


def test_a_batch_and_a_record_in_it_end_transactions(script):
    script.start()
    with Growth(script.kafka, script.topic) as log:
        script.add("record a", "record b", "commit 0", "poll")
        script.shows("a")
        script.written(log, 3)                   # a, its marker, b
        assert script.offset() is not None
        script.add("record c", "poll")           # the transaction of b is still open
        script.written(log, 4)
        script.shows("a")
        script.add("record d", "commit", "poll")
        script.shows("a", "b", "c", "d")
        assert script.offset() == 9


def test_an_empty_batch_ends_one_too(script):
    script.start()
    with Growth(script.kafka, script.topic) as log:
        script.add("record a", "poll")
        script.written(log, 1)
        script.shows()
        script.add("commit", "poll")
        script.shows("a")


def test_what_a_connector_aborts_is_gone_and_not_read_again(script):
    script.start()
    script.add("record a", "commit", "poll", "record x", "record y", "abort", "poll", "record b", "record z", "commit 0", "abort 1", "poll",
               "record c", "commit", "poll")
    script.shows("a", "b", "c")
    script.w.settled("POST", f"/connectors/{script.name}/restart?includeTasks=true")
    script.add("record d", "commit", "poll")
    script.shows("a", "b", "c", "d")
    run = script.w.call("GET", f"/connectors/{script.name}/transactions").json()["tasks"][0]["run"]
    assert run["aborts"].get("connector", 0) == 2 and run["restarts"] == 0, run


def test_a_transaction_that_the_connector_left_open_is_taken_back_by_a_pause(script):
    script.start()
    with Growth(script.kafka, script.topic) as log:
        script.add("record a", "commit", "poll", "record b", "poll")
        script.written(log, 3)
        script.shows("a")
        assert script.w.call("PUT", f"/connectors/{script.name}/pause").status_code == 202
        eventually(lambda: script.w.status(script.name)["tasks"][0]["state"] == "PAUSED", 30, "it is paused")
        assert script.offset() == 3
        script.w.call("PUT", f"/connectors/{script.name}/resume")
        script.add("record c", "commit", "poll")
        script.shows("a", "b", "c", what="b is read again and written once")


def test_dropped_records_move_the_offset_at_the_connector_s_commit(script):
    script.start(**{"transforms": "none", "transforms.none.type": "org.apache.kafka.connect.transforms.Filter"})
    script.add("record a", "record b", "commit", "poll")
    eventually(lambda: script.offset() == 4, 30, "the offset is past what was dropped")
    script.shows()


def test_a_connector_that_defines_none_is_refused_this_boundary(script):
    r = script.w.settled("PUT", f"/connectors/{script.name}/config", script.config(defines__boundaries="false"))
    assert r.status_code == 400 and "transaction boundar" in r.text, r.text
    r = script.w.call("PUT", "/connector-plugins/org.example.ScriptSource/config/validate",
                      {"name": script.name, **script.config(defines__boundaries="false")})
    wrong = {c["value"]["name"] for c in r.json()["configs"] if c["value"]["errors"]}
    assert wrong == {"transaction.boundary"}, r.text


@pytest.mark.parametrize("ends, words", [(("commit", "abort"), "same transaction"), (("commit 0", "abort 0"), "same record")],
                         ids=["of a batch", "after a record"])
def test_a_connector_that_wants_both_a_commit_and_an_abort_fails(script, ends, words):
    script.start()
    script.add("record a", "commit", "poll", "record b", *ends, "poll")
    eventually(lambda: script.w.status(script.name)["tasks"][0]["state"] == "FAILED", 30, "it fails")
    trace = script.w.status(script.name)["tasks"][0]["trace"]
    assert f"requested both commit and abort of {words}" in trace, trace
    script.shows("a")
    assert script.offset() == 3


@pytest.mark.parametrize("own", [True, False], ids=["a topic of the connector's", "the worker's topic"])
def test_a_source_may_not_write_to_the_offsets_topic_of_its_transactions(script, own):
    mine = unique("offsets")
    script.topic = mine if own else script.w.settings["offset.storage.topic"]
    script.w.create(script.name, script.config(**({"offsets__storage__topic": mine} if own else {}), transaction__boundary="poll"))
    script.add("record a", "poll")
    eventually(lambda: script.w.status(script.name)["tasks"] and script.w.status(script.name)["tasks"][0]["state"] == "FAILED", 30, "it fails")
    assert "own offsets topic" in script.w.status(script.name)["tasks"][0]["trace"]


@pytest.mark.parametrize("boundary", ["poll", "interval"])
def test_other_boundaries_do_not_listen_to_the_connector(script, boundary):
    script.start(transaction__boundary=boundary, transaction__boundary__interval__ms="300")
    script.add("record a", "abort", "poll", "record b", "poll")
    script.shows("a", "b")
