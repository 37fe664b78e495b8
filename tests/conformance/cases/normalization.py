"""Normalization, statistics, and the losses and activations beside them."""

from ..case import programs, table

PRELUDE = """
    R = np.random.RandomState(7)
    x = tf.constant(R.randn(3, 4, 2, 5).astype("f"), name="x"); y = tf.constant(R.randn(4, 5).astype("f"), name="y")
    m = tf.constant(R.randn(5).astype("f"), name="m"); v = tf.constant(R.rand(5).astype("f") + .5, name="v")
    scale = tf.constant(R.randn(5).astype("f"), name="scale"); offset = tf.constant(R.randn(5).astype("f"), name="offset")
    weights = tf.constant(R.rand(4, 1).astype("f")); counts = tf.constant([[0., 1., 2., 5., .5]] * 4); sparse = tf.constant([[0., 1., 0.], [2., 0., 0.]])
    unknown = tf.placeholder_with_default(x, [None, None, None, 5])
"""

ROWS = """
lrn | tf.nn.lrn(x) | x
lrn_arguments | tf.nn.lrn(x, 4, bias=1., alpha=.001 / 9., beta=.75, name="norm1") | x
lrn_radius_1 | tf.nn.local_response_normalization(x, depth_radius=1, bias=2., alpha=.5, beta=.75) | x
lrn_radius_0 | tf.nn.lrn(x, 0) | x
batch_normalization | tf.nn.batch_normalization(x, m, v, offset, scale, 1e-3) | x m v offset scale
batch_normalization_plain | tf.nn.batch_normalization(x, m, v, None, None, 1e-3) | x m v
batch_normalization_scale | tf.nn.batch_normalization(x, m, v, None, scale, variance_epsilon=1e-3, name="bn") | x scale
batch_normalization_offset | tf.nn.batch_normalization(y, m, v, offset, None, 1e-5) | y offset
batch_normalization_of_moments | tf.nn.batch_normalization(y, *tf.nn.moments(y, [0]), offset, scale, 1e-3) | y offset scale
global_normalization | tf.nn.batch_norm_with_global_normalization(x, m, v, offset, scale, 1e-3, True) | x scale
global_normalization_unscaled | tf.nn.batch_norm_with_global_normalization(x, m, v, offset, scale, 1e-3, False) | x offset
fused | tf.nn.fused_batch_norm(x, scale, offset)[0] | x scale offset
fused_moments | list(tf.nn.fused_batch_norm(x, scale, offset)[1:])
fused_epsilon | tf.nn.fused_batch_norm(x, scale, offset, epsilon=.1, name="bn")[0] | x scale offset
fused_small_epsilon | tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-9)[0] | x scale offset
fused_inference | tf.nn.fused_batch_norm(x, scale, offset, m, v, is_training=False)[0] | x scale offset
fused_unknown | tf.nn.fused_batch_norm(unknown, scale, offset)[0] | x scale offset
fused_second_order | tf.gradients(tf.reduce_sum(tf.gradients(tf.nn.fused_batch_norm(x, scale, offset)[0] ** 2, x)[0] ** 2), x)
moments | list(tf.nn.moments(x, [0, 1, 2])) | x
moments_keep | list(tf.nn.moments(x, axes=[1, 2], keep_dims=True)) | x
moments_keepdims | list(tf.nn.moments(y, [0], keepdims=True, name="stats")) | y
l2_normalize_dim | tf.nn.l2_normalize(y, dim=1) | y
l2_normalize_axes | tf.nn.l2_normalize(x, axis=[1, 2], epsilon=1e-3, name="unit") | x
zero_fraction_value | tf.identity(tf.nn.zero_fraction(sparse))
bias_add_nchw | tf.nn.bias_add(x, tf.constant([1., 2., 3., 4.]), data_format="NCHW") | x
weighted_xent_targets | tf.nn.weighted_cross_entropy_with_logits(targets=tf.nn.sigmoid(y), logits=y, pos_weight=.5) | y
weighted_xent_tensor | tf.nn.weighted_cross_entropy_with_logits(tf.nn.sigmoid(y), y, m) | y
average_loss | tf.nn.compute_average_loss(m)
average_loss_weights | tf.nn.compute_average_loss(m, sample_weight=v, global_batch_size=10)
wide_xent | tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(tf.reshape(x, [1, 120])), logits=tf.reshape(x, [1, 120])) | x
wide_sparse_xent | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[7], logits=tf.reshape(x, [1, 120])) | x
xent_broadcast_wide | tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(tf.reshape(x, [1, 120])), logits=tf.reshape(tf.tile(x, [2, 1, 1, 1]), [2, 120]))
softmax_dim | tf.nn.softmax(y, dim=0) | y
log_softmax_dim | tf.nn.log_softmax(y, dim=-1) | y
crelu | tf.nn.crelu(y) | y
crelu_axis | tf.nn.crelu(y, axis=0, name="both") | y
relu_layer | tf.nn.relu_layer(y, tf.ones([5, 2]), [1., -1.]) | y
leaky_relu_name | tf.nn.leaky_relu(y, alpha=.3, name="leak") | y
swish | tf.nn.swish(y) + 0. | y
dropout_rate_0 | tf.nn.dropout(y, rate=0.) | y
"""

ERRORS = """
fused_without_moments | tf.nn.fused_batch_norm(x, scale, offset, is_training=False)
lrn_rank | tf.nn.lrn(y)
dropout_both | tf.nn.dropout(y, keep_prob=.5, rate=.5)
"""

CASES = [
    *table("normalization", PRELUDE, ROWS),
    *table("normalization_errors", PRELUDE, ERRORS, word="fails"),
    *programs(
        "normalization",
        {
            "moving_average": """
            x = tf.constant(np.random.RandomState(1).randn(2, 3, 3, 2).astype("f")); one, zero = tf.ones([2]), tf.zeros([2])
            y, mean, variance = tf.nn.fused_batch_norm(x, one, zero, [.5, .5], [2., 2.], exponential_avg_factor=.25)
            show(y, run([y, mean, variance]))
        """,
            "dropout_shapes": """
            x = tf.ones([8, 4, 6])
            y = run(tf.nn.dropout(x, keep_prob=.5, noise_shape=[8, 1, 6], seed=1))
            show(bool((y == y[:, :1]).all()), sorted(set(y.ravel().tolist())))
            z = run(tf.nn.dropout(x, rate=tf.constant(.75)))
            show(sorted(set(z.ravel().tolist())))
        """,
        },
        rtol=1e-4,
    ),
]
