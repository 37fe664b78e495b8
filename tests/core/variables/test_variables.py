"""`tf.Variable`: nodes, names, printed forms, errors; its value over several runs."""

import numpy as np
import pytest

import minitf as tf


def _nodes(graph: tf.Graph) -> list[tuple[str, str]]:
    return [(op.name, op.type) for op in graph.get_operations()]


def test_a_variable_is_four_nodes(graph: tf.Graph) -> None:
    W = tf.Variable([1.0, 2.0], name="W")
    assert repr(W) == str(W) == "<tf.Variable 'W:0' shape=(2,) dtype=float32_ref>"
    assert _nodes(graph) == [
        ("W/initial_value", "Const"),
        ("W", "VariableV2"),
        ("W/Assign", "Assign"),
        ("W/read", "Identity"),
    ]
    assert (W.name, W.op.name, W.initializer.name) == ("W:0", "W", "W/Assign")
    assert W.value().name == "W/read:0"
    assert W.value().dtype == tf.float32
    assert W.dtype.name == "float32_ref"
    assert W.dtype.base_dtype == tf.float32
    assert W.graph is graph
    assert W.device == ""
    assert W.get_shape().as_list() == [2]
    assert W.initial_value.name == "W/initial_value:0"
    assert W.initializer.colocation_groups() == [b"loc:@W"]
    assert W.value().op.colocation_groups() == [b"loc:@W"]


def test_a_callable_goes_under_the_initializer_scope(graph: tf.Graph) -> None:
    with tf.device("/cpu:0"):
        W = tf.Variable(lambda: tf.constant([1.0]), name="W")
    assert _nodes(graph)[0] == ("W/Initializer/Const", "Const")
    value = graph.get_operation_by_name("W/Initializer/Const")
    assert value.device == ""
    assert value.colocation_groups() == [b"loc:@W"]
    assert W.device == "/device:CPU:0"


def test_names_are_made_unique() -> None:
    first, second = tf.Variable(1.0), tf.Variable(1.0)
    assert (first.name, second.name) == ("Variable:0", "Variable_1:0")
    with tf.name_scope("layer"):
        assert tf.Variable(1.0, name="W").name == "layer/W:0"


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, "int32_ref"),
        (3.5, "float32_ref"),
        ([True], "bool_ref"),
        ("text", "string_ref"),
        (np.zeros((2, 3)), "float64_ref"),
    ],
)
def test_the_type_follows_the_value(value: object, dtype: str) -> None:
    assert tf.Variable(value).dtype.name == dtype


def test_the_type_can_be_chosen() -> None:
    assert tf.Variable(1, dtype=tf.float64).dtype.name == "float64_ref"


def test_collections() -> None:
    W = tf.Variable(1.0)
    fixed = tf.Variable(1.0, trainable=False)
    local = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    assert tf.global_variables() == tf.all_variables() == [W, fixed]
    assert tf.trainable_variables() == [W]
    assert tf.local_variables() == [local]
    assert tf.global_variables(scope="Variable_1") == [fixed]
    assert (W.trainable, fixed.trainable) == (True, False)


def test_errors(graph: tf.Graph) -> None:
    with pytest.raises(ValueError, match="^initial_value must be specified.$"):
        tf.Variable()
    with pytest.raises(ValueError, match="must be a list, tuple, or set. Got x of type"):
        tf.Variable(1.0, collections="x")
    with pytest.raises(ValueError, match="^The `constraint` argument must be a callable.$"):
        tf.Variable(1.0, constraint=3)
    unknown = tf.placeholder(tf.float32)
    with pytest.raises(ValueError, match="initial_value must have a shape specified: Tensor"):
        tf.Variable(unknown)
    assert tf.Variable(unknown, validate_shape=False).shape.ndims is None
    with pytest.raises(TypeError, match="^'Variable' object is not iterable.$"):
        list(tf.Variable([1.0]))
    with pytest.raises(ValueError, match="default session should be established"):
        tf.Variable(1.0).load(2.0)


def test_it_stands_for_the_value_read() -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    assert (v + 1).op.inputs[0] is v.value()
    assert (1 - v).name == "sub:0"
    assert tf.convert_to_tensor(v) is v.value()
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results = sess.run(
            [v + [1.0, 1.0], 1.0 - v, v * v, 1.0 / v, -v, abs(-v), v**2, v < 2.0, m @ m, m[1]]
        )
    expected = [
        [2, 3], [0, -1], [1, 4], [1, 0.5], [-1, -2], [1, 2], [1, 4], [True, False],
        [[7, 10], [15, 22]], [3, 4],
    ]  # fmt: skip
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, value)


def test_numpy_leaves_the_operator_to_it() -> None:
    product = np.array([1.0, 2.0], np.float32) * tf.Variable([3.0, 4.0])
    assert isinstance(product, tf.Tensor)
    assert product.name == "mul:0"


def test_variables_are_equal_only_to_themselves() -> None:
    v = tf.Variable(1.0)
    assert v == v  # noqa: PLR0124
    assert v != tf.Variable(1.0)
    assert {v: 1}[v] == 1


