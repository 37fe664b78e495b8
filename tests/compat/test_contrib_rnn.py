from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf

rnn, cudnn = (tf.contrib.rnn,)
HALF = tf.constant_initializer(0.5)
ROWS = [[1.0] * 4, [2.0] * 4, [3.0] * 4]


def _run(build: Callable[[], Any], initializer: Any = None) -> tuple[Any, list[str]]:
    """What a program computes, and the names of its variables."""
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("root", initializer=initializer):
            made = build()
        sess.run(tf.global_variables_initializer())
        names = [v.op.name.removeprefix("root/") for v in tf.global_variables()]
        return sess.run(made), names


def test_coupled_gates() -> None:
    def build() -> Any:
        cell = rnn.CoupledInputForgetGateLSTMCell(2, state_is_tuple=False)
        return cell(tf.constant(ROWS), 0.1 * tf.ones([3, 4]))

    (output, state), names = _run(build, HALF)
    expected = [[0.121753] * 2, [0.103349] * 2, [0.100178] * 2]
    np.testing.assert_allclose(output, expected, atol=1e-6)
    np.testing.assert_allclose(state[0], [0.137523, 0.137523, 0.121753, 0.121753], atol=1e-6)
    scope = "coupled_input_forget_gate_lstm_cell"
    assert names == [f"{scope}/W_0", f"{scope}/B"]


def test_grid_of_time_and_frequency() -> None:
    def build() -> Any:
        cell = rnn.GridLSTMCell(
            2, feature_size=2, frequency_skip=1, num_frequency_blocks=[3],
            couple_input_forget_gates=True,
        )  # fmt: skip
        state = cell.state_tuple_type(*[0.1 * tf.ones([3, 2])] * 6)
        return cell(tf.constant(ROWS), state)

    (output, state), _ = _run(build, HALF)
    first = [0.416383, 0.403238, 0.524020, 0.565425, 0.557865, 0.609699]
    np.testing.assert_allclose(output[0], np.repeat(first, 2), atol=1e-6)
    np.testing.assert_allclose(state.state_f02_b00_c[2], [0.980245] * 2, atol=1e-6)


def test_grid_in_both_directions() -> None:
    def build() -> Any:
        cell = rnn.BidirectionalGridLSTMCell(
            2, feature_size=2, share_time_frequency_weights=True, frequency_skip=1,
            num_frequency_blocks=[3],
        )  # fmt: skip
        state = cell.state_tuple_type(*[0.1 * tf.ones([3, 2])] * 12)
        rows = tf.constant([[n + part / 10 for part in range(4)] for n in (1.0, 2.0, 3.0)])
        return cell(rows, state)

    (output, _), names = _run(build, HALF)
    forwards = [0.464130, 0.419165, 0.593283, 0.738350, 0.661638, 0.866774]
    backwards = [0.520789, 0.476968, 0.604341, 0.760207, 0.635773, 0.850218]
    np.testing.assert_allclose(output[0], np.repeat(forwards + backwards, 2), atol=1e-6)
    assert [name.split("/")[1] for name in names] == ["fwd", "fwd", "bwd", "bwd"]


