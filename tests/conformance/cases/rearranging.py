"""Arrays rearranged, special functions, linear algebra, transforms, and random numbers' forms."""

from ..case import programs, table

PRELUDE = """
    v = tf.constant([3., 1., 2., 5.], name="v"); n = tf.constant([1, 2, 3, 4], name="n")
    x = tf.constant([[1., -2., 3.], [4., .5, -1.]], name="x"); y = tf.constant([[.5, 1.], [2., -1.], [1., 1.]], name="y")
    img = tf.reshape(tf.range(16, dtype=tf.float32), [1, 4, 4, 1], name="img")
    c = tf.reshape(tf.range(24, dtype=tf.float32), [2, 3, 4], name="c")
    p = tf.constant([.1, .5, .9], name="p"); q = tf.constant([.5, 2., 3.5], name="q"); r = tf.constant([1.5, .7, 4.], name="r")
    m = tf.constant([[2., 1.], [1., 3.]], name="m"); batch = tf.constant([[[1., 2.], [3., 4.]], [[0., 1.], [1., 0.]]], name="batch")
    z = tf.complex(v, v * 2. - 3.)
"""

ROWS = """
roll | tf.roll(v, 1, 0) | v
roll_negative | tf.roll(x, shift=-1, axis=1) | x
roll_axes | tf.roll(x, [1, -1], [0, 1]) | x
reverse_sequence | tf.reverse_sequence(x, [2, 3], seq_axis=1) | x
zero_fraction | tf.nn.zero_fraction([0., 1., 0., 2.])
reduce_variance | tf.math.reduce_variance(x) | x
reduce_std | tf.math.reduce_std(x, 1) | x
singular_values | tf.svd(x, compute_uv=False) | x
tensordot | tf.tensordot(c, y, [[1], [0]]) | c y
tensordot_axes | tf.tensordot(x, y, 1) | x y
tensor_diag | tf.linalg.tensor_diag(v) | v
fft | tf.fft(z)
ifft | tf.ifft(z)
fft2d | tf.fft2d(tf.complex(x, x))
rfft | tf.spectral.rfft(v)
rfft_length | tf.signal.rfft(v, [3])
irfft | tf.signal.irfft(z)
irfft_length | tf.signal.irfft(z, [5])
"""

VALUES = """
repeat | tf.repeat(v, 2)
repeat_each | tf.repeat(v, tf.placeholder_with_default([1, 0, 2, 1], [4]))
repeat_axis | tf.repeat(x, [2, 1, 1], axis=1)
repeat_rows | tf.repeat(x, 2, axis=0)
broadcast_dynamic_shape | tf.broadcast_dynamic_shape([2, 1], [3])
einsum_matmul | tf.einsum("ij,jk->ik", x, y) | x y
einsum_batch | tf.einsum("bij,bjk->bik", batch, batch * 2.) | batch
einsum_transposed | tf.einsum("ij->ji", x) | x
einsum_sum | tf.einsum("ij->", x) | x
einsum_rows | tf.einsum("ij->i", x) | x
einsum_dot | tf.einsum("i,i->", v, v * v) | v
einsum_outer | tf.einsum("i,j->ij", v, q) | v q
einsum_implicit | tf.einsum("ij,jk", x, y) | x y
einsum_three | tf.einsum("ij,jk,kl->il", x, y, m) | x y m
einsum_ellipsis | tf.einsum("...ij,...jk->...ik", batch, batch) | batch
einsum_alone | tf.einsum("ij,k->k", x, v) | x v
fft_energy | tf.reduce_sum(tf.square(tf.abs(tf.fft(tf.complex(v, v * v))))) | v
rfft_energy | tf.reduce_sum(tf.square(tf.abs(tf.spectral.rfft(v)[1:]))) | v
irfft_of_rfft | tf.signal.irfft(tf.signal.rfft(v) * tf.complex(v[:3], v[1:])) | v
svd_sum | tf.reduce_sum(tf.abs(tf.svd(y)[1])) | y
svd_back | tf.matmul(tf.svd(x)[1] * tf.svd(x)[0], tf.svd(x)[2], transpose_b=True) | x
svd_full | tf.abs(tf.svd(x, full_matrices=True)[2])
svd_square | tf.matmul(tf.svd(m)[1], tf.svd(m)[2], transpose_b=True) | m
qr_back | tf.matmul(*tf.qr(y)) | y
ensure_crop | tf.shape(tf.random_crop(c, [1, 2, 2]))
"""

FAILS = """
crop_too_large | run(tf.random_crop(v, [9]))
roll_scalar | tf.roll(1., 0, 0)
"""

CASES = [
    *table("rearranging", PRELUDE, ROWS, rtol=1e-4),
    *table("rearranging", PRELUDE, VALUES, rtol=2e-4, word="value"),
    *table("rearranging/fails", PRELUDE, FAILS, word="fails"),
    *programs(
        "rearranging",
        {
            "crop": """
            x = tf.reshape(tf.range(30), [5, 6]); crop = tf.random_crop(x, [2, 3], seed=1)
            show(crop.dtype, crop.get_shape()); value = run(crop)
            show(bool((np.diff(value, axis=1) == 1).all()), bool((np.diff(value, axis=0) == 6).all()))
        """,
        },
    ),
]
