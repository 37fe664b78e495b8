"""Branches and loops: derivatives of any order, what runs and what does not, text, data, errors."""

import signal

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.emit.control_flow import DEEPEST
from tests.graphs import run


def numeric(f, x, step=1e-4):
    return (f(x + step) - f(x - step)) / (2 * step)


def derivatives(y, x, order):
    found = []
    for _ in range(order):
        y = tf.gradients(y, x)[0]
        found.append(y)
    return found


def power_series(x):
    """A loop in a loop, with a branch inside."""

    def outer(i, a):
        def inner(j, z):
            return j + 1, tf.cond(tf.equal(j % 2, 0), lambda: z * x, lambda: tf.sin(z) + x)

        return i + 1, tf.while_loop(lambda j, _: j < i + 1, inner, [0, a])[1]

    return tf.while_loop(lambda i, _: i < 3, outer, [0, tf.ones([], tf.float64)])[1]


def power_series_by_hand(x):
    z = 1.0
    for i in range(3):
        for j in range(i + 1):
            z = z * x if j % 2 == 0 else np.sin(z) + x
    return z


def test_second_derivative_through_nested_loops_and_branches() -> None:
    x = tf.placeholder(tf.float64, [])
    y = power_series(x)
    first, second = derivatives(y, x, 2)
    value, d1, d2 = run([y, first, second], {x: 0.7})
    assert value == pytest.approx(power_series_by_hand(0.7))
    assert d1 == pytest.approx(numeric(power_series_by_hand, 0.7), rel=1e-6)
    slope = lambda at: numeric(power_series_by_hand, at)  # noqa: E731
    assert d2 == pytest.approx(numeric(slope, 0.7), rel=1e-3)


def test_derivatives_of_a_power() -> None:
    x = tf.placeholder(tf.float64, [])
    y = tf.while_loop(lambda i, _: i < 5, lambda i, a: (i + 1, a * x), [0, tf.ones([], tf.float64)])
    found = run(derivatives(y[1], x, 5), {x: 2.0})
    assert found == pytest.approx([5 * 2**4, 20 * 2**3, 60 * 2**2, 120 * 2, 120])


def test_variables_that_nobody_reads_are_left_out() -> None:
    x = tf.placeholder(tf.float32, [])
    loop = tf.while_loop(lambda i, *_: i < 3, lambda i, a, b: (i + 1, a + x, b * x), [0, x, x])
    with tf.Session() as session:
        assert "*" not in session.explain(loop[1], [x])
        assert "*" in session.explain(loop[2], [x])


def test_what_a_body_waits_for_outside_runs_first() -> None:
    v = tf.Variable(1.0)
    change = tf.assign(v, 7.0)

    def body(i, a):
        with tf.control_dependencies([change]):
            return i + 1, a + tf.identity(v._ref())

    assert run(tf.while_loop(lambda i, _: i < 2, body, [0, 0.0])[1]) == 14.0


def test_a_body_is_written_under_its_operation() -> None:
    n = tf.placeholder(tf.int32, [])
    loop = tf.while_loop(
        lambda i: i < n, lambda i: tf.cond(i > 3, lambda: i + 2, lambda: i + 1), [0]
    )
    with tf.Session() as session:
        text = session.explain(loop, [n])
        assert session.run(loop, {n: 7}) == 8
    lines = [line.split("#")[0].rstrip() for line in text.splitlines()]
    assert "    while rendezvous.alive:" in lines
    assert any(line.startswith("        if ") and line.endswith(":") for line in lines)
    assert any(line.startswith("            while_cond_add") for line in lines)


def test_an_error_inside_names_the_inner_operation() -> None:
    x = tf.placeholder(tf.float32, None)
    loop = tf.while_loop(
        lambda i, _: i < 2,
        lambda i, a: (i + 1, tf.matmul(a, a, name="square")),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="while/square"):
        run(loop, {x: np.ones((2, 3))})


def test_an_assertion_inside_fails_the_step() -> None:
    def body(i):
        with tf.control_dependencies([tf.Assert(i < 3, [i])]):
            return i + 1

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[3\]"):
        run(tf.while_loop(lambda i: i < 5, body, [0]))


def test_tensors_of_a_body_stay_inside() -> None:
    kept = []
    loop = tf.while_loop(lambda i: i < 3, lambda i: kept.append(i + 1) or kept[0], [0])
    with pytest.raises(ValueError, match="'while/add' has been marked as not fetchable"):
        run(kept[0])
    with pytest.raises(ValueError, match="Tensor while/add:0 may not be fed"):
        run(loop, {kept[0]: 1})
    with pytest.raises(ValueError, match="because 'while/add' is in a while loop"):
        kept[0] + 1


