"""Saved models of objects, without TensorFlow: what is refused, and what goes round."""

from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.saving import structured_values
from minitf.library.saving.saved_objects import SavedObjects


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    "value",
    [
        None, True, -3, 2**40, 1.5, "text", tf.float32, [1, (2, None)], {"a": [], "b": {}},
        tf.TensorSpec([None, 2], tf.string, "x"), tf.SparseTensorSpec([None, 3], tf.int64),
        tf.RaggedTensorSpec([None, None], tf.float32), Pair(1, "x"),
        ((tf.TensorSpec(None, tf.bool), 3), {"k": tf.TensorSpec([], tf.int32)}),
    ],
)  # fmt: skip
def test_structured_values_go_round(value: Any) -> None:
    found = structured_values.decode(structured_values.encode(value))
    assert repr(found) == repr(value)


def test_structured_values_of_others() -> None:
    with pytest.raises(TypeError, match="No encoder"):
        structured_values.encode(object())
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        structured_values.decode(structured_values.encode(deep))


def test_bytes_that_are_no_objects() -> None:
    whole = SavedObjects().encode()
    assert whole == b""
    for wrong in (b"", b"\x0a\x04\x0a\x02\x08\x07", b"\x0a\xff", b"\x08\x01"):
        with pytest.raises(ValueError):  # noqa: PT011 - each says another thing
            SavedObjects.decode(wrong)
