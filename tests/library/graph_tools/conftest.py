"""Each test builds in a graph of its own."""

from collections.abc import Iterator

import pytest

import minitf as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as fresh:
        yield fresh
