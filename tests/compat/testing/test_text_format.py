"""Messages compared as messages."""

import pytest

import minitf as tf
from minitf.compat.testing.text_format import parse


def test_quotes_order_and_numbers_make_no_difference():
    one = parse("op: 'NoOp' x: [1, 2.0] attr { key: 'b' } attr { key: 'a' value < i: 1 > }")
    two = parse('x: 1.0 attr { key: "a" value { i: 1 } } x: 2 attr { key: "b" } op: "No" "Op"')
    assert one == two
    assert one != parse("op: 'NoOp' x: [2, 1]")
    assert parse("x: 10.9319043932") == parse("x: 10.931904393168884")  # of a double


def test_what_is_no_message():
    with pytest.raises(ValueError, match="Not the text form"):
        parse("op: @")
    with pytest.raises(ValueError, match="has no value"):
        parse("op")


def test_assert_proto_equals():
    cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": {2: "b:2"}}).as_cluster_def()
    text = "job { name: 'ps' tasks { key: 0 value: 'a:1' } } job { name: 'worker' %s }"
    tf.test.TestCase().assertProtoEquals(text % "tasks { key: 2 value: 'b:2' }", cluster)
    with pytest.raises(AssertionError):
        tf.test.TestCase().assertProtoEquals(text % "tasks { key: 1 value: 'b:2' }", cluster)
