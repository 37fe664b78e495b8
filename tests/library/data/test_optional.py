"""Elements that may be missing."""

import pytest

import minitf as tf

Optional = tf.data.experimental.Optional


def test_next_as_optional():
    iterator = tf.data.Dataset.range(1).make_one_shot_iterator()
    found = tf.data.experimental.get_next_as_optional(iterator)
    with tf.Session() as sess:
        assert sess.run([found.has_value(), found.get_value()]) == [True, 0]
        assert not sess.run(found.has_value())
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
            sess.run(found.get_value())


def test_a_branch_gives_one_or_the_other():
    some, none = (
        Optional.from_value(3.0),
        Optional.none_from_structure(tf.TensorSpec([], "float32")),
    )
    chosen = tf.cond(tf.placeholder_with_default(True, []), lambda: some, lambda: none)
    with tf.Session() as sess:
        assert sess.run(chosen.get_value()) == 3.0
