"""Names of 1.15 that stand alone: n-grams, boxes of classes, volumes in blocks, JSON, lapped sound."""

from ..case import table

_OTHERS = """
silu | tf.nn.silu(x) | x
silu_beta | tf.nn.silu(x, 2.0) | x
"""

_OTHERS_NOTHING = """
fft_of_nothing | tf.fft(np.zeros([2, 0], "F"))
ifft2d_of_nothing | tf.ifft2d(np.zeros([0, 3], "D"))
"""

_OTHERS_FAIL = """
silu_int | tf.nn.silu([1])
"""


_NUMBERS = """
x = tf.constant([0.0, 1.0, 2.0, -1.5]); y = tf.constant([0.5, 2.0, 3.0, 4.0]); p = tf.constant([0.2, 1.0, 1.7])
s = tf.constant(np.sin(np.arange(24.0)).astype("f")); c = tf.constant(np.cos(np.arange(12.0)).reshape(3, 4).astype("f"))
"""

CASES = [
    *table("names/numbers", _NUMBERS, _OTHERS, word="value"),
    *table("names/numbers", "", _OTHERS_NOTHING),
    *table("names/numbers_fail", _NUMBERS, _OTHERS_FAIL, word="fails"),
]
