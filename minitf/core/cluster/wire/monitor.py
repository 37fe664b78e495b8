"""One thread of the process looks after all of its channels and servers, however many there are.

It asks whether the peers of long calls live, and whether callers still wait; it never calls itself.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Protocol

from minitf.core.cluster.wire.connection import arena

LOOK_EVERY = 0.25  # seconds


class Watched(Protocol):
    """What can be looked after."""

    def look_after(self) -> None:
        """Called a few times a second; must not block."""


_watched: weakref.WeakSet[Watched] = weakref.WeakSet()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def watch(one: Watched) -> None:
    """Looks after something as long as it exists, or until it is forgotten."""
    global _thread
    with _lock:
        _watched.add(one)
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_look_around, name="minitf-monitor", daemon=True)
            _thread.start()


def forget(one: Watched) -> None:
    """Looks after it no more."""
    with _lock:
        _watched.discard(one)


def _look_around() -> None:
    while True:
        time.sleep(LOOK_EVERY)
        arena.trim()
        with _lock:
            watched = list(_watched)
        while watched:  # leaves no name behind that would keep the last of them alive
            watched.pop().look_after()


def _after_fork() -> None:
    """In a forked child a thread of the parent may hold the lock for ever."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
