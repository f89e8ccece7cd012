"""A network namespace with links to this one that can be cut without a word, made slow, and mended."""
from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest

from harness import Cluster, Worker, unique


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")


class Link:
    """A wire between `near`, an address of this namespace, and `far`, one of the other; closed when that one ends."""

    def __init__(self, namespace: str, subnet: str, first: int):
        stem = unique("f").replace("-", "")
        self._ends = [("tc", stem + "n"), ("ip", "netns", "exec", namespace, "tc", stem + "f")]
        self.near, self.far = f"{subnet}.{first}", f"{subnet}.{first + 1}"
        run("ip", "link", "add", stem + "n", "type", "veth", "peer", "name", stem + "f", "netns", namespace)
        run("ip", "addr", "add", f"{self.near}/30", "dev", stem + "n")
        run("ip", "link", "set", stem + "n", "up")
        run("ip", "-n", namespace, "addr", "add", f"{self.far}/30", "dev", stem + "f")
        run("ip", "-n", namespace, "link", "set", stem + "f", "up")

    def _shape(self, *bucket: str) -> None:
        for *tc, device in self._ends:
            run(*tc, "qdisc", "replace", "dev", device, "root", "tbf", *bucket)

    def cut(self) -> None:
        """Drops every packet, either way: nobody is told that a connection is gone."""
        self._shape("rate", "8bit", "burst", "10", "limit", "10")

    def slow(self, rate: str) -> None:
        self._shape("rate", rate, "burst", "16kb", "latency", "400ms")

    def mend(self) -> None:
        for *tc, device in self._ends:
            run(*tc, "qdisc", "del", "dev", device, "root")


class Namespace:
    def __init__(self):
        for tool in ("ip", "tc"):
            if not shutil.which(tool):
                pytest.skip(f"'{tool}' is missing; run scripts/install-deps test")
        if os.geteuid():
            pytest.skip("only root may make a network namespace")
        self.name = unique("fencepost")
        try:
            run("ip", "netns", "add", self.name)
        except RuntimeError as e:
            pytest.skip(f"no network namespace can be made here: {e}")
        try:
            run("ip", "-n", self.name, "link", "set", "lo", "up")
            subnet = f"10.231.{random.randrange(1, 255)}"
            self.link, self.other_link = Link(self.name, subnet, 1), Link(self.name, subnet, 5)
            self.link.slow("100mbit")
            self.link.mend()
        except RuntimeError as e:
            self.close()
            pytest.skip(f"a network namespace has no link with a token bucket here: {e}")

    def close(self) -> None:
        run("ip", "netns", "del", self.name)

    def hosts(self, w: Worker) -> Worker:
        """It runs in there from its next start on."""
        w.command = f"ip netns exec {self.name} {w.command}"
        return w


def worker_at(c: Cluster, address: str, **settings: str) -> Worker:
    """One more worker whose REST is at that address and at no other."""
    w = c.worker(rest__advertised__host__name=address, **settings)
    w.settings["listeners"] = f"http://{address}:{w.port}"
    return w
