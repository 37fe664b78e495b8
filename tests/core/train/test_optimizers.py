"""Optimizers: slots, errors, the global step, optimizers of one's own. Cases compare the values."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph import op_def as op_defs
from minitf.core.kernels.table import TABLE
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Rule


def _regression() -> tuple[tf.Variable, tf.Variable, tf.Tensor]:
    W = tf.Variable([[1.0, -2.0], [0.5, 3.0]], name="W")
    b = tf.Variable([0.5, -0.5], name="b")
    x = tf.constant([[1.0, 2.0], [-1.0, 0.5], [0.25, -0.75]])
    y = tf.constant([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    return W, b, tf.reduce_mean(tf.square(tf.matmul(x, W) + b - y))


def _two_sums() -> tuple[tf.Variable, tf.Variable, tf.Tensor]:
    W, B = tf.Variable([1.0, 2.0], name="W"), tf.Variable([1.0, 2.0], name="B")
    return W, B, tf.reduce_sum(W) + tf.reduce_sum(B)


def test_slots_are_made_once_for_one_optimizer() -> None:
    W, B, loss = _two_sums()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(loss)
    optimizer.minimize(2.0 * loss)
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    assert [v.name for v in tf.global_variables()] == [
        "W:0", "B:0", "W/Momentum:0", "B/Momentum:0", "W/Momentum_1:0", "B/Momentum_1:0",
    ]  # fmt: skip


def test_errors() -> None:
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    v = tf.Variable(1.0, name="v")
    with pytest.raises(NotImplementedError, match="unsupported type"):
        optimizer.compute_gradients(v * 1.0, var_list=["v"])
    with pytest.raises(ValueError, match="^initial_accumulator_value must be positive: 0.0$"):
        tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0)
    with pytest.raises(ValueError, match="^Must specify the optimizer name$"):
        tf.train.GradientDescentOptimizer(0.1, name="")


def test_the_variables_may_be_a_view_of_a_dictionary() -> None:
    weights = {"b": tf.Variable(1.0), "a": tf.Variable(2.0)}
    loss = weights["a"] * weights["b"]
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=weights.values())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        np.testing.assert_allclose(sess.run([weights["b"], weights["a"]]), [0.8, 1.9])
    assert tf.contrib.framework.nest.flatten(weights.keys()) == ["b", "a"]


def test_an_optimizer_is_a_formula_and_a_rule() -> None:
    @update("ApplyLion", "var m", "lr beta1 beta2 grad")
    def apply_lion(xp: Any, w: Any, m: Any, g: Any, lr: Any, beta1: Any, beta2: Any) -> None:
        """var -= lr * sign(beta1 * m + (1 - beta1) * grad); m follows grad by beta2."""
        w -= lr * xp.sign(beta1 * m + (1 - beta1) * g)
        m *= beta2
        m += (1 - beta2) * g

    class LionOptimizer(tf.train.Optimizer):
        def __init__(
            self, learning_rate: Any, beta1: Any = 0.9, beta2: Any = 0.99, name: str = "Lion"
        ) -> None:
            super().__init__(False, name)
            self._learning_rate, self._beta1, self._beta2 = learning_rate, beta1, beta2
            self._rule = Rule(apply_lion, ("learning_rate", "beta1", "beta2"), {"m": 0.0})

    W, b, loss = _regression()
    table = tf.Variable([[1.0], [2.0], [3.0]], name="table")
    loss += tf.reduce_sum(tf.gather(table, [0, 2, 0]))
    optimizer = LionOptimizer(0.25)
    step = optimizer.minimize(loss)
    assert [optimizer.get_slot(v, "m").name for v in (W, table)] == ["W/Lion:0", "table/Lion:0"]
    gradient = tf.gradients(loss, W)[0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before, slope = sess.run([W, gradient])
        sess.run(step)
        np.testing.assert_allclose(sess.run(W), before - 0.25 * np.sign(slope))
        np.testing.assert_allclose(sess.run(optimizer.get_slot(W, "m")), 0.01 * slope, rtol=1e-5)
        assert sess.run(table).ravel().tolist() == [0.75, 2.0, 2.75]
        assert sess.run(optimizer.get_slot(table, "m")).ravel() == pytest.approx([0.02, 0.0, 0.01])
    for op_def in (apply_lion.dense, apply_lion.sparse):
        del op_defs._OP_DEFS[op_def.type]
    del TABLE["apply_lion"]


class _Written(tf.train.Optimizer):
    """An optimizer in TensorFlow's operations, as programs of 2017 have them."""

    def __init__(self, rate: float) -> None:
        super().__init__(False, "Written")
        self._lr = rate

    def _create_slots(self, var_list: list) -> None:
        for v in var_list:
            self._zeros_slot(v, "count", self._name)

    def _prepare(self) -> None:
        self._lr_t = tf.convert_to_tensor(self._call_if_callable(self._lr), name="lr")

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        count = self.get_slot(var, "count").assign_add(tf.ones_like(grad))
        return tf.group(tf.assign_sub(var, self._lr_t * grad), count)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return tf.scatter_sub(var, grad.indices, self._lr_t * grad.values)


