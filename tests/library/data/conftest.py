"""A fresh graph and a session for each test of tf.data."""

import threading
import time

import pytest

import minitf as tf
from tests.graphs import graph as graph
from tests.graphs import sess as sess


@pytest.fixture
def drained(sess):
    """A function that gives all elements of a dataset, or what is left of an iterator."""

    def drain(source, limit=1000):
        if isinstance(source, tf.data.Dataset):
            iterator = source.make_initializable_iterator()
            sess.run(iterator.initializer)
            source = iterator.get_next()
        found = []
        try:
            while len(found) < limit:
                found.append(sess.run(source))
        except tf.errors.OutOfRangeError:
            pass
        return found

    return drain


def pipeline_threads():
    """The threads of pipelines that live."""
    names = ("minitf-prefetch", "minitf-map")
    return [t for t in threading.enumerate() if t.name.startswith(names)]


@pytest.fixture
def no_threads_left():
    """A function that waits until the threads of pipelines have ended; tells whether they have."""

    def ended(seconds=10.0):
        deadline = time.monotonic() + seconds
        while pipeline_threads() and time.monotonic() < deadline:
            time.sleep(0.01)
        return not pipeline_threads()

    return ended
