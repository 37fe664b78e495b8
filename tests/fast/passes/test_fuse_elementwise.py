"""What is put into one elementwise program, what is not, and that results and errors stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.passes import PASSES
from minitf.fast.kernels import elementwise
from minitf.fast.passes.fuse_elementwise import fuse_elementwise
from tests.compiled import load_compiled

load_compiled()

BEFORE = """\
    mul = x * mul_y                                           # Mul float32[?,9]
    add = np_add(mul, add_y, out=mul)                         # AddV2 float32[?,9]
    del mul
    y = op_Relu(add, out=add)                                 # Relu float32[?,9]
"""
AFTER = (
    "    y = fused(x)                                              # Fused float32[?,9]: "
    "maximum(x * 2 + 1, 0)\n"
)


def use_passes(sess: tf.Session, passes: Any) -> None:
    """Lets the plans of a session be rewritten by these passes alone."""
    backend: Any = sess._backend
    backend._host = replace(backend._host, passes=tuple(passes))


def program(fetches: Any, feeds: Any, without: Any = ()) -> str:
    """The program of a step, and of one from which some passes are left out."""
    with tf.Session() as sess:
        use_passes(sess, [p for p in PASSES if p not in without])
        return sess.explain(fetches, feeds).program


def fused(fetches: Any, *feeds: Any) -> list[str]:
    """What the fused lines of a program say they compute."""
    lines = program(fetches, feeds).splitlines()
    return [line.partition("]: ")[2] for line in lines if "# Fused" in line]


def compare(build: Callable[..., Any], *fed: np.ndarray, shapes: Any = None) -> None:
    """Runs a graph with and without the pass."""
    results = []
    for passes in (PASSES, [p for p in PASSES if p is not fuse_elementwise]):
        with tf.Graph().as_default(), tf.Session() as sess, np.errstate(all="ignore"):
            use_passes(sess, passes)
            xs = [
                tf.placeholder(x.dtype, shapes[i] if shapes else x.shape, name=f"x{i}")
                for i, x in enumerate(fed)
            ]
            fetches = tf.nest.flatten(build(*xs))
            text = sess.explain(fetches, xs).program
            assert ("# Fused" in text) == (passes is PASSES) or not fed[0].size
            results.append(sess.run(fetches, dict(zip(xs, fed, strict=True))))
    for one, other in zip(*results, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


def test_before_and_after() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 9], name="x")
        y = tf.nn.relu(x * 2.0 + 1.0, name="y")
        assert BEFORE in program(y, [x], without=[fuse_elementwise])
        assert AFTER in program(y, [x])


def test_what_somebody_else_reads_ends_a_group() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [50, 60], name="x")
        a = tf.exp(x * 2.0, name="a")
        b = tf.sqrt(a + 1.0)
        assert fused(b, x) == ["sqrt(exp(x * 2) + 1)"]
        assert fused([a, b], x) == ["exp(x * 2)", "sqrt(a + 1)"]
        assert fused([tf.matmul(a, a, transpose_a=True), b], x) == ["exp(x * 2)", "sqrt(a + 1)"]


@pytest.mark.parametrize("kind", [tf.float32, tf.float64])
def test_a_dear_operation_on_a_huge_array_is_worth_a_program(kind: tf.DType) -> None:
    huge, large = (tf.placeholder(kind, [rows, 1024]) for rows in (1024, 1000))
    assert fused(tf.tanh(huge), huge) == ["tanh(Placeholder)"]
    assert not fused(tf.tanh(large), large)  # it stays in the caches
    assert not fused(huge + huge, huge)  # it waits for memory
    values = np.linspace(-20, 20, 1 << 20).reshape(1024, 1024)
    compare(lambda x: [tf.tanh(x), tf.exp(x), tf.log(x)], values.astype(kind.as_numpy_dtype))


def test_a_reduction_ends_a_group() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 9], name="x")
        y = tf.placeholder(tf.float32, [None, 9], name="y")
        loss = tf.reduce_mean(tf.square(x - y), name="loss")
        assert fused(loss, x, y) == ["mean(square(x - y))"]
        rows = tf.reduce_sum(tf.exp(x * 2.0) * x, axis=1)
        assert fused(rows, x) == ["sum(exp(x * 2) * x, axis=[1])"]
        d = tf.subtract(x, y, name="d")
        both = tf.reduce_max(tf.abs(d * 2.0)), tf.matmul(d, y, transpose_a=True)
        assert fused(both, x, y) == ["max(abs(d * 2))"]
        one = tf.reduce_sum(tf.square(x))
        assert fused(one, x) == []  # of how many, nobody knows
        large = tf.placeholder(tf.float32, [300, 300], name="large")
        assert fused(tf.reduce_sum(tf.square(large)), large) == ["sum(square(large))"]
        assert fused(tf.reduce_max(tf.abs(large)), large) == []
        product = tf.reduce_prod(x * y + 1.0)
        assert fused(product, x, y) == ["x * y + 1"]


@pytest.mark.parametrize("rows", [0, 3, 5000])
def test_reduced_results_stay(rows: int) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(rows, 65)).astype("f") for _ in range(2))

    def build(x: tf.Tensor, y: tf.Tensor) -> list:
        reductions = tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min
        return [
            reduce(tf.square(x - y) + 0.5, axis=axis, keepdims=keep)
            for reduce in reductions
            for axis in (None, 0, 1, [0, 1])
            for keep in (False, True)
        ]

    compare(build, x, y)
    compare(build, x, y, shapes=[[None, 65], [None, 65]])
    if rows:
        x[1, 2], y[2, 1] = np.nan, np.inf
        compare(build, x, y)


def test_what_is_fused_and_what_is_not() -> None:
    with tf.Graph().as_default():
        scalar, tiny = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [3])
        whole = tf.placeholder(tf.int32, [50, 60])
        any_rank = tf.placeholder(tf.float32)
        complex_ = tf.placeholder(tf.complex64, [50, 60])
        for x in (scalar, tiny, whole, any_rank, complex_):
            assert fused((x + 1) * x, x) == []
        x, y = tf.placeholder(tf.float32, [50, 1]), tf.placeholder(tf.float32, [60])
        assert fused((x + y) * y, x, y) == []  # nothing has the shape of the result
        variable = tf.Variable(tf.zeros([50, 60]))
        change = variable.assign_add(tf.tanh(variable + 1.0) * 2.0)
        assert fused(change) == ["tanh(Variable_read + 1) * 2"]


def test_where_operands_are_spread() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 7, 5], name="x")
        row = tf.placeholder(tf.float32, [5], name="row")
        block = tf.placeholder(tf.float32, [7, 5], name="block")
        column = tf.placeholder(tf.float32, [None, 1, 1], name="column")
        mean = tf.reduce_mean(x, axis=2, keepdims=True, name="mean")
        assert fused(tf.tanh(x * row + 1.0), x, row) == ["tanh(x * row + 1)"]
        assert fused((x - mean) * row, x, row) == ["(x - mean) * row"]
        both = fused((x * row - block) * 2.0, x, row, block)  # cut at two places: two groups or one
        assert len(both) <= 1
        assert fused((x - column) * 2.0, x, column) == []  # as many rows? nobody knows


@pytest.mark.parametrize("rows", [0, 1, 6, 4000])
def test_results_stay(rows: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 33)).astype("f")
    w = rng.normal(size=33).astype("f")
    x[:1, :3] = np.nan, np.inf, -np.inf

    def build(x: Any, w: Any) -> Any:
        y = tf.nn.sigmoid(tf.nn.bias_add(x, w)) * tf.tanh(x) + tf.where(x > w + 0 * x, x, -x)
        return [y, *tf.gradients(tf.reduce_sum(y), [x, w])]

    compare(build, x, w, shapes=[[None, 33], [33]])
    compare(build, x.astype("d"), w.astype("d"))


ACTIVATIONS = (
    "relu relu6 elu selu softplus softsign leaky_relu sigmoid tanh swish".split()
)  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_and_their_gradients(name: str) -> None:
    x = np.random.default_rng(0).normal(scale=3, size=(3000, 50)).astype("f")

    def build(x: Any) -> Any:
        y = getattr(tf.nn, name)(x * 1.5 + 0.25)
        return [y, *tf.gradients(y * y, x)]

    compare(build, x)


@pytest.mark.parametrize("shape", [(40, 50), (500, 900)])
def test_functions(shape: tuple) -> None:
    x = np.random.default_rng(0).uniform(0.1, 4, size=shape).astype("f")

    def build(x: Any) -> Any:
        y = tf.maximum(tf.minimum(x, 3.0), 0.5 * x)
        y = tf.pow(y, 3) + tf.rsqrt(x) - tf.log1p(x) / tf.log(x + 1.5) + tf.floor(x)
        y = tf.add_n([y, x, tf.erf(x)]) * tf.cast(
            tf.logical_and(x > 1, tf.not_equal(x, 2)), tf.float32
        )
        y = tf.squared_difference(y, x) + tf.abs(-y) * tf.sign(x - 2) + tf.expm1(-x)
        return [y, *tf.gradients(y, x)]

    compare(build, x)


def test_dropout_is_one_program() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 128], name="x")
        (text,) = fused(tf.nn.dropout(tf.nn.relu(x), rate=0.5), x)
        assert "maximum(x, 0)" in text and ">=" in text


def test_sizes_that_do_not_agree_name_the_operation() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 128], name="x")
        y = tf.placeholder(tf.float32, [None, 128], name="y")
        z = tf.tanh(tf.add(x * 2.0, y, name="sum"), name="z")
        assert fused(z, x, y) == ["tanh(x * 2 + y)"]
        a, b = np.ones((4, 128), "f"), np.ones((3, 128), "f")
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(z, {x: a, y: b})
        assert "Incompatible shapes: [4,128] vs. [3,128]" in caught.value.message
        assert "[[node sum" in caught.value.message
        assert caught.value.op.name == "sum"
        assert sess.run(z, {x: a, y: b[:1]}).shape == (4, 128)  # a row is spread after all
        assert sess.run(z, {x: a[:1], y: b}).shape == (3, 128)


def test_feeds_constants_and_variables_are_not_written_over() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(np.ones((600, 700), "f"))
        x = tf.placeholder(tf.float32, [600, 700])
        c = tf.constant(np.full((600, 700), 2, "f"))
        y = tf.sqrt(v * x + c) * c - v
        sess.run(v.initializer)
        fed = np.full((600, 700), 7, "f")
        results = [sess.run([y, v], {x: fed}) for _ in range(3)]
        for each, kept in results:
            np.testing.assert_allclose(each, 5, rtol=1e-6)
            assert (kept == 1).all()
        assert (fed == 7).all()


def test_buffers_that_nobody_reads_again_are_written_over() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [600, 700], name="x")
        hidden = tf.matmul(x, tf.zeros([700, 700]), name="hidden")
        text = program(tf.exp(hidden * 2.0) + 1.0, [x])
        assert "fused(hidden, out=hidden)" in text


def test_bodies_of_loops_are_fused_too() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [40, 50], name="x")
        last = tf.while_loop(
            lambda i, a: i < 5, lambda i, a: [i + 1, tf.tanh(a * 0.5 + x)], [0, tf.zeros([40, 50])]
        )[1]
        assert len(fused(last, x)) == 1
        value = np.zeros((40, 50), "f")
        fed = np.random.default_rng(0).normal(size=(40, 50)).astype("f")
        for _ in range(5):
            value = np.tanh(value * 0.5 + fed)
        np.testing.assert_allclose(sess.run(last, {x: fed}), value, rtol=1e-5, atol=1e-6)


def test_programs_that_are_equal_are_made_once() -> None:
    elementwise.function.cache_clear()
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [40, 50])
        for _ in range(20):
            x = tf.tanh(tf.matmul(x, tf.zeros([50, 50])) * 0.5 + 1.0)
        sess.explain(x, [x.graph.get_operations()[0].outputs[0]])
    assert elementwise.function.cache_info().misses == 1


def test_graphs_of_a_partition_and_traces_hold_fused_nodes() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [40, 50])
        y = tf.tanh(x * 0.5 + 1.0, name="y")
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        metadata = tf.RunMetadata()
        sess.run(y, {x: np.zeros((40, 50))}, options, metadata)
        (graph,) = metadata.partition_graphs
        (node,) = [n for n in graph.node if n.op == "_Fused"]
        assert node.name == "y" and b"tanh(x0 * 0.5 + 1)" in graph.SerializeToString()
        names = [each.node_name for each in metadata.step_stats.dev_stats[0].node_stats]
        assert "y" in names


def test_long_programs_have_letters_enough() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [40, 50], name="x")
        y = x
        for _ in range(20):
            y = tf.tanh(y) * y
        (text,) = fused(y, x)
        assert text.count("tanh") == 20 and len(text) < 1000


def test_a_sum_of_very_many_is_not_fused() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [20])
        total = 2.0 * tf.add_n([tf.identity(x) for _ in range(1200)])
        assert sess.run(total, {x: np.ones(20)}).tolist() == [2400.0] * 20


def test_each_line_tells_its_operations_and_each_operation_what_computes_it(sess) -> None:
    x = tf.placeholder(tf.float32, [64], name="x")
    scale = tf.exp(tf.constant(1.0), name="scale")
    y = tf.tanh(tf.multiply(x, scale, name="m"), name="y")
    stages = sess.explain(y, [x]).stages
    assert [len(stage.lines) for stage in stages] == [s.source.count("\n") + 1 for s in stages]
    lines = dict(zip(stages[0].source.split("\n"), stages[0].lines))
    assert next(ops for text, ops in lines.items() if "np_tanh" in text) == ("y",)
    assert stages[0].ops["scale"][0] == "Exp"
    fused = next(stage for stage in stages if stage.name == "fuse_elementwise")
    before = stages[stages.index(fused) - 1]
    assert before.ops["scale"][0] == "Const"
    kinds = {name: kind for name, (kind, _) in fused.ops.items()}
    assert kinds == {"x": "_Arg", "m": "_Fused", "y": "_Fused"}
    rows = [(row.mark, row.ops) for row in fused.since(before) if row.mark]
    assert rows == [("-", ("m",)), ("-", ("y",)), ("+", ("m", "y"))]
    assert not any(row.mark for row in stages[0].since(None))