CELLS = {
    "ugrnn_cell": (lambda: rnn.UGRNNCell(3), ["kernel", "bias"]),
    "sru_cell": (lambda: rnn.SRUCell(3), ["kernel", "bias"]),
    "nas_cell": (
        lambda: rnn.NASCell(3, num_proj=2),
        ["recurrent_kernel", "kernel", "projection_weights"],
    ),
    "ind_rnn_cell": (lambda: rnn.IndRNNCell(3), ["kernel_w", "kernel_u", "bias"]),
    "indy_lstm_cell": (lambda: rnn.IndyLSTMCell(3), ["kernel_w", "kernel_u", "bias"]),
    "indy_gru_cell": (
        lambda: rnn.IndyGRUCell(3),
        [
            "gates/kernel_w", "gates/kernel_u", "gates/bias", "candidate/kernel",
            "candidate/kernel_u", "candidate/bias",
        ],
    ),
    "glstm_cell": (
        lambda: rnn.GLSTMCell(4, number_of_groups=2),
        ["group0/kernel", "group1/kernel", "bias_i", "bias_j", "bias_f", "bias_o"],
    ),
    "intersection_rnn_cell": (
        lambda: rnn.IntersectionRNNCell(3, num_in_proj=3),
        ["in_projection/kernel", "in_projection/bias", "kernel", "bias"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("scope", CELLS)
def test_a_cell_names_its_variables_and_learns(scope: str) -> None:
    make, parts = CELLS[scope]

    def build() -> Any:
        outputs, _ = tf.nn.dynamic_rnn(make(), tf.ones([2, 5, 4]), dtype=tf.float32)
        slopes = tf.gradients(outputs, tf.trainable_variables())
        assert None not in slopes
        return slopes

    slopes, names = _run(build)
    assert names == [f"rnn/{scope}/{part}" for part in parts]
    assert all(np.isfinite(slope).all() for slope in slopes)


def test_formulas_of_one_state() -> None:
    x, h = np.full([1, 2], 0.5), np.full([1, 2], 0.2)

    def build() -> Any:
        inputs, state = tf.constant(x, tf.float32), tf.constant(h, tf.float32)
        cells = rnn.UGRNNCell(2), rnn.IndRNNCell(2), rnn.SRUCell(2)
        return [cell(inputs, state)[0] for cell in cells]

    (ugrnn, ind, sru), _ = _run(build, HALF)
    gate = 1 / (1 + np.exp(-(0.7 + 1.0)))  # (0.5 + 0.5 + 0.2 + 0.2) / 2, and the forget bias
    np.testing.assert_allclose(ugrnn, gate * h + (1 - gate) * np.tanh(0.7), rtol=1e-6)
    assert ind.shape == (1, 2)
    forget = 1 / (1 + np.exp(-0.5))
    c = forget * 0.2 + (1 - forget) * 0.5
    np.testing.assert_allclose(sru, np.full([1, 2], forget * np.tanh(c) + (1 - forget) * 0.5))


def test_a_phased_cell_rests() -> None:
    def build() -> Any:
        cell = rnn.PhasedLSTMCell(3, use_peepholes=True, leak=0.0, ratio_on=1e-6)
        times = tf.reshape(tf.range(10.0), [2, 5, 1])
        return tf.nn.dynamic_rnn(cell, (times, tf.ones([2, 5, 4])), dtype=tf.float32)

    (outputs, _), names = _run(build)
    assert abs(outputs).max() < 1e-3
    assert names[-3:] == [f"rnn/phased_lstm_cell/{n}" for n in ("period", "phase", "ratio_on")]


def test_convolutions_take_the_place_of_matrices() -> None:
    def build() -> Any:
        cell = rnn.Conv2DLSTMCell(input_shape=[6, 6, 3], output_channels=4, kernel_shape=[3, 3])
        return tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 6, 6, 3]), dtype=tf.float32)

    (outputs, state), names = _run(build)
    assert outputs.shape == (2, 5, 6, 6, 4)
    assert state.c.shape == (2, 6, 6, 4)
    assert names == ["rnn/conv_2d_lstm_cell/kernel", "rnn/conv_2d_lstm_cell/biases"]
    with pytest.raises(ValueError, match="Invalid input_shape"):
        rnn.ConvLSTMCell(2, [6, 3], 4, [3])


def test_wrappers() -> None:
    def build() -> Any:
        x = tf.ones([2, 5, 4])
        highway = rnn.HighwayWrapper(rnn.GRUCell(4), carry_bias_init=100.0)
        back = rnn.AttentionCellWrapper(rnn.GRUCell(4), 3)
        return [tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0] for cell in (highway, back)]

    (highway, back), names = _run(build)
    np.testing.assert_allclose(highway, np.ones([2, 5, 4]))  # all is carried
    assert back.shape == (2, 5, 4)
    assert "rnn/attention_cell_wrapper/attention/attn_w" in names


