"""Fixtures that folders and files of tests take: a graph for each test, and a session of it."""

from collections.abc import Iterator
from typing import Any

import pytest

import minitf as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    """The default graph of this test alone."""
    with tf.Graph().as_default() as fresh:
        yield fresh


@pytest.fixture
def sess(graph: tf.Graph) -> Iterator[tf.Session]:
    """A session of the test's graph."""
    with tf.Session(graph=graph) as session:
        yield session


def run(fetches: Any, feeds: dict | None = None) -> Any:
    """The values of fetches in a session of their own, after the initializers of all variables."""
    with tf.Session() as session:
        session.run([variable.initializer for variable in tf.global_variables()])
        return session.run(fetches, feeds)
