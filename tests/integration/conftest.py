"""Fixtures: one Kafka for the run, clusters by test. Everything started is ended."""
import os
import random

import pytest

from harness import NATIVE, Cluster, Kafka, unique


def pytest_configure(config):
    config.addinivalue_line("markers", "native: what only Fencepost has; left out where the harness is tried on the Java worker")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("native") and not NATIVE:
            item.add_marker(pytest.mark.skip(reason="only Fencepost has this"))


@pytest.fixture(scope="session")
def kafka(tmp_path_factory):
    k = Kafka(tmp_path_factory.mktemp("kafka"))
    yield k
    k.stop()


@pytest.fixture
def cluster_of(kafka, tmp_path):
    """cluster_of(**settings) -> a Cluster without workers; `on` names another Kafka."""
    made = []

    def make(on=None, **settings) -> Cluster:
        made.append(Cluster(on or kafka, tmp_path / unique("cluster"), **settings))
        return made[-1]
    yield make
    for c in made:
        c.close()


@pytest.fixture(scope="module")
def worker(kafka, tmp_path_factory):
    """One worker, shared by the tests of a module."""
    c = Cluster(kafka, tmp_path_factory.mktemp("shared"), **{"rest.request.max.bytes": "2000000"} if NATIVE else {})
    yield c.started()
    c.close()


@pytest.fixture
def topic(kafka) -> str:
    """A source topic of three partitions; its target exists too, so that its growth can be watched from the start."""
    name = unique("topic")
    kafka.create_topic(f"src.{name}", 3)
    return kafka.create_topic(name, 3)


@pytest.fixture
def chance() -> random.Random:
    """Random choices that FENCEPOST_SEED repeats."""
    seed = int(os.environ.get("FENCEPOST_SEED") or random.randrange(1 << 31))
    print(f"FENCEPOST_SEED={seed} repeats the choices of this run")
    return random.Random(seed)
