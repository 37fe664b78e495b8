"""Names of 1.15 that stand alone: n-grams, boxes of classes, volumes in blocks, JSON, lapped sound."""

from ..case import table

_CTC = """
collapsed | list(tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [1, 2, 3, 4, 5]], [5, 4]))
collapsed_long | list(tf.nn.collapse_repeated(tf.constant([[1, 1], [2, 2]], tf.int64), tf.constant([2, 0], tf.int64)))
collapsed_nothing | list(tf.nn.collapse_repeated(tf.zeros([2, 3], tf.int32), [0, 0]))
collapsed_unknown | list(tf.nn.collapse_repeated(tf.placeholder_with_default([[1, 1, 2]], [None, None]), [3]))
collapsed_text | list(tf.nn.collapse_repeated([[5.0, 5.0, 1.0]], [3]))
"""

_CTC_VALUES = """
unique | tf.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 1, 1, 1]])[0]
unique_places | tf.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 2, 1, 5]])[1]
"""

_CTC_FAIL = """
collapsed_rank | tf.nn.collapse_repeated([1, 1], [2])
unique_scalar | tf.nn.ctc_unique_labels(3)
"""


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
    *table("names/ctc", "", _CTC),
    *table("names/ctc_values", "", _CTC_VALUES, word="value"),
    *table("names/ctc_fail", "", _CTC_FAIL, word="fails"),
    *table("names/numbers", _NUMBERS, _OTHERS, word="value"),
    *table("names/numbers", "", _OTHERS_NOTHING),
    *table("names/numbers_fail", _NUMBERS, _OTHERS_FAIL, word="fails"),
]
