"""A TCP proxy before a broker that misbehaves on demand."""
from __future__ import annotations

import os
import random
import selectors
import socket
import threading

from harness import free_port


class Proxy:
    """Passes bytes between clients of `port` and the broker at `target`; `mode` says how the broker seems to behave:

    pass     as it is                      close    existing connections are cut, new ones closed at once
    stall    connections stay, nothing     nonsense every answer is noise of the right kind: a length, then random bytes
             moves
    """

    def __init__(self, target_port: int):
        self._target, self.mode = target_port, "pass"
        self._listener = socket.create_server(("127.0.0.1", free_port()), backlog=200)
        self.port = self._listener.getsockname()[1]
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._from_broker: set[socket.socket] = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._ending = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def retarget(self, port: int) -> None:
        self._target = port

    def close(self) -> None:
        self._ending = True
        self._thread.join(10)

    def _run(self) -> None:
        while not self._ending:
            if self.mode == "close":
                for s in list(self._pairs):
                    self._drop(s)
            for key, _ in self._selector.select(0.05):
                if key.fileobj is self._listener:
                    self._accept()
                elif self.mode != "stall" and key.fileobj in self._pairs:
                    self._move(key.fileobj)
            if self.mode == "stall":
                threading.Event().wait(0.02)        # what is readable stays so: do not spin
        for s in list(self._pairs):
            self._drop(s)
        self._listener.close()

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        if self.mode == "close":
            client.close()
            return
        try:
            broker = socket.create_connection(("127.0.0.1", self._target), 5)
        except OSError:
            client.close()
            return
        for a, b in ((client, broker), (broker, client)):
            a.settimeout(5)
            self._pairs[a] = b
            self._selector.register(a, selectors.EVENT_READ)
        self._from_broker.add(broker)

    def _move(self, s: socket.socket) -> None:
        try:
            data = s.recv(1 << 16)
            if not data:
                return self._drop(s)
            if self.mode == "nonsense" and s in self._from_broker:
                body = os.urandom(random.randrange(1, 400))
                data = len(body).to_bytes(4, "big") + body
            self._pairs[s].sendall(data)
        except OSError:
            self._drop(s)

    def _drop(self, s: socket.socket) -> None:
        other = self._pairs.pop(s, None)
        self._from_broker.discard(s)
        try:
            self._selector.unregister(s)
        except (KeyError, ValueError):
            pass
        s.close()
        if other is not None:
            self._drop(other)


class Babbler:
    """A server that answers whatever it is sent: `answer(bytes)` gives what it says, None hangs up."""

    def __init__(self, answer):
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", free_port()), backlog=50)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                while (data := client.recv(1 << 16)) and (said := self._answer(data)) is not None:
                    client.sendall(said)
            except OSError:
                pass

    def close(self) -> None:
        self._listener.close()
