"""Optimizers: the path the variables take, names, slots, collections, errors.

The values after 20 steps are those of TensorFlow 2.15.1's optimizers of the same name.
"""

from collections.abc import Callable
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


@pytest.mark.parametrize(
    ("make", "weights", "biases", "final"),
    [
        (
            lambda: tf.train.GradientDescentOptimizer(0.1),
            [0.5706025, -1.330404, 0.03501653, 0.6118558], [0.4091491, -0.04597681], 0.364084,
        ),
        (
            lambda: tf.train.AdamOptimizer(0.1),
            [0.4372557, -1.102131, 0.08918303, 1.177185], [0.5929691, -0.2529684], 0.8242577,
        ),
        (
            lambda: tf.train.AdamOptimizer(0.1, 0.8, 0.9, 1e-4),
            [0.4814495, -1.164826, 0.03695837, 1.146047], [0.3754607, -0.1106598], 0.7571421,
        ),
        (
            lambda: tf.train.MomentumOptimizer(0.02, 0.9),
            [0.420333, -1.06339, -0.09254584, -0.1318684], [0.4160601, 0.2182896], 0.268284,
        ),
        (
            lambda: tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True),
            [0.4392675, -0.9941044, -0.04729276, -0.01813953], [0.4316278, 0.2809356], 0.1492413,
        ),
        (
            lambda: tf.train.AdagradOptimizer(0.5),
            [0.4571352, -0.7958156, 0.05714894, 0.4757188], [0.428567, 0.252308], 0.1489501,
        ),
        (
            lambda: tf.train.RMSPropOptimizer(0.05),
            [0.5972389, -1.799521, 0.05321552, 1.826487], [0.3909326, -0.56014], 1.889364,
        ),
        (
            lambda: tf.train.RMSPropOptimizer(0.05, momentum=0.5),
            [0.5003985, -1.367378, 0.04020752, 1.037398], [0.4329837, -0.1653118], 0.6672578,
        ),
        (
            lambda: tf.train.RMSPropOptimizer(0.05, centered=True),
            [0.5873789, -1.686337, 0.04535971, 1.380202], [0.3969556, -0.4337347], 1.174488,
        ),
    ],
)  # fmt: skip
def test_twenty_steps(
    make: Callable[[], tf.train.Optimizer],
    weights: list[float],
    biases: list[float],
    final: float,
) -> None:
    W, b, loss = _regression()
    step = make().minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            sess.run(step)
        np.testing.assert_allclose(sess.run(W).ravel(), weights, rtol=2e-5, atol=1e-6)
        np.testing.assert_allclose(sess.run(b), biases, rtol=2e-5, atol=1e-6)
        assert sess.run(loss) == pytest.approx(final, rel=2e-5)


def _names(graph: tf.Graph, *starts: str) -> list[str]:
    return [op.name for op in graph.get_operations() if op.name.startswith(starts)]


def _two_sums() -> tuple[tf.Variable, tf.Variable, tf.Tensor]:
    W, B = tf.Variable([1.0, 2.0], name="W"), tf.Variable([1.0, 2.0], name="B")
    return W, B, tf.reduce_sum(W) + tf.reduce_sum(B)


def test_names_of_gradient_descent(graph: tf.Graph) -> None:
    *_, loss = _two_sums()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert (step.name, step.type) == ("GradientDescent", "NoOp")
    assert _names(graph, "GradientDescent") == [
        "GradientDescent/learning_rate",
        "GradientDescent/update_W/ApplyGradientDescent",
        "GradientDescent/update_B/ApplyGradientDescent",
        "GradientDescent",
    ]
    update = graph.get_operation_by_name("GradientDescent/update_W/ApplyGradientDescent")
    assert [t.name for t in update.inputs][:2] == ["W:0", "GradientDescent/learning_rate:0"]
    assert update.colocation_groups() == [b"loc:@W"]
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [step]


def test_names_with_a_global_step(graph: tf.Graph) -> None:
    *_, loss = _two_sums()
    step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
        loss, global_step=tf.train.get_or_create_global_step()
    )
    assert (step.name, step.type) == ("Momentum", "AssignAdd")
    assert _names(graph, "Momentum") == [
        "Momentum/learning_rate",
        "Momentum/momentum",
        "Momentum/update_W/ApplyMomentum",
        "Momentum/update_B/ApplyMomentum",
        "Momentum/update",
        "Momentum/value",
        "Momentum",
    ]
    assert step.colocation_groups() == [b"loc:@global_step"]


