"""Diagonals other than the main one, bands of them, and how these are packed."""

from ..case import programs, table

PRELUDE = """
    L = tf.linalg
    m = tf.constant([[1., 2., .5, 6.], [4., 1., -2., 7.], [.3, 2.5, 3., 8.]], tf.float64, name="m")
    two = tf.stack([m, m * m - 1.])
    v = tf.constant([3., -4.], tf.float64, name="v")
    b = tf.constant([[1., 2., 3.], [4., 5., 6.]], tf.float64, name="b")
    k = tf.placeholder_with_default(np.array([-1, 1], np.int32), [None])
    one = tf.placeholder_with_default(np.int32(1), [])
"""

ROWS = """
diag | L.diag(v, k=1) | v
diag_below | L.diag(v, k=-2) | v
diag_wide | L.diag(v, k=1, num_cols=5) | v
diag_tall | L.diag(v, k=1, num_rows=4) | v
diag_padded | L.diag(v, k=-1, num_rows=3, num_cols=4, padding_value=7.) | v
diag_main_padded | L.diag(v, padding_value=2.)
diag_band | L.diag(b, k=(0, 1)) | b
diag_band_left | L.diag(b, k=(0, 1), align="LEFT_RIGHT") | b
diag_band_batch | L.diag(tf.stack([b, b + 1.]), k=(-1, 0), num_rows=4, num_cols=3)
diag_bools | L.diag(tf.constant([True, False]), k=1)
diag_integers | L.diag([1, 2], k=1, padding_value=3)
diag_unknown | L.diag(v, k=one) | v
part | L.diag_part(m, k=1) | m
part_below | L.diag_part(two, k=-2) | two
part_band | L.diag_part(m, k=(-1, 2), padding_value=9.) | m
part_band_left | L.diag_part(two, k=(-2, 3), align="LEFT_LEFT") | two
part_band_right | L.diag_part(m, k=(-2, 1), align="RIGHT_RIGHT") | m
part_above | L.diag_part(m, k=(1, 3), align="LEFT_RIGHT") | m
part_of_one | L.diag_part(m, k=[2]) | m
part_unknown | L.diag_part(m, k=k) | m
part_empty | L.diag_part(tf.zeros([2, 0, 3]), k=0)
set | L.set_diag(m, tf.stack([v[0], v[1], v[0]]), k=1) | m v
set_below | L.set_diag(m, v, k=-1) | m v
set_band | L.set_diag(m, b, k=(-1, 0)) | m b
set_band_left | L.set_diag(m, b, k=(-1, 0), align="LEFT_RIGHT") | m b
set_batch | L.set_diag(two, tf.stack([b, -b]), k=(0, 1), align="LEFT_LEFT") | two b
set_unknown | L.set_diag(m, L.diag_part(-m, k=k), k=k) | m
"""

PROGRAMS = {
    "bad numbers": """
        x, p = tf.ones([3, 4]), tf.placeholder_with_default(np.ones([3, 4], np.float32), None)
        d = tf.linalg
        for k in (5, -3, 4, (1, 0), (0, 9), (-9, 0), (0, 1, 2)):
            fails(lambda: d.diag_part(x, k=k))
        fails(lambda: d.diag([1., 2.], k=1, num_rows=1))
        fails(lambda: d.diag([1., 2.], k=1, num_cols=1))
        fails(lambda: d.diag([1., 2.], k=1, num_rows=5, num_cols=6))
        fails(lambda: d.diag([1., 2.], k=1, padding_value=[0.]))
        fails(lambda: d.set_diag(x, [1., 2., 3.], k=(0, 1)))
        fails(lambda: run(d.set_diag(p, [1., 2.], k=1)))
        fails(lambda: d.diag_part(x, k=1, align="MIDDLE"))
    """,
}

CASES = [
    *table("diagonals", PRELUDE, ROWS, word="value", rtol=1e-12),
    *programs("diagonals", PROGRAMS),
]
