"""Cells that are one operation: their gradients, beside differences and beside each other."""

import numpy as np
import pytest

import minitf as tf

_RNG = np.random.default_rng(0)
_TIMES, _BATCH, _IN, _UNITS = 3, 2, 3, 2


def _given(*shapes):
    return [tf.constant(_RNG.normal(size=shape) * 0.6) for shape in shapes]


_LSTM = [
    *((_BATCH, _UNITS), (_BATCH, _UNITS), (_IN + _UNITS, 4 * _UNITS)),
    *((_UNITS,), (_UNITS,), (_UNITS,), (4 * _UNITS,)),
]
_LSTM_NAMES = ("cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")


def _cell(values):
    x, *others = values
    given = dict(zip(_LSTM_NAMES, others, strict=True))
    return tf.raw_ops.LSTMBlockCell(x=x, use_peephole=True, cell_clip=-1.0, **given)[1:7:5]


def _layer(values):
    x, *others = values
    given = dict(zip(_LSTM_NAMES, others, strict=True))
    times = tf.constant(_TIMES - 1, tf.int64)
    made = tf.raw_ops.BlockLSTM(seq_len_max=times, x=x, use_peephole=True, **given)
    return made[1], made[6]


def _gru(values):
    names = ("x", "h_prev", "w_ru", "w_c", "b_ru", "b_c")
    return tf.raw_ops.GRUBlockCell(**dict(zip(names, values, strict=True)))[3:]


@pytest.mark.parametrize(
    ("cell", "shapes"),
    [
        (_cell, [(_BATCH, _IN), *_LSTM]),
        (_layer, [(_TIMES, _BATCH, _IN), *_LSTM]),
        (
            _gru,
            [
                *((_BATCH, _IN), (_BATCH, _UNITS), (_IN + _UNITS, 2 * _UNITS)),
                *((_IN + _UNITS, _UNITS), (2 * _UNITS,), (_UNITS,)),
            ],
        ),
    ],
)
def test_gradients_agree_with_differences(cell, shapes) -> None:
    values = _given(*shapes)
    total = sum(tf.reduce_sum(tf.sin(each)) for each in cell(values))
    with tf.Session():
        for value in values:
            shape = value.shape.as_list()
            assert tf.test.compute_gradient_error(value, shape, total, []) < 1e-5


def test_a_layer_is_its_cell_time_after_time() -> None:
    x, c, h, *others = _given((_TIMES, _BATCH, _IN), *_LSTM)
    given = dict(zip(_LSTM_NAMES[2:], others, strict=True))
    kept = {"forget_bias": 0.5, "cell_clip": 0.3}
    whole = tf.raw_ops.BlockLSTM(
        seq_len_max=tf.constant(_TIMES, tf.int64), x=x, cs_prev=c, h_prev=h, **given, **kept
    )
    for time in range(_TIMES):
        step = tf.raw_ops.LSTMBlockCell(x=x[time], cs_prev=c, h_prev=h, **given, **kept)
        c, h = step[1], step[6]
        for one, all_ in zip(step, whole, strict=True):
            with tf.Session() as sess:
                np.testing.assert_allclose(*sess.run([one, all_[time]]))
