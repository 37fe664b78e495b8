"""JSON from a stranger: the words are those of TensorFlow 2.15.1, which was asked."""

import random

import pytest

import minitf as tf
from minitf.library.parsing.json_examples import example_of_json


def _text(kind: str, value: str) -> bytes:
    return f'{{"features":{{"feature":{{"a":{{"{kind}":{{"value":[{value}]}}}}}}}}}}'.encode()


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("int64List", '"' + "9" * 5000 + '"', "for type TYPE_INT64"),
        ("int64List", "9" * 400, "Number exceeds the range of double."),
        ("floatList", "9" * 5000, "Number exceeds the range of double."),
        ("floatList", "1e400", "Number exceeds the range of double."),
        (
            "floatList",
            '{"a": 1}',
            "value.float_list.value): invalid value Starting an object",
        ),
        (
            "int64List",
            "{}",
            "value.int64_list.value): invalid value Starting an object",
        ),
        (
            "bytesList",
            "{}",
            "value.bytes_list.value): invalid value Starting an object",
        ),
        ("int64List", "NaN", "Unexpected token."),
        ("floatList", "-Infinity", "Unexpected token."),
        ("int64List", '"\u0663"', 'invalid value "\u0663" for type TYPE_INT64'),
        ("bytesList", '"\u00e9"', 'invalid value "\u00e9" for type TYPE_BYTES'),
        ("floatList", '"1_0"', 'invalid value "1_0" for type TYPE_FLOAT'),
        ("floatList", '" 1"', 'invalid value " 1" for type TYPE_FLOAT'),
        ("bytesList", r'"\ud800"', "Missing low surrogate."),
    ],
)
def test_values_that_are_refused(kind: str, value: str, told: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        example_of_json(_text(kind, value))
    assert told in str(caught.value)


def test_depth_without_end() -> None:
    for text in (b'{"features":' * 100_000, _text("int64List", "[" * 100_000 + "]" * 100_000)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="too deep"):
            example_of_json(text)


def test_changed_bytes_are_read_or_refused() -> None:
    good = _text("floatList", '1.5, "2", "NaN"')
    rng, refused = random.Random(0), 0
    for _ in range(500):
        text = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.randrange(3)] = rng.choice([*b'{}[]",:0e-\\', 255]).to_bytes(
                1, "big"
            )
        try:
            example_of_json(bytes(text))
        except tf.errors.InvalidArgumentError:
            refused += 1
    assert 250 < refused < 500
