"""Messages whose bytes are torn; all else is in `tests/conformance/cases/protos.py`."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops.string_values import as_objects
from minitf.library.formats.proto_types import messages_of


def _decoded(data: bytes, kind: str, fields: dict[str, tf.DType]) -> Any:
    found = tf.io.decode_proto(
        as_objects([data]), f"tensorflow.{kind}", list(fields), list(fields.values())
    )
    with tf.Session() as sess:
        return sess.run([found.sizes, *found.values])


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("Int64List", {"value": tf.int64}),
        ("FloatList", {"value": tf.float32}),
        ("TensorProto", {"int_val": tf.int32, "uint32_val": tf.uint32, "bool_val": tf.bool,
                         "double_val": tf.float64, "string_val": tf.string}),
    ],
)  # fmt: skip
def test_any_bytes_are_read_or_refused(kind: str, fields: dict[str, tf.DType]) -> None:
    rng = np.random.default_rng(0)
    read = 0
    for _ in range(60):
        data = rng.integers(0, 80, rng.integers(1, 12)).astype(np.uint8).tobytes()
        try:
            sizes, *values = _decoded(data, kind, fields)
        except tf.errors.DataLossError:
            continue
        read += 1
        for column, (value, dtype) in enumerate(zip(values, fields.values(), strict=True)):
            assert value.shape == (1, max(1, sizes[0, column]))
            assert tf.as_dtype(value.dtype) == dtype
    assert read


def test_text_is_refused_in_plain_words() -> None:
    found = tf.io.decode_proto(["x"], "tensorflow.Feature", [], [], message_format="text")
    with tf.Session() as sess, pytest.raises(tf.errors.UnimplementedError, match="binary"):
        sess.run(found.sizes)


def test_a_description_that_is_none() -> None:
    for source in (b"bytes://\xff\xff", b"bytes://\x0a\x05\x22\x03\x12\x01\x00"):
        with pytest.raises(tf.errors.DataLossError):
            messages_of(source)
    with pytest.raises(tf.errors.NotFoundError):
        messages_of("/no/such/file")
