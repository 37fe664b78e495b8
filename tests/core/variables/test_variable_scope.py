"""`tf.get_variable` and `tf.variable_scope`: names, sharing, defaults, errors."""

import re
from typing import Any

import pytest

import minitf as tf


def test_names_of_a_variable_and_its_default_initializer(graph: tf.Graph) -> None:
    with tf.variable_scope("layer"):
        W = tf.get_variable("W", [3, 2])
    assert repr(W) == "<tf.Variable 'layer/W:0' shape=(3, 2) dtype=float32_ref>"
    names = [op.name for op in graph.get_operations()]
    assert names == [
        "layer/W/Initializer/random_uniform/shape",
        "layer/W/Initializer/random_uniform/min",
        "layer/W/Initializer/random_uniform/max",
        "layer/W/Initializer/random_uniform/RandomUniform",
        "layer/W/Initializer/random_uniform/sub",
        "layer/W/Initializer/random_uniform/mul",
        "layer/W/Initializer/random_uniform",
        "layer/W",
        "layer/W/Assign",
        "layer/W/read",
    ]


def test_other_types_start_at_zero(graph: tf.Graph) -> None:
    count = tf.get_variable("count", [2], dtype=tf.int32)
    assert count.initial_value.name == "count/Initializer/zeros:0"
    with pytest.raises(ValueError, match="^An initializer for variable c of .*complex64.* is req"):
        tf.get_variable("c", [2], tf.complex64)


def test_an_initializer_may_be_a_value_a_function_or_a_class() -> None:
    assert tf.get_variable("a", initializer=3.5).dtype.name == "float32_ref"
    assert tf.get_variable("b", initializer=tf.constant([1, 2])).shape.as_list() == [2]
    assert tf.get_variable("c", initializer=lambda: tf.zeros([3])).shape.as_list() == [3]
    assert tf.get_variable("d", [3], initializer=tf.zeros_initializer).shape.as_list() == [3]
    made = tf.get_variable("e", [2], initializer=lambda shape, dtype: tf.ones(shape, dtype))
    with tf.Session() as sess:
        sess.run(made.initializer)
        assert sess.run(made).tolist() == [1.0, 1.0]


def test_a_scope_without_a_name_scope() -> None:
    with tf.name_scope("outer"), tf.variable_scope("x", auxiliary_name_scope=False) as scope:
        assert tf.constant(1.0, name="c").name == "outer/c:0"
        assert tf.get_variable("v", [1]).name == "x/v:0"
    assert scope.original_name_scope == "outer/"


def test_making_a_variable_twice_fails_and_says_where_the_first_was_made() -> None:
    tf.get_variable("foo", [1])
    with pytest.raises(ValueError) as caught:
        tf.get_variable("foo", [1])
    message = str(caught.value)
    assert message.startswith(
        "Variable foo already exists, disallowed. Did you mean to set reuse=True or "
        "reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n  File "
    )
    assert re.search(r'test_variable_scope.py", line \d+, in test_making_a_variable', message)
    assert 'tf.get_variable("foo", [1])' in message


def test_other_errors() -> None:
    with pytest.raises(ValueError, match="Initializer type .*float32.* and explicit dtype .*int32"):
        tf.get_variable("v", dtype=tf.int32, initializer=tf.constant([1.0]))
    with pytest.raises(ValueError, match="^Passed a custom_getter which is not callable: 3$"):
        tf.get_variable("v", [1], custom_getter=3)
    with pytest.raises(ValueError, match="^The reuse parameter must be True or False or None.$"):
        tf.variable_scope("a", reuse="yes")
    with pytest.raises(TypeError, match="name_or_scope must be a string or VariableScope.$"):
        tf.variable_scope(5)
    with pytest.raises(ValueError, match="^reuse=True cannot be used without a name_or_scope$"):
        tf.variable_scope(None, "x", reuse=True)


def test_custom_getters_are_called_from_the_inside_out() -> None:
    calls = []

    def outer(getter, name, *args, **kwargs):  # noqa: ANN001, ANN002, ANN003, ANN202
        calls.append(("outer", name))
        return getter(name + "_suffix", *args, **kwargs)

    def inner(getter, name, *args, **kwargs):  # noqa: ANN001, ANN002, ANN003, ANN202
        calls.append(("inner", name))
        return tf.identity(getter(name, *args, **kwargs), name="seen")

    with tf.variable_scope("s", custom_getter=outer), tf.variable_scope("t", custom_getter=inner):
        result = tf.get_variable("v", [1])
    assert calls == [("inner", "s/t/v"), ("outer", "s/t/v")]
    assert isinstance(result, tf.Tensor)
    assert [v.name for v in tf.global_variables()] == ["s/t/v_suffix:0"]


def test_a_custom_getter_may_hand_on_arguments_by_their_places() -> None:
    def frozen(getter, name, shape, dtype, initializer, regularizer, reuse, **kwargs):  # noqa: ANN001, ANN003, ANN202
        kwargs["trainable"] = False
        return getter(name, shape, dtype, initializer, regularizer, reuse, **kwargs)

    with tf.variable_scope("s", custom_getter=frozen):
        assert not tf.get_variable("v", [2], tf.float64).trainable


def test_a_scope_left_too_early_can_be_left_later() -> None:
    scope = tf.variable_scope("outer")
    scope.__enter__()
    with tf.variable_scope("inner"):
        with pytest.raises(RuntimeError, match="Improper nesting"):
            scope.__exit__(None, None, None)
        assert tf.get_variable("v", []).op.name == "outer/inner/v"
    scope.__exit__(None, None, None)
    assert tf.get_variable("v", []).op.name == "v"


def test_an_initializer_of_ones_own_may_ask_for_its_part() -> None:
    parts: list = []

    def initializer(shape: Any, dtype: Any, partition_info: Any) -> Any:
        parts.append(partition_info)
        return tf.ones(shape, dtype)

    tf.get_variable("whole", [2], initializer=initializer)
    half = tf.fixed_size_partitioner(2)
    tf.get_variable("cut", [4], initializer=initializer, partitioner=half)
    assert parts[0] is None and [p.var_offset for p in parts[1:]] == [[0], [2]]