def test_a_long_loop_can_be_interrupted() -> None:
    endless = tf.while_loop(lambda i: True, lambda i: (i + 1) % 7, [0])
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(endless)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_branches_deeper_than_python_nests() -> None:
    x = tf.placeholder(tf.float64, [])

    def choose(k):
        if k == 0:
            return x
        return tf.cond(x > k, lambda: choose(k - 1) * 2, lambda: x + k)

    y = choose(DEEPEST + 5)
    first = tf.gradients(y, x)[0]
    assert run([y, first], {x: 100.0}) == [100 * 2.0 ** (DEEPEST + 5), 2.0 ** (DEEPEST + 5)]
    assert run([y, first], {x: 3.5}) == [3.5 + DEEPEST + 5, 1]


def test_loops_deeper_than_python_nests() -> None:
    def nested(depth, value):
        if not depth:
            return value + 1
        body = lambda i, v: (i + 1, nested(depth - 1, v))  # noqa: E731
        return tf.while_loop(lambda i, _: i < 1 + (depth > DEEPEST), body, [0, value])[1]

    assert run(nested(DEEPEST + 3, tf.constant(0))) == 2**3


def test_a_graph_with_loops_survives_as_json() -> None:
    x = tf.placeholder(tf.float64, [], name="x")
    y = tf.identity(power_series(x), name="y")
    (gradient,) = tf.gradients(y, x)
    wanted = run([y, gradient], {x: 0.7})
    text = tf.get_default_graph().as_graph_def().to_json()
    with tf.Graph().as_default():
        names = ["x:0", "y:0", gradient.name]
        x, y, gradient = tf.import_graph_def(text, return_elements=names, name="again")
        (anew,) = tf.gradients(y, x)
        assert run([y, gradient, anew], {x: 0.7}) == pytest.approx([*wanted, wanted[1]])


def test_an_imported_loop_is_a_loop_of_its_own() -> None:
    x = tf.placeholder(tf.float64, [], name="x")
    power_series(x)
    definition = tf.get_default_graph().as_graph_def()
    last = definition.node[-1].name
    copies = [
        tf.import_graph_def(definition, {"x:0": x}, [f"{last}:0"], name=name)[0]
        for name in ("one", "two")
    ]
    gradients = [tf.gradients(copy, x)[0] for copy in copies]
    one, two = run(gradients, {x: 0.7})
    assert one == two == pytest.approx(numeric(power_series_by_hand, 0.7), rel=1e-6)


def test_a_loop_runs_on_the_device_of_the_variable_it_changes() -> None:
    tf.simulate_gpus(1)
    try:
        with tf.device("/cpu:0"):
            v = tf.Variable(1.0)

        def body(i):
            with tf.control_dependencies([tf.assign_add(v, 1.0)]):
                return i + 1

        with tf.device("/gpu:0"):
            w = tf.Variable(2.0)
            y = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * w), [0, 1.0])[1]
        loop = tf.while_loop(lambda i: i < 3, body, [0])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run([loop, y, *tf.gradients(y, w)]) == [3, 8.0, 12.0]
            assert session.run(v) == 4.0
    finally:
        tf.simulate_gpus(0)


def test_a_trace_shows_each_turn() -> None:
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert session.run(loop, options=options, run_metadata=metadata) == 3
    names = [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]
    assert names.count("while/add") == 3


def test_case_without_default_fails_when_nothing_is_true() -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.case([(x < 0, lambda: x + 1), (x > 1, lambda: x + 2)])
    assert run(y, {x: 2.0}) == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions"):
        run(y, {x: 0.5})


def test_an_optimizer_runs_inside_a_loop() -> None:
    v = tf.Variable(5.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def body(i):
        step = optimizer.minimize(tf.square(v.read_value()), var_list=[v])
        with tf.control_dependencies([step]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 10, body, [0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(loop)
        assert session.run(v) == pytest.approx(5 * 0.8**10)


@pytest.mark.parametrize("loops", [False, True])
def test_a_gradient_may_use_what_the_forward_run_does_not(loops) -> None:
    x, w = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])

    @tf.custom_gradient
    def double(value):
        return value * 2, lambda dy: dy * w

    if loops:
        y = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, double(a)), [0, x])[1]
    else:
        y = tf.cond(x > 0, lambda: double(x), lambda: x)
    (gradient,) = tf.gradients(y, x)
    found = run([y, gradient], {x: 1.0, w: 5.0})
    assert list(found) == ([8.0, 125.0] if loops else [2.0, 5.0])