def test_the_value_lasts_from_run_to_run() -> None:
    v = tf.Variable([1.0, 2.0])
    add, subtract = v.assign_add([1.0, 1.0]), v.assign_sub([0.5, 0.0])
    replace = v.assign([7.0, 8.0])
    assert (add.op.type, subtract.op.type, replace.op.type) == ("AssignAdd", "AssignSub", "Assign")
    assert isinstance(v.assign([1.0, 1.0], read_value=False), tf.Operation)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(add).tolist() == [2.0, 3.0]
        assert sess.run(subtract).tolist() == [1.5, 3.0]
        assert v.eval().tolist() == [1.5, 3.0]
        sess.run(replace)
        assert sess.run(v).tolist() == v.eval(sess).tolist() == [7.0, 8.0]
        v.load([0.0, 1.0], sess)
        assert sess.run(v.read_value()).tolist() == [0.0, 1.0]


def test_rows_can_be_changed_alone() -> None:
    v = tf.Variable([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    rows = tf.IndexedSlices([[1.0, 2.0], [1.0, 2.0]], [2, 2], [3, 2])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(v.scatter_add(rows)).tolist() == [[1.0, 1.0], [2.0, 2.0], [5.0, 7.0]]
        assert sess.run(v.scatter_sub(rows)).tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
        assert sess.run(v.scatter_update(rows)).tolist() == [[1.0, 1.0], [2.0, 2.0], [1.0, 2.0]]
        assert sess.run(tf.convert_to_tensor(rows)).tolist() == [[0.0, 0.0], [0.0, 0.0], [2.0, 4.0]]
        one = tf.IndexedSlices([[4.0, 0.5]], [1])
        assert sess.run(v.scatter_mul(one))[1].tolist() == [8.0, 1.0]
        assert sess.run(v.scatter_div(one))[1].tolist() == [2.0, 2.0]
        assert sess.run(v.scatter_max(one))[1].tolist() == [4.0, 2.0]
        assert sess.run(v.scatter_min(one))[1].tolist() == [4.0, 0.5]
    assert tf.Variable.scatter_max.__name__ == "scatter_max"
    with pytest.raises(TypeError, match="^sparse_delta is not IndexedSlices: 3$"):
        v.scatter_add(3)


def test_counting_up_to_a_limit() -> None:
    v = tf.Variable(0)
    counter = v.count_up_to(2)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert [sess.run(counter), sess.run(counter)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            sess.run(counter)


def test_sessions_have_values_of_their_own() -> None:
    v = tf.Variable(1.0)
    one, two = tf.Session(), tf.Session()
    one.run(v.initializer)
    two.run(v.initializer)
    one.run(v.assign(5.0))
    assert (one.run(v), two.run(v)) == (5.0, 1.0)


def test_reading_before_initializing_fails() -> None:
    v = tf.Variable(1.0, name="v")
    with (
        tf.Session() as sess,
        pytest.raises(
            tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"
        ),
    ):
        sess.run(v + 1.0)


def test_one_variable_initialized_from_another() -> None:
    """All initializers run in one step; each sees initial values, not half-made variables."""
    v = tf.Variable([1.0, 2.0], name="v")
    doubled = tf.Variable(v.initialized_value() * 2.0)
    guarded = tf.Variable(v * 3.0 + 1.0)
    chained = tf.Variable(guarded + v)
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(tf.global_variables_initializer())
            assert sess.run(doubled).tolist() == [2.0, 4.0]
            assert sess.run(guarded).tolist() == [4.0, 7.0]
            assert sess.run(chained).tolist() == [5.0, 9.0]
        sess.run(v.assign([10.0, 10.0]))
        sess.run(doubled.initializer)
        assert sess.run(doubled).tolist() == [20.0, 20.0]


def test_random_initial_values_agree_between_dependents() -> None:
    v = tf.Variable(tf.random_normal([3]))
    same = tf.Variable(v.initialized_value())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(*sess.run([v, same]))


def test_open_control_dependencies_do_not_hold_up_initializing() -> None:
    trap = tf.placeholder(tf.float32)
    with tf.control_dependencies([trap]):
        v = tf.Variable(1.0)
    assert v.initializer.control_inputs == []


def test_the_nodes_can_be_found_again(graph: tf.Graph) -> None:
    v = tf.Variable(3.0, name="v", trainable=False)
    found = tf.Variable.from_proto(v.to_proto())
    assert found.name == v.name
    assert found.initializer is v.initializer
    assert found.value() is v.value()
    assert not found.trainable
    assert v.to_proto(export_scope="elsewhere") is None


def test_a_read_of_its_own_waits() -> None:
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        after = v.read_value()
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(after) == 2.0
        assert sess.run(after) == 3.0


def test_creators_stand_before_new_variables():
    names = []

    def note(next_creator, **kwargs):
        names.append((kwargs["name"], kwargs["trainable"]))
        return next_creator(**kwargs)

    def rename(next_creator, **kwargs):
        return next_creator(**{**kwargs, "name": "forced"})

    with tf.variable_creator_scope(note):
        with tf.variable_creator_scope(rename):
            assert tf.Variable(1.0, name="mine").name == "forced:0"
        tf.get_variable("got", [2], trainable=False)
    tf.Variable(2.0, name="after")
    assert names == [("forced", None), ("got", False)]


def test_an_initialized_value_is_a_branch_by_name() -> None:
    v = tf.Variable(1.0)
    assert v.initialized_value().op.name == "cond/Merge"
    assert tf.cond(v > 0.0, lambda: 1.0, lambda: 2.0).op.name == "cond_1/Merge"