def test_names_of_adam(graph: tf.Graph) -> None:
    W, B, loss = _two_sums()
    optimizer = tf.train.AdamOptimizer()
    step = optimizer.minimize(loss)
    assert step.name == "Adam"
    assert [v.name for v in tf.global_variables()] == [
        "W:0", "B:0", "beta1_power:0", "beta2_power:0",
        "W/Adam:0", "W/Adam_1:0", "B/Adam:0", "B/Adam_1:0",
    ]  # fmt: skip
    assert tf.trainable_variables() == [W, B]
    assert _names(graph, "Adam") == [
        "Adam/learning_rate",
        "Adam/beta1",
        "Adam/beta2",
        "Adam/epsilon",
        "Adam/update_W/ApplyAdam",
        "Adam/update_B/ApplyAdam",
        "Adam/mul",
        "Adam/Assign",
        "Adam/mul_1",
        "Adam/Assign_1",
        "Adam",
    ]
    assert _names(graph, "W/Adam", "beta1") == [
        "beta1_power/initial_value",
        "beta1_power",
        "beta1_power/Assign",
        "beta1_power/read",
        "W/Adam/Initializer/zeros",
        "W/Adam",
        "W/Adam/Assign",
        "W/Adam/read",
        "W/Adam_1/Initializer/zeros",
        "W/Adam_1",
        "W/Adam_1/Assign",
        "W/Adam_1/read",
    ]
    for name in ("W/Adam", "W/Adam/Initializer/zeros", "W/Adam/Assign", "W/Adam/read"):
        assert graph.get_operation_by_name(name).colocation_groups() == [b"loc:@W"]
    assert graph.get_operation_by_name("beta1_power").colocation_groups() == [b"loc:@B"]
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(W, "m").name == "W/Adam:0"
    assert optimizer.get_slot(B, "v").name == "B/Adam_1:0"
    assert optimizer.get_slot(B, "other") is None
    assert [v.name for v in optimizer.variables()] == [
        "B/Adam:0", "B/Adam_1:0", "W/Adam:0", "W/Adam_1:0", "beta1_power:0", "beta2_power:0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "slots"),
    [
        (lambda: tf.train.AdagradOptimizer(0.1), {"accumulator": "W/Adagrad:0"}),
        (
            lambda: tf.train.RMSPropOptimizer(0.1),
            {"momentum": "W/RMSProp_1:0", "rms": "W/RMSProp:0"},
        ),
        (
            lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
            {"mg": "W/RMSProp_1:0", "momentum": "W/RMSProp_2:0", "rms": "W/RMSProp:0"},
        ),
        (lambda: tf.train.MomentumOptimizer(0.1, 0.9), {"momentum": "W/Momentum:0"}),
    ],
)
def test_names_of_slots(make: Callable[[], tf.train.Optimizer], slots: dict[str, str]) -> None:
    W, _, loss = _two_sums()
    optimizer = make()
    optimizer.minimize(loss)
    assert {n: optimizer.get_slot(W, n).name for n in optimizer.get_slot_names()} == slots


def test_slots_are_made_once_for_one_optimizer() -> None:
    W, B, loss = _two_sums()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(loss)
    optimizer.minimize(2.0 * loss)
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    assert [v.name for v in tf.global_variables()] == [
        "W:0", "B:0", "W/Momentum:0", "B/Momentum:0", "W/Momentum_1:0", "B/Momentum_1:0",
    ]  # fmt: skip


def test_a_constraint_is_applied_after_the_update() -> None:
    v = tf.Variable(1.0, constraint=lambda value: tf.maximum(value, 0.5))
    step = tf.train.GradientDescentOptimizer(10.0).minimize(v * 1.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        sess.run(step)
        assert sess.run(v) == 0.5


def test_gradients_can_be_changed_before_they_are_applied() -> None:
    W, b, loss = _regression()
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(loss)
    assert [variable for _, variable in pairs] == [W, b]
    clipped = [(tf.clip_by_value(g, -0.1, 0.1), v) for g, v in pairs]
    step = optimizer.apply_gradients(clipped, name="train")
    assert step.name == "train"
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(W)
        sess.run(step)
        assert abs(sess.run(W) - before).max() == pytest.approx(0.1)


def test_var_list_and_learning_rates() -> None:
    W, B, _ = _two_sums()
    loss = tf.reduce_sum(W * B)
    rate = tf.placeholder(tf.float32, [])
    step = tf.train.GradientDescentOptimizer(rate).minimize(loss, var_list=[B])
    called = tf.train.GradientDescentOptimizer(lambda: 0.5).minimize(loss, var_list=[B])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step, {rate: 1.0})
        assert sess.run([W, B])[0].tolist() == [1.0, 2.0]
        assert sess.run(B).tolist() == [0.0, 0.0]
        sess.run(called)
        assert sess.run(B).tolist() == [-0.5, -1.0]


@pytest.mark.parametrize("gate", ["GATE_NONE", "GATE_OP", "GATE_GRAPH"])
def test_gates(gate: str) -> None:
    W, b, loss = _regression()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    step = optimizer.minimize(loss, gate_gradients=getattr(optimizer, gate))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            sess.run(step)
        assert sess.run(loss) == pytest.approx(0.364084, rel=2e-5)
    with pytest.raises(ValueError, match="^gate_gradients must be one of: Optimizer.GATE_NONE"):
        optimizer.minimize(loss, gate_gradients=5)


def test_float64() -> None:
    w = tf.Variable(2.0, dtype=tf.float64)
    step = tf.train.AdamOptimizer(0.1).minimize(w * w)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        assert sess.run(w).dtype == np.float64
        assert sess.run(w) == pytest.approx(1.9, abs=1e-6)


def test_errors() -> None:
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="^No variables to optimize.$"):
        optimizer.minimize(tf.constant(1.0))
    v = tf.Variable(1.0, name="v")
    with pytest.raises(ValueError) as caught:
        optimizer.minimize(tf.constant(1.0))
    assert str(caught.value) == (
        "No gradients provided for any variable, check your graph for ops that do not support "
        "gradients, between variables [\"<tf.Variable 'v:0' shape=() dtype=float32_ref>\"] and "
        'loss Tensor("Const_1:0", shape=(), dtype=float32).'
    )
    with pytest.raises(ValueError, match="^No variables provided.$"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="^No gradients provided for any variable: "):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(
        ValueError, match=r"^Invalid type tf.int32 for Cast:0, expected: \[tf.float"
    ):
        optimizer.minimize(tf.cast(v, tf.int32))
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


# ---- optimizers of one's own -------------------------------------------------------------


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
