"""Examples, CSV, raw bytes and tensors as messages."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats.graph_message import encode_whole_tensor, tensor
from minitf.library.parsing.parsing import split_csv


def example(**features: Any) -> bytes:
    kinds = {int: ("int64_list", "Int64List"), float: ("float_list", "FloatList")}
    made = {}
    for key, values in features.items():
        field, kind = kinds.get(type(values[0]) if values else int, ("bytes_list", "BytesList"))
        made[key] = tf.train.Feature(**{field: getattr(tf.train, kind)(value=values)})
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


FEATURES = {
    "ints": tf.FixedLenFeature([2], tf.int64),
    "float": tf.FixedLenFeature([], tf.float32, default_value=-1.0),
    "words": tf.VarLenFeature(tf.string),
    "rows": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
}


def test_one_example() -> None:
    record = example(ints=[1, 2], words=[b"a", b"bc"], rows=[1.0, 2.0, 3.0, 4.0])
    parsed = tf.parse_single_example(record, FEATURES)
    assert parsed["ints"].shape.as_list() == [2]
    assert parsed["rows"].shape.as_list() == [None, 2]
    with tf.Session() as sess:
        got = sess.run(parsed)
    np.testing.assert_array_equal(got["ints"], [1, 2])
    assert got["float"] == -1
    assert got["words"].values.tolist() == [b"a", b"bc"]
    np.testing.assert_array_equal(got["words"].indices, [[0], [1]])
    np.testing.assert_array_equal(got["rows"], [[1, 2], [3, 4]])


def test_a_batch_of_examples() -> None:
    records = [
        example(ints=[1, 2], float=[0.5], rows=[1.0, 2.0]),
        example(ints=[3, 4], words=[b"x", b"y"], rows=[3.0, 4.0, 5.0, 6.0]),
    ]
    with tf.Session() as sess:
        got = sess.run(tf.parse_example(records, FEATURES))
    np.testing.assert_array_equal(got["ints"], [[1, 2], [3, 4]])
    np.testing.assert_array_equal(got["float"], [0.5, -1])
    np.testing.assert_array_equal(got["words"].indices, [[1, 0], [1, 1]])
    np.testing.assert_array_equal(got["words"].dense_shape, [2, 2])
    np.testing.assert_array_equal(got["rows"], [[[1, 2], [0, 0]], [[3, 4], [5, 6]]])


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b",", [b"", b""]),
        (b'"a,b","say ""hi""",', [b"a,b", b'say "hi"', b""]),
        (b'x,"line\nbreak"', [b"x", b"line\nbreak"]),
    ],
)
def test_fields_of_a_line(line: bytes, fields: list[bytes]) -> None:
    assert split_csv(line) == fields


def test_tensors_survive_their_messages() -> None:
    rng = np.random.default_rng(0)
    for name in (
        "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 "
        "complex128"
    ).split():
        array = (rng.normal(size=(2, 3)) * 9).astype(name)
        again = tensor(encode_whole_tensor(array))
        assert again.dtype == array.dtype
        np.testing.assert_array_equal(again, array)
    words = np.array([[b"a", b""], [b"\xff", b"long"]], object)
    np.testing.assert_array_equal(tensor(encode_whole_tensor(words)), words)
