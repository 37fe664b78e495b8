"""Messages whose bytes are torn; all else is in `tests/conformance/cases/protos.py`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops.string_values import as_objects
from minitf.library.formats import wire
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


def test_text_without_end_is_refused() -> None:
    for text in (b"feature { key: " + b"<" * 9, b"feature { value " + b"{ value " * 5000, b"x" * 9):
        found = tf.io.decode_proto(
            [text], "tensorflow.Features", ["feature"], [tf.string], message_format="text"
        )
        with tf.Session() as sess, pytest.raises(tf.errors.DataLossError, match="parse text"):
            sess.run(found.sizes)


def test_a_field_whose_enum_is_not_described() -> None:
    found = tf.io.decode_proto(["a: X"], "M", ["a"], [tf.int32], _described(14), "text")
    with tf.Session() as sess, pytest.raises(tf.errors.DataLossError, match="parse text"):
        sess.run(found.values[0])


def test_groups_are_skipped_by_who_does_not_ask() -> None:
    data = b"\x0b\x10\x01\x13\x14\x0c\x10\x05"  # 1: {2: 1, 2: {}}, 2: 5
    assert wire.fields(data) == [(2, 5)]
    assert wire.fields(data, groups=True) == [(1, data[:6]), (2, 5)]
    for torn in (data[:5], data[:4] + b"\x0c", b"\x0c", b"\x0b" * 101 + b"\x0c" * 101):
        with pytest.raises(ValueError, match="group|within|kind"):
            wire.fields(torn)


def test_a_file_that_is_no_description_is_named(tmp_path: Path) -> None:
    path = tmp_path / "d.pb"
    for data in (b"\xff\xff", wire.field(1, wire.field(4, wire.field(2, b"\x28\x63")))):
        path.write_bytes(data)
        with pytest.raises(tf.errors.DataLossError, match=str(path)):
            messages_of(str(path))
    path.write_bytes(wire.field(1, wire.field(4, wire.field(1, b"Late"))))
    assert messages_of(str(path)) == {"Late": {}}


def test_messages_in_messages_without_end() -> None:
    data = b""
    for _ in range(3000):
        data = wire.field(3, data)
    with pytest.raises(tf.errors.DataLossError, match="too deeply"):
        messages_of(b"bytes://" + wire.field(1, wire.field(4, data)))


def _described(kind: int, default: str = "") -> str:
    told = wire.field(1, b"a") + wire.field(3, 1) + wire.field(5, kind) + wire.field(4, 1)
    message = wire.field(1, b"M") + wire.field(2, told + wire.field(7, default.encode()))
    return (b"bytes://" + wire.field(1, wire.field(4, message))).decode("latin1")


def _encoded(sizes: list, value: Any, kind: str, field: str, source: str = "local://") -> bytes:
    with tf.Session() as sess:
        made: np.ndarray = sess.run(tf.io.encode_proto(sizes, [value], [field], kind, source))
        return bytes(made[0])


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (15, 2**40 + 2**31 + 5, b"\r\x05\0\0\x80"),
        (5, 2**40 + 2**31 + 5, b"\x08\x85\x80\x80\x80\xf8\xff\xff\xff\xff\x01"),
        (17, 2**40 + 2**31 + 5, b"\x08\xf5\xff\xff\xff\x0f"),
        (7, np.uint64(2**40 + 7), b"\r\x07\0\0\0"),
        (2, np.float64(1e300), b"\r\0\0\x80\x7f"),
    ],
)
def test_numbers_that_a_field_cannot_hold_are_cut(kind: int, value: Any, expected: bytes) -> None:
    assert _encoded([[1]], np.array([[value]]), "M", "a", _described(kind)) == expected


def test_a_number_of_values_below_zero_writes_none() -> None:
    assert _encoded([[-1]], np.array([[1, 2]]), "tensorflow.Int64List", "value") == b""


def test_a_default_that_is_no_such_number() -> None:
    found = tf.io.decode_proto([b""], "M", ["a"], [tf.int32], _described(5, "9" * 30))
    with tf.Session() as sess:
        assert sess.run(found.values[0]).tolist() == [[0]]


def test_numbers_of_four_bytes_that_do_not_come_out_even() -> None:
    with pytest.raises(tf.errors.DataLossError, match="packed fixed-size type: 5"):
        _decoded(b"\x0a\x05\0\0\x80\x3f\x01", "FloatList", {"value": tf.float32})


def test_a_description_that_is_none() -> None:
    for source in (b"bytes://\xff\xff", b"bytes://\x0a\x05\x22\x03\x12\x01\x00"):
        with pytest.raises(tf.errors.DataLossError):
            messages_of(source)
    with pytest.raises(tf.errors.NotFoundError):
        messages_of("/no/such/file")