def test_sparse_tensors_go_through_branches_and_around_loops() -> None:
    p = tf.placeholder(tf.bool, [])
    one = tf.SparseTensor([[0, 1]], [2.0], [2, 3])
    two = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 5.0], [2, 3])
    chosen = tf.sparse.to_dense(tf.cond(p, lambda: one, lambda: two))

    def body(i, s):
        return i + 1, tf.SparseTensor(
            tf.concat([s.indices, s.indices + 1], 0),
            tf.concat([s.values, s.values * 2], 0),
            s.dense_shape + 1,
        )

    _, grown = tf.while_loop(lambda i, _: i < 2, body, [0, one])
    assert run(tf.shape(grown.values)) == 4
    np.testing.assert_array_equal(run(chosen, {p: True}), [[0, 2, 0], [0, 0, 0]])
    np.testing.assert_array_equal(run(chosen, {p: False}), [[1, 0, 0], [0, 0, 5]])
    rows = tf.cond(
        p,
        lambda: tf.IndexedSlices([[1.0]], [1], [3, 1]),
        lambda: tf.IndexedSlices([[2.0], [3.0]], [0, 2], [3, 1]),
    )
    np.testing.assert_array_equal(run(tf.convert_to_tensor(rows), {p: False})[:, 0], [2, 0, 3])


def test_operations_may_be_called_as_python_functions_are() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        start = tf.add(tf.abs(x, name="abs") * tf.abs(x / x), 0.0, name="range")
        _, y, z = tf.while_loop(
            lambda i, *_: i < 3,
            lambda i, a, b: (i + 1, tf.add(a, x, name="zip"), tf.multiply(a, b, name="len")),
            [0, start, 1.0],
        )
        found = run([y, z, *tf.gradients(y, x), *tf.gradients(z, x)], {x: 2.0})
    assert found == [8.0, 48.0, 4.0, 72.0]


def test_a_gradient_in_a_branch_inside_of_a_function():
    x = tf.Variable(2.0, use_resource=True)

    @tf.function
    def f():
        y = x * x  # outside of the branch
        return tf.cond(y > 0.0, lambda: tf.gradients(y * y, x)[0], lambda: 0.0)

    assert run(f()) == 32.0


def test_what_does_not_change_shape_may_be_said_by_specs():
    start = [tf.constant(0), tf.constant([1])]
    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec(None, tf.int32)]
    _, grown = tf.while_loop(
        lambda i, _: i < 3, lambda i, x: (i + 1, tf.stack([x, x])), start, specs
    )
    assert grown.shape.ndims is None and run(grown).shape == (2, 2, 2, 1)


def test_names_beside_captures_are_those_asked_for() -> None:
    x, go = tf.constant(1.0), tf.placeholder_with_default(True, ())
    inner = tf.cond(go, lambda: tf.cond(go, lambda: x + 1.0, lambda: x), lambda: x * 2.0)
    outer = tf.cond(go, lambda: x + 1.0, lambda: inner * 2.0)
    last = tf.cond(go, lambda: tf.cond(go, lambda: x, lambda: outer * 1.0), lambda: x)
    _, turned = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * 2.0), [0, x])
    _, again = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, turned), [0, x])
    names = [t.op.name for t in (inner, outer, last)]
    assert names == ["cond/Merge", "cond_1/Merge", "cond_2/Merge"]
    assert [t.op.name for t in (turned, again)] == ["while/Exit_1", "while_1/Exit_1"]


def test_a_gradient_reads_a_variable_as_it_was_at_that_point_of_the_body() -> None:
    v, x = tf.Variable(2.0), tf.placeholder(tf.float32, [])
    branch = tf.cond(x > 0.0, lambda: x * tf.assign_add(v, 1.0) * x, lambda: x)
    turn = lambda i, a: (i + 1, a * tf.assign_add(v, 1.0))  # noqa: E731
    loop = tf.while_loop(lambda i, a: i < 3, turn, [0, x])[1]
    assert run(tf.gradients(branch, x), {x: 5.0}) == [2 * 5.0 * 3.0]
    assert run(tf.gradients(loop, x), {x: 5.0}) == [3.0 * 4.0 * 5.0]
