"""Buffers that are written over: a plan with many ops gives what each op gives on its own."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops.elementwise import broadcast_like


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


Shape = tuple[int, ...]
Step = tuple[Callable[..., Any], Callable[[Shape], Any], Callable[[Shape], bool]]


def _halves(x: Any, y: Any) -> Any:
    return tf.split(x, 2, 0)[1] * 2.0


STEPS: list[Step] = [  # what it makes of two tensors of one shape, and where it can
    (lambda x, y: x + y, lambda s: s, lambda s: True),
    (lambda x, y: x * y, lambda s: s, lambda s: True),
    (lambda x, y: x - tf.tanh(y), lambda s: s, lambda s: True),
    (lambda x, y: tf.nn.relu(x), lambda s: s, lambda s: True),
    (lambda x, y: tf.identity(x), lambda s: s, lambda s: True),
    (lambda x, y: tf.transpose(x), lambda s: s[::-1], lambda s: True),
    (lambda x, y: tf.maximum(x, x[::-1]), lambda s: s, lambda s: True),
    (lambda x, y: x[1:], lambda s: (s[0] - 1, *s[1:]), lambda s: s[0] > 1),
    (lambda x, y: tf.expand_dims(x, 0)[0], lambda s: s, lambda s: True),
    (lambda x, y: tf.concat([x, y], 0), lambda s: (2 * s[0], *s[1:]), lambda s: s[0] < 20),
    (_halves, lambda s: (s[0] // 2, *s[1:]), lambda s: s[0] % 2 == 0),
    (lambda x, y: tf.reshape(x, [-1]), lambda s: (int(np.prod(s)),), lambda s: True),
    (lambda x, y: tf.reduce_sum(x, 0) * 0.1, lambda s: s[1:], lambda s: len(s) == 2),
    (lambda x, y: x + tf.reduce_mean(y, 0), lambda s: s, lambda s: len(s) == 2),
    (lambda x, y: tf.nn.bias_add(x, y[0]), lambda s: s, lambda s: len(s) == 2),
    (lambda x, y: tf.nn.softmax(x), lambda s: s, lambda s: len(s) == 2),
    (lambda x, y: tf.matmul(x, y, transpose_b=True) * 0.1, lambda s: (s[0], s[0]),
     lambda s: len(s) == 2 and s[0] < 20),
    (lambda x, y: tf.where(x > y, x, y), lambda s: s, lambda s: True),
]  # fmt: skip


def _random_graph(rng: np.random.Generator) -> tuple[dict, list[tuple[Any, Shape]], list[Any]]:
    """Feeds, tensors with their shapes, and variables."""
    size: Shape = (int(rng.integers(2, 6)), int(rng.integers(2, 6)))
    declared = [s if rng.random() < 0.6 else None for s in size]
    feeds = {
        tf.placeholder(tf.float32, declared): rng.normal(size=size).astype(np.float32)
        for _ in range(2)
    }
    variables = [  # whose reads are kept when they are updated
        tf.Variable(rng.normal(size=size).astype(np.float32), use_resource=True) for _ in range(2)
    ]
    pool = [(tensor, size) for tensor in [*feeds, *(v.read_value() for v in variables)]]
    pool.append((tf.constant(rng.normal(size=size).astype(np.float32)), size))
    for _ in range(int(rng.integers(8, 25))):
        x, shape = pool[rng.integers(max(0, len(pool) - 10), len(pool))]
        alike = [tensor for tensor, own in pool if own == shape]
        compute, result, fits = STEPS[rng.integers(len(STEPS))]
        if fits(shape):
            pool.append((compute(x, alike[rng.integers(len(alike))]), result(shape)))
    root = pool[-1][0]
    sources = [tensor for tensor, _ in pool[:5]]
    slopes = tf.gradients(tf.reduce_sum(root * root), sources)
    pool += [(g, size) for g in slopes if g is not None]
    return feeds, pool, variables


def _op_by_op(sess: Any, feeds: dict, tensors: list[Any]) -> dict[Any, Any]:
    """The value of each tensor, every op computed in a run of its own."""
    needed: set[Any] = set()
    stack = list(tensors)
    while stack:
        tensor = stack.pop()
        if tensor not in needed:
            needed.add(tensor)
            stack += tensor.op.inputs
    values = dict(feeds)
    for op in sess.graph.get_operations():
        for output in op.outputs:
            if output in needed and output not in values and op.type != "VariableV2":
                values[output] = sess.run(output, {i: values[i] for i in op.inputs if i in values})
    return values


@pytest.mark.parametrize("seed", range(40))
def test_one_run_gives_what_op_by_op_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    with tf.Session() as sess:
        feeds, pool, variables = _random_graph(rng)
        tensors = list(dict.fromkeys(tensor for tensor, _ in pool))
        target = next(tensor for tensor, shape in reversed(pool) if shape == pool[0][1])
        with tf.control_dependencies(tensors):
            update = variables[0].assign_add(target)
        sess.run(tf.global_variables_initializer())
        before = sess.run(variables)
        fed = {tensor: value.copy() for tensor, value in feeds.items()}
        values = _op_by_op(sess, feeds, tensors)
        chosen = [tensors[i] for i in rng.permutation(len(tensors))[: rng.integers(1, 20)]]
        for fetches in (chosen, [*chosen, update.op]):
            for tensor, got in zip(chosen, sess.run(fetches, feeds), strict=False):
                np.testing.assert_allclose(got, values[tensor], 1e-3, 1e-3, err_msg=tensor.name)
                got[...] = np.nan  # what is fetched is the caller's own
        for tensor, value in feeds.items():
            np.testing.assert_array_equal(value, fed[tensor])
        first, second = sess.run(variables)
        np.testing.assert_allclose(first, before[0] + values[target], 1e-3, 1e-3)
        np.testing.assert_array_equal(second, before[1])


def test_a_gradient_that_broadcasts_does_not_fit_into_its_own_buffer() -> None:
    """Both static shapes are [?, 3], and only one of the arrays is large enough."""
    x = tf.placeholder(tf.float32, [None, 3])
    like = tf.placeholder(tf.float32, [None, 3])
    spread = broadcast_like(x * 2.0, like, keep_dims=True)
    with tf.Session() as sess:
        for rows in (1, 5):
            got = sess.run(spread, {x: np.ones((1, 3)), like: np.zeros((rows, 3))})
            np.testing.assert_array_equal(got, np.full((rows, 3), 2.0))


def test_a_folded_constant_still_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What depends on a constant made under control dependencies waits for them too."""
    monkeypatch.setenv("MINITF_SIMULATED_GPUS", "1")
    with tf.device("/cpu:0"):
        variable = tf.Variable([1.0, 2.0])
        fed = tf.placeholder(tf.float32, [2])
    with tf.device("/gpu:0"):
        far = tf.tanh(fed)
    with tf.device("/cpu:0"):
        with tf.control_dependencies([variable.assign(far)]):
            constant = tf.constant([1.0, 1.0])
        folded = constant + 1.0
        with tf.control_dependencies([folded]):
            after = variable.read_value()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got = sess.run([after, folded], {fed: [0.0, 0.0]})
        assert [value.tolist() for value in got] == [[0.0, 0.0], [2.0, 2.0]]
