"""Addresses for the servers that tests start."""

import contextlib
import random
import socket


def free_address() -> str:
    """An address on this machine that nobody listens on.

    Its port is none of those that the system gives to outgoing connections and to servers without
    one: between the look and the use no other process gets it by accident.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return f"localhost:{port}"
