"""Examples of one layout are read at once, and give what reading them one by one gives."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.parsing import examples
from minitf.library.parsing.examples import Dense, parse_many
from minitf.library.parsing.examples_alike import parse_alike, places_of


def example(**features) -> bytes:
    def feature(value):
        if isinstance(value, bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
        array = np.atleast_1d(value)
        if array.dtype.kind == "f":
            return tf.train.Feature(float_list=tf.train.FloatList(value=array))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=array))

    made = tf.train.Features(feature={key: feature(value) for key, value in features.items()})
    return tf.train.Example(features=made).SerializeToString()


def dense(key, dtype, *shape):
    return Dense(key, dtype, shape, False, np.empty(0, dtype.numpy_dtype))


X, Y, N = dense("x", tf.float32, 2), dense("y", tf.string), dense("n", tf.int64, 3)


def test_places():
    record = example(y=b"abc")
    place = places_of(record)["y"]
    assert record[place.start : place.stop] == b"abc"
    assert place.dtype == tf.string


@pytest.mark.parametrize("largest", [100, 2**40, -(2**40)])
def test_columns(largest):
    rng = np.random.default_rng(0)
    floats = rng.normal(size=(5, 2)).astype(np.float32)
    numbers = largest - np.arange(15).reshape(5, 3)
    records = [example(x=floats[i], y=b"%03d" % i, n=numbers[i], unused=b"?") for i in range(5)]
    x, y, n = parse_alike(records, [], [X, Y, N])
    assert x.tolist() == floats.tolist()
    assert y.tolist() == [b"000", b"001", b"002", b"003", b"004"]
    assert n.tolist() == numbers.tolist()
    assert n.dtype == np.int64


@pytest.mark.parametrize(
    "records",
    [
        [example(y=b"a"), example(y=b"bc")],  # lengths
        [example(y=b"a"), example(z=b"a")],  # keys
        [example(n=[1, 2, 3]), example(n=[1, 300])],  # the same length, and other numbers in it
        [example(y=b"abcd"), example(y=1.5)],
        [b"\x0a\x05\x0a\x03\x0a\x01a"] * 2,  # an entry without a value
        [b"\xff\xff"] * 2,
        [b""] * 2,
        [],
    ],
)
def test_what_is_not_alike_is_left_to_others(records):
    wanted = [N] if records and b"n" in records[0] else [Y]
    assert parse_alike(records, [], wanted) is None


@pytest.mark.parametrize("wanted", [([], [X, Y, N]), ([("n", tf.int64), ("y", tf.string)], [X])])
def test_random_examples_as_one_by_one(monkeypatch, wanted):
    rng = np.random.default_rng(1)
    for _ in range(200):
        records = []
        for _ in range(3):
            numbers = rng.integers(-3, rng.choice([4, 200, 2**60]), 3)
            records.append(
                example(x=rng.normal(size=2), y=rng.bytes(rng.integers(1, 3)), n=numbers)
            )
        found = parse_many(records, [], *wanted)
        with monkeypatch.context() as patch:
            patch.setattr(examples, "parse_alike", lambda *args: None)
            expected = parse_many(records, [], *wanted)
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
