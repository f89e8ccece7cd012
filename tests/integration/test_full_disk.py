"""A sink whose disk is full: its task fails with file and cause, nobody else suffers, and when there is space again nothing is missing."""
import os
import subprocess

import pytest

from harness import assert_same, eventually, file_sink, keyed, mirror, unique


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 128 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"a file system of its own cannot be mounted here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.native
@pytest.mark.timeout(200)
def test_a_full_disk_fails_one_task_and_loses_nothing(cluster_of, kafka, topic, tmp_path, small_disk):
    filler, full, free = small_disk / "filler", small_disk / "out", tmp_path / "out"
    filler.write_bytes(bytes(96 * 1024))
    names = {k: unique(k) for k in ("full", "free", "copy")}
    c = cluster_of()
    w = c.started()
    w.create(names["full"], file_sink(full, topic))
    w.create(names["free"], file_sink(free, topic))
    w.create(names["copy"], mirror(kafka, topic))
    for name in names.values():
        w.running(name)
    count = 6000
    for first in range(0, count, 500):          # in several polls, some of which fit
        kafka.produce(topic, keyed(first, 500, 3))

    def failed():
        task = w.status(names["full"])["tasks"][0]
        return task["state"] == "FAILED" and task["trace"]
    trace = eventually(failed, 60, "the task fails")
    assert str(full) in trace and os.strerror(28) in trace, trace

    def lines(path) -> list:
        return path.read_text().splitlines()
    # What is committed as done stands in the file.
    kept = lines(full)
    done = w.call("GET", f"/connectors/{names['full']}/offsets").json()["offsets"]
    assert sum(o["offset"]["kafka_offset"] for o in done) <= len(set(kept)) < count
    eventually(lambda: len(set(lines(free))) == count, 60, "the other sink goes on")
    w.running(names["free"])
    w.running(names["copy"])
    eventually(lambda: kafka.count(f"src.{topic}") >= count, 60, "so does the mirror")
    assert_same(kafka.read(topic), kafka.read(f"src.{topic}"))

    filler.unlink()
    assert w.settled("POST", f"/connectors/{names['full']}/tasks/0/restart").status_code == 204
    want = {f"value-{i}" for i in range(count)}
    eventually(lambda: set(lines(full)) >= want, 60, "every record is in the file")
    assert set(lines(full)) == want, "there are lines that nobody sent"
    w.running(names["full"])
    w.stop_well()