def test_an_optimizer_written_in_operations() -> None:
    w, table = tf.Variable([1.0, 2.0]), tf.Variable([[1.0], [2.0], [3.0]])
    loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(table, [0, 2, 0]))
    optimizer = _Written(lambda: 0.5)
    step = optimizer.minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        assert sess.run([w, table])[0].tolist() == [0.0, 0.0]
        assert sess.run(table).ravel().tolist() == [0.0, 2.0, 2.5]
        assert sess.run(optimizer.get_slot(w, "count")).tolist() == [1.0, 1.0]


def test_resource_variables_have_methods_of_their_own() -> None:
    class Resources(_Written):
        def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
            return handle.assign_sub(10.0 * grad)

        def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
            return handle.scatter_sub(tf.IndexedSlices(10.0 * grad, indices))

    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    table = tf.get_variable("t", initializer=[[1.0], [2.0], [3.0]], use_resource=True)
    other = tf.Variable([1.0])
    loss = tf.reduce_sum(w) + tf.reduce_sum(tf.gather(table, [0, 2, 0])) + tf.reduce_sum(other)
    step = Resources(0.5).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        assert [v.tolist() for v in sess.run([w, other])] == [[-9.0, -8.0], [0.5]]
        assert sess.run(table).ravel().tolist() == [-19.0, 2.0, -7.0]


def test_a_subclass_changes_what_an_optimizer_prepares() -> None:
    class HalfRate(tf.train.AdamOptimizer):
        def _prepare(self) -> None:
            super()._prepare()
            self._lr_t = self._lr_t * 0.5

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return super()._apply_dense(2.0 * grad, var)

    w = tf.Variable(2.0)
    optimizer = HalfRate(0.1)
    step = optimizer.minimize(w * w)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        assert sess.run([w, optimizer._lr_t]) == pytest.approx([1.95, 0.05], rel=1e-5)
        assert sess.run(optimizer.get_slot(w, "m")) == pytest.approx(0.8)
    with pytest.raises(NotImplementedError):
        tf.train.Optimizer(False, "Empty").minimize(w * w)


def test_a_slot_of_a_variable_of_unknown_shape() -> None:
    first = tf.placeholder_with_default([1.0, 2.0], [None])
    w = tf.Variable(first, validate_shape=False, name="w")
    made = [
        tf.train.AdagradOptimizer(0.1, 0.5),
        tf.train.RMSPropOptimizer(0.1),
        tf.train.MomentumOptimizer(0.1, 0.5),
    ]
    for optimizer in made:
        optimizer.minimize(tf.reduce_sum(w * w))
    slots = [o.get_slot(w, n) for o, n in zip(made, ("accumulator", "rms", "momentum"))]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [v.tolist() for v in sess.run(slots)] == [[0.5, 0.5], [1.0, 1.0], [0.0, 0.0]]


def test_it_is_found_by_name_and_must_be_an_integer_scalar() -> None:
    counter = tf.Variable(0, name="global_step", trainable=False)
    assert tf.train.get_global_step() is counter.graph.get_tensor_by_name("global_step:0")
    with pytest.raises(TypeError, match='^Existing "global_step" does not have integer type: '):
        tf.train.assert_global_step(tf.Variable(1.0))
    with pytest.raises(TypeError, match='^Existing "global_step" is not scalar: '):
        tf.train.assert_global_step(tf.Variable([1, 2]))
    with pytest.raises(
        TypeError, match='^Existing "global_step" must be a Variable or Tensor: 3.$'
    ):
        tf.train.assert_global_step(3)
