"""Iterators of datasets in functions, where Python's own loops would never end."""

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


def test_a_loop_of_python_over_an_iterator_ends_with_an_error() -> None:
    with eager_mode():
        for place in (iter(tf.data.Dataset.range(3)), tf.data.Dataset.range(3)):
            with pytest.raises(TypeError, match="iterating over a `tf.data` iterator"):
                tf.function(list, autograph=False)(place)
