"""An LSTM cell and its gradient as one node each; what is not quite that cell stays as it is."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

cells = tf.nn.rnn_cell
FEEDS = np.random.default_rng(0).normal(size=(5, 4, 3)).astype(np.float32)


def training(cell: Any, rnn: str, batch: int | None = None, lengths: Any = None) -> tuple:
    """A loss of a recurrent network over 4 steps, its gradients, and its placeholder."""
    x = tf.placeholder(tf.float32, [batch, 4, 3], name="x")
    if rnn == "static":
        outputs, state = tf.nn.static_rnn(
            cell, tf.unstack(x, 4, 1), dtype=tf.float32, sequence_length=lengths
        )
    else:
        outputs, state = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
        outputs = tf.unstack(outputs, 4, 1)
    loss = tf.add_n([tf.reduce_sum(tf.square(o)) * (k + 1) for k, o in enumerate(outputs)])
    loss += sum(tf.reduce_sum(tf.sin(s)) for s in tf.contrib.framework.nest.flatten(state))
    return [loss, *tf.gradients(loss, [x, *tf.trainable_variables()])], x


def values_at(level: int, build: Any) -> list[Any]:
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = level
    with tf.Graph().as_default():
        tf.set_random_seed(4)
        fetches, x = build()
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(fetches, {x: FEEDS})


def program(build: Any) -> str:
    with tf.Graph().as_default():
        fetches, x = build()
        with tf.Session() as sess:
            return sess.explain(fetches, [x]).program


def count(text: str, word: str) -> int:
    return sum(f"# {word} " in line for line in text.splitlines())


@pytest.mark.parametrize("kind", [cells.LSTMCell, cells.BasicLSTMCell])
@pytest.mark.parametrize("rnn,times", [("static", 4), ("dynamic", 1)])
@pytest.mark.parametrize("batch", [None, 5])
def test_each_step_becomes_one_node_and_one_for_its_gradient(
    kind: Any, rnn: str, times: int, batch: int | None
) -> None:
    def build() -> tuple:
        return training(kind(6), rnn, batch)

    text = program(build)
    assert count(text, "_LSTMCell") == count(text, "_LSTMCellGrad") == times
    assert count(text, "Sigmoid") == count(text, "Split") == count(text, "TanhGrad") == 0
    for fused, plain in zip(values_at(1, build), values_at(0, build), strict=True):
        np.testing.assert_allclose(fused, plain, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("rnn", ["static", "dynamic"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: cells.LSTMCell(6, use_peepholes=True),
        lambda: cells.LSTMCell(6, cell_clip=0.1),
        lambda: cells.LSTMCell(6, activation=tf.nn.relu),
    ],
)
def test_other_cells_are_left_alone(rnn: str, make: Any) -> None:
    def build() -> tuple:
        return training(make(), rnn)

    assert count(program(build), "_LSTMCell") == 0
    for one, other in zip(values_at(1, build), values_at(0, build), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("rnn", ["static", "dynamic"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: cells.LSTMCell(6, num_proj=2),
        lambda: cells.LSTMCell(6, state_is_tuple=False),
        lambda: cells.MultiRNNCell([cells.LSTMCell(6), cells.BasicLSTMCell(2)]),
        lambda: cells.DropoutWrapper(cells.LSTMCell(6), input_keep_prob=1.0),
    ],
)
def test_around_the_cell_there_may_be_anything(rnn: str, make: Any) -> None:
    def build() -> tuple:
        return training(make(), rnn, lengths=[0, 4, 2, 1, 4])

    assert count(program(build), "_LSTMCell") >= 1
    for fused, plain in zip(values_at(1, build), values_at(0, build), strict=True):
        np.testing.assert_allclose(fused, plain, rtol=2e-5, atol=2e-6)


def test_a_state_that_is_stretched_over_the_batch_gets_the_sum_of_its_gradients() -> None:
    def build() -> tuple:
        x = tf.placeholder(tf.float32, [None, 4, 3], name="x")
        c = tf.placeholder_with_default(np.full([1, 6], 0.3, np.float32), [None, 6])
        h = tf.zeros([tf.shape(x)[0], 6])
        _, state = cells.LSTMCell(6)(x[:, 0], (c, h))
        return [state, *tf.gradients([tf.square(state.c), state.h], [c, x])], x

    assert count(program(build), "_LSTMCellGrad") == 1
    fused, plain = values_at(1, build), values_at(0, build)
    assert fused[1].shape == (1, 6)
    for one, other in zip((*fused[0], *fused[1:]), (*plain[0], *plain[1:]), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def test_a_gate_that_somebody_looks_at_keeps_the_cell_as_it_is_or_comes_out_of_it() -> None:
    def build(looked_at: str) -> tuple:
        x = tf.placeholder(tf.float32, [None, 4, 3], name="x")
        cell = cells.LSTMCell(6, name="cell")
        output, _ = cell(x[:, 0], cell.zero_state(5, tf.float32))
        return [output, tf.get_default_graph().get_tensor_by_name(looked_at)], x

    for name, fused in (("cell/Sigmoid_1:0", 1), ("cell/split:1", 0), ("cell/mul:0", 0)):
        assert count(program(lambda name=name: build(name)), "_LSTMCell") == fused
        one, other = (values_at(level, lambda name=name: build(name)) for level in (1, 0))
        np.testing.assert_allclose(one[0], other[0], atol=2e-6)
        np.testing.assert_allclose(one[1], other[1], atol=2e-6)


def test_second_derivatives_still_work() -> None:
    def build() -> tuple:
        x = tf.placeholder(tf.float32, [None, 4, 3], name="x")
        outputs, _ = tf.nn.dynamic_rnn(cells.LSTMCell(3), x, dtype=tf.float32)
        (slope,) = tf.gradients(tf.reduce_sum(tf.square(outputs)), x)
        return [slope, *tf.gradients(tf.reduce_sum(tf.square(slope)), x)], x

    for fused, plain in zip(values_at(1, build), values_at(0, build), strict=True):
        np.testing.assert_allclose(fused, plain, rtol=2e-4, atol=2e-5)


def test_inference_keeps_no_gates() -> None:
    def build() -> tuple:
        x = tf.placeholder(tf.float32, [None, 4, 3], name="x")
        return tf.nn.dynamic_rnn(cells.LSTMCell(6), x, dtype=tf.float32)[0], x

    assert count(program(build), "_LSTMCell") == 1
    np.testing.assert_allclose(values_at(1, build), values_at(0, build), atol=2e-6)


def test_a_state_that_a_variable_keeps_is_read_before_it_is_written() -> None:
    def run(level: int) -> list[Any]:
        config = tf.ConfigProto()
        config.graph_options.optimizer_options.opt_level = level
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            tf.set_random_seed(4)
            x = tf.placeholder(tf.float32, [5, 4, 3])
            kept = [tf.Variable(tf.zeros([5, 6]), trainable=False) for _ in range(2)]
            outputs, state = tf.nn.dynamic_rnn(
                cells.LSTMCell(6), x, initial_state=cells.LSTMStateTuple(*kept)
            )
            keep = tf.group(*[v.assign(s) for v, s in zip(kept, state, strict=True)])
            sess.run(tf.global_variables_initializer())
            return [sess.run([outputs, keep], {x: FEEDS})[0] for _ in range(3)]

    fused, plain = run(1), run(0)
    assert not np.allclose(fused[0], fused[1])
    np.testing.assert_allclose(fused, plain, rtol=2e-5, atol=2e-6)
