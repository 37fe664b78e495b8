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
bitcast | tf.bitcast(n, tf.uint32)
bitcast_smaller | tf.bitcast(n, tf.uint8)
bitcast_float | tf.bitcast(v, tf.int32)
space_to_depth | tf.space_to_depth(img, 2) | img
depth_to_space | tf.depth_to_space(tf.reshape(img, [1, 2, 2, 4]), 2)
space_to_batch | tf.space_to_batch(img, [[0, 0], [0, 0]], 2) | img
space_to_batch_nd | tf.space_to_batch_nd(img, [2, 2], [[1, 1], [0, 0]]) | img
batch_to_space | tf.batch_to_space(tf.reshape(img, [4, 2, 2, 1]), [[0, 0], [1, 0]], 2)
batch_to_space_nd | tf.batch_to_space_nd(tf.reshape(img, [4, 2, 2, 1]), [2, 2], [[0, 1], [0, 0]])
meshgrid | tf.meshgrid(v, q)
meshgrid_ij | tf.meshgrid(v, v, indexing="ij") | v
reverse_sequence | tf.reverse_sequence(x, [2, 3], seq_axis=1) | x
lgamma | tf.lgamma(q) | q
digamma | tf.digamma(q) | q
polygamma | tf.polygamma(q * 0. + 1., q) | q
zeta | tf.zeta(r + 1., q) | q
igamma | tf.igamma(r, q) | r q
igammac | tf.igammac(r, q) | r q
betainc | tf.betainc(q, r, p) | p
lbeta | tf.lbeta(x * x) | x
xlogy | tf.math.xlogy([0., 1., 2.], q) | q
log_sigmoid | tf.log_sigmoid(x) | x
polyval | tf.math.polyval([tf.constant(1.), tf.constant(2.), tf.constant(3.)], q) | q
zero_fraction | tf.nn.zero_fraction([0., 1., 0., 2.])
cumulative_logsumexp | tf.math.cumulative_logsumexp(v) | v
cumulative_logsumexp_reverse | tf.math.cumulative_logsumexp(x, axis=1, reverse=True) | x
cumulative_logsumexp_exclusive | tf.math.cumulative_logsumexp(v, exclusive=True)[1:]
reduce_variance | tf.math.reduce_variance(x) | x
reduce_std | tf.math.reduce_std(x, 1) | x
singular_values | tf.svd(x, compute_uv=False) | x
pinv | tf.linalg.pinv(x)
matrix_rank | tf.linalg.matrix_rank(m)
adjoint | tf.linalg.adjoint(x) | x
matvec | tf.linalg.matvec(m, [1., 2.]) | m
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
unravel_index | tf.unravel_index([7, 2], [3, 4])
broadcast_dynamic_shape | tf.broadcast_dynamic_shape([2, 1], [3])
erfinv | tf.math.erfinv(p) | p
ndtri | tf.math.ndtri(p) | p
bessel_i0 | tf.math.bessel_i0(q) | q
bessel_i1e | tf.math.bessel_i1e(q) | q
xdivy | tf.math.xdivy([0., 1., 2.], q) | q
multiply_no_nan | tf.math.multiply_no_nan(q, [0., 1., 2.]) | q
bincount | tf.bincount([1, 1, 3, 0])
bincount_weights | tf.bincount([1, 1, 3], weights=[.5, 1., 2.])
bincount_minlength | tf.bincount([1, 1], minlength=4)
bincount_maxlength | tf.bincount([1, 1, 3, 9], maxlength=3)
expm | tf.linalg.expm(m) | m
expm_large | tf.linalg.expm(m * 3.)
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
normalize | tf.linalg.normalize(x)[0] | x
normalize_axis | tf.linalg.normalize(x, axis=1)[1] | x
reduce_euclidean_norm | tf.math.reduce_euclidean_norm(x, 1) | x
fft_energy | tf.reduce_sum(tf.square(tf.abs(tf.fft(tf.complex(v, v * v))))) | v
rfft_energy | tf.reduce_sum(tf.square(tf.abs(tf.spectral.rfft(v)[1:]))) | v
irfft_of_rfft | tf.signal.irfft(tf.signal.rfft(v) * tf.complex(v[:3], v[1:])) | v
svd_sum | tf.reduce_sum(tf.abs(tf.svd(y)[1])) | y
svd_back | tf.matmul(tf.svd(x)[1] * tf.svd(x)[0], tf.svd(x)[2], transpose_b=True) | x
svd_full | tf.abs(tf.svd(x, full_matrices=True)[2])
svd_square | tf.matmul(tf.svd(m)[1], tf.svd(m)[2], transpose_b=True) | m
qr_back | tf.matmul(*tf.qr(y)) | y
paddings | tf.required_space_to_batch_paddings([5, 4], [2, 3])[0]
crops | tf.required_space_to_batch_paddings([5, 4], [2, 3], [[1, 0], [0, 1]])[1]
hann | tf.signal.hann_window(6)
hann_symmetric | tf.signal.hann_window(5, periodic=False)
hamming | tf.signal.hamming_window(7)
frame | tf.signal.frame(tf.range(10), 4, 3)
frame_padded | tf.signal.frame(tf.reshape(tf.range(10.), [1, 10]), 4, 3, pad_end=True, pad_value=-1)
frame_axis | tf.signal.frame(c, 2, 1, axis=1) | c
stft | tf.abs(tf.signal.stft(tf.sin(tf.range(20.)), 8, 4))
stft_plain | tf.abs(tf.signal.stft(tf.sin(tf.range(20.)), 6, 4, fft_length=8, window_fn=None, pad_end=True))
dct | tf.signal.dct(x) | x
dct_orthogonal | tf.spectral.dct(x, norm="ortho") | x
dct_length | tf.signal.dct(x, n=5)
dct_1 | tf.signal.dct(x, type=1)
dct_3 | tf.signal.dct(x, type=3) | x
dct_3_orthogonal | tf.signal.dct(x, type=3, norm="ortho")
dct_4_orthogonal | tf.signal.dct(x, type=4, norm="ortho", n=3)
idct | tf.signal.idct(x)
idct_orthogonal | tf.spectral.idct(tf.signal.dct(x, norm="ortho"), norm="ortho")
overlap_and_add | tf.signal.overlap_and_add(tf.reshape(tf.range(24.), [2, 3, 4]), 2) * tf.sin(tf.range(8.))
overlap_and_add_gaps | tf.signal.overlap_and_add(tf.reshape(tf.range(12.), [3, 4]), tf.constant(3))
inverse_stft | tf.signal.inverse_stft(tf.signal.stft(tf.sin(tf.range(20.)), 8, 4), 8, 4)
inverse_stft_window | tf.signal.inverse_stft_window_fn(3)(8, tf.float32)
inverse_stft_plain | tf.signal.inverse_stft(tf.signal.stft(tf.sin(tf.range(20.)), 6, 4, 4), 6, 4, 4, window_fn=None)
mel | tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 20.0, 3000.0)
mfccs | tf.signal.mfccs_from_log_mel_spectrograms(tf.log(tf.reshape(tf.range(1., 13.), [3, 4])))
fftshift | tf.signal.fftshift(tf.reshape(tf.range(15), [3, 5]))
fftshift_axis | tf.signal.fftshift(tf.reshape(tf.range(15), [3, 5]), axes=1)
ifftshift | tf.signal.ifftshift(tf.reshape(tf.range(15), [3, 5]), axes=[0, 1])
ensure_crop | tf.shape(tf.random_crop(c, [1, 2, 2]))
"""

FAILS = """
uneven_depth | tf.space_to_depth(tf.zeros([1, 3, 4, 1]), 2)
uneven_space | tf.depth_to_space(tf.zeros([1, 3, 4, 3]), 2)
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
            "random_forms": """
            tf.set_random_seed(3)
            moments(tf.random_gamma([4000], 20.))
            moments(tf.random_poisson(50., [4000])); moments(tf.random_poisson([60., 60.], [2000], dtype=tf.int32))
            moments(tf.random.stateless_uniform([4000], [1, 2])); moments(tf.random.stateless_normal([4000], [1, 2], mean=2., stddev=.5))
            moments(tf.random.stateless_truncated_normal([4000], [1, 2]))
        """,
            "crop": """
            x = tf.reshape(tf.range(30), [5, 6]); crop = tf.random_crop(x, [2, 3], seed=1)
            show(crop.dtype, crop.get_shape()); value = run(crop)
            show(bool((np.diff(value, axis=1) == 1).all()), bool((np.diff(value, axis=0) == 6).all()))
        """,
            "stateless_repeats": """
            a = tf.random.stateless_normal([3], [1, 2]); b = tf.random.stateless_normal([3], [1, 2]); c = tf.random.stateless_normal([3], [1, 3])
            one, two, three = run([a, b, c]); again = run(a)
            show(bool((one == two).all()), bool((one == again).all()), bool((one == three).any()), a, b)
        """,
        },
    ),
]