def test_a_fused_loop_is_the_loop_of_its_cell() -> None:
    def build() -> Any:
        x, lengths = tf.random_normal([5, 2, 4], seed=1), [3, 5]
        fused = rnn.LSTMBlockFusedCell(3, use_peephole=True)
        cell = rnn.LSTMBlockCell(3, use_peephole=True)
        one = fused(x, dtype=tf.float32, sequence_length=lengths)
        other = rnn.FusedRNNCellAdaptor(cell, use_dynamic_rnn=True)(
            x, dtype=tf.float32, sequence_length=lengths
        )
        back = rnn.TimeReversedFusedRNN(fused)(x[::-1], dtype=tf.float32)
        return one, other, back, fused(x, dtype=tf.float32)

    (one, other, back, plain), names = _run(build, HALF)
    np.testing.assert_allclose(one[0], other[0], rtol=1e-5)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-5)
    np.testing.assert_allclose(back[0], plain[0][::-1], rtol=1e-5)
    assert not one[0][3:, 0].any()
    assert names[:2] == ["lstm_fused_cell/kernel", "lstm_fused_cell/bias"]


def test_layers_in_both_directions_over_a_list() -> None:
    def build() -> Any:
        cells = [[rnn.GRUCell(3), rnn.GRUCell(3)] for _ in range(2)]
        return rnn.stack_bidirectional_rnn(*cells, [tf.ones([2, 4])] * 3, dtype=tf.float32)

    (outputs, forwards, _), names = _run(build)
    assert len(outputs) == 3
    assert outputs[0].shape == (2, 6)
    assert len(forwards) == 2
    assert names[4].startswith("stack_bidirectional_rnn/cell_0/bw/gru_cell")
    with pytest.raises(ValueError, match="same depth"):
        rnn.stack_bidirectional_rnn([rnn.GRUCell(3)], [rnn.GRUCell(3)] * 2, [tf.ones([2, 4])])


@pytest.mark.parametrize("kind", ["CudnnLSTM", "CudnnGRU", "CudnnRNNTanh", "CudnnRNNRelu"])
def test_cudnn_layers(kind: str) -> None:
    def build() -> Any:
        layers = getattr(cudnn, kind)(2, 8, direction="bidirectional", dropout=0.2)
        outputs, state = layers(tf.ones([5, 3, 4]), training=False)
        again, _ = layers(tf.ones([5, 3, 4]), initial_state=state)
        assert len(layers.trainable_variables) == len(tf.trainable_variables())
        return outputs, state, again

    (outputs, state, _), names = _run(build)
    assert outputs.shape == (5, 3, 16)
    assert state[0].shape == (4, 3, 8)
    scope = f"{names[0].split('/')[0]}/stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw"
    assert names[0].startswith(f"{scope}/cudnn_compatible_")


def test_a_cudnn_lstm_has_no_forget_bias() -> None:
    def build() -> Any:
        x = tf.random_normal([5, 3, 4], seed=1)
        lstm = cudnn.CudnnLSTM(1, 4)
        outputs, (h, c) = lstm(x)
        return x, outputs, h, c, *lstm.trainable_variables

    (x, outputs, h, c, kernel, bias), names = _run(build)
    assert names[0] == "cudnn_lstm/rnn/multi_rnn_cell/cell_0/cudnn_compatible_lstm_cell/kernel"
    out, memory = np.zeros([3, 4]), np.zeros([3, 4])
    for step, given in enumerate(x):
        gates = np.concatenate([given, out], 1) @ kernel + bias
        i, j, f, o = np.split(gates, 4, 1)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        memory = f * memory + i * np.tanh(j)
        out = o * np.tanh(memory)
        np.testing.assert_allclose(outputs[step], out, atol=1e-6)
    np.testing.assert_allclose(h[0], out, atol=1e-6)
    np.testing.assert_allclose(c[0], memory, atol=1e-6)
