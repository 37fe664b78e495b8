"""Losses: values, gradients, names, weights, reductions, collections."""

from ..case import programs, table

PRELUDE = """
    p = tf.constant([[.5, -1., 2.], [.25, .75, -.5]], name="p"); t = tf.constant([[1., -2., 2.], [0., 0., 1.]], name="t")
    q = tf.sigmoid(p); b = tf.constant([[1., 0., 1.], [0., 0., 1.]], name="b"); c = tf.constant([2, 0], name="c")
    w = tf.constant([[1.], [3.]], name="w"); r = tf.losses.Reduction; L = tf.losses
"""

ROWS = """
absolute_difference | L.absolute_difference(t, p) | p t
mean_squared_error | L.mean_squared_error(t, p) | p t
mean_squared_error_keywords | L.mean_squared_error(predictions=p, labels=t, weights=2.) | p t
mean_squared_error_ints | L.mean_squared_error([1, 2], [3, 5])
mean_squared_error_scope | L.mean_squared_error(t, p, scope="own") | p
mean_squared_error_rows | L.mean_squared_error(t, p, weights=w) | p w
mean_squared_error_columns | L.mean_squared_error(t, p, weights=[[1., 0., 2.]]) | p
mean_squared_error_zero | L.mean_squared_error(t, p, weights=0.) | p
mean_squared_error_zeros | L.mean_squared_error(t, p, weights=tf.zeros([2, 3])) | p
mean_squared_error_one | L.mean_squared_error(t, p, weights=1) | p
mean_squared_error_none | L.mean_squared_error(t, p, reduction=r.NONE) | p
mean_squared_error_sum | L.mean_squared_error(t, p, w, reduction=r.SUM) | p
mean_squared_error_mean | L.mean_squared_error(t, p, w, reduction=r.MEAN) | p
mean_squared_error_batch | L.mean_squared_error(t, p, w, reduction=r.SUM_OVER_BATCH_SIZE) | p
mean_squared_error_half | L.mean_squared_error(tf.cast(t, tf.float16), tf.cast(p, tf.float16))
mean_squared_error_double | L.mean_squared_error(tf.cast(t, tf.float64), tf.cast(p, tf.float64)) | p
cosine_distance | L.cosine_distance(tf.nn.l2_normalize(t, 1), tf.nn.l2_normalize(p, 1), axis=1) | p
cosine_distance_dim | L.cosine_distance(t, p, dim=0) | p
cosine_distance_weights | L.cosine_distance(t, p, 1, weights=w) | p
huber_loss | L.huber_loss(t, p) | p t
huber_loss_delta | L.huber_loss(t, p, delta=.3) | p
hinge_loss | L.hinge_loss(b, p) | p
hinge_loss_weights | L.hinge_loss(b, p, weights=w) | p
log_loss | L.log_loss(b, q) | p
log_loss_epsilon | L.log_loss(b, q, epsilon=.1) | p
sigmoid_cross_entropy | L.sigmoid_cross_entropy(b, p) | p
sigmoid_cross_entropy_smooth | L.sigmoid_cross_entropy(b, p, label_smoothing=.2) | p
sigmoid_cross_entropy_ints | L.sigmoid_cross_entropy([[1, 0, 1], [0, 0, 1]], p) | p
softmax_cross_entropy | L.softmax_cross_entropy(b, p) | p
softmax_cross_entropy_smooth | L.softmax_cross_entropy(b, p, label_smoothing=.1) | p
softmax_cross_entropy_weights | L.softmax_cross_entropy(b, p, weights=[1., 0.]) | p
softmax_cross_entropy_labels_stop | L.softmax_cross_entropy(b, p) | b
sparse_softmax_cross_entropy | L.sparse_softmax_cross_entropy(c, p) | p
sparse_softmax_cross_entropy_column | L.sparse_softmax_cross_entropy(c[:, None], p) | p
sparse_softmax_cross_entropy_weights | L.sparse_softmax_cross_entropy(c, p, weights=[.5, 0.]) | p
sparse_softmax_cross_entropy_weights_column | L.sparse_softmax_cross_entropy(c, p, weights=w) | p
sparse_softmax_cross_entropy_int64 | L.sparse_softmax_cross_entropy(tf.constant([2, 0], tf.int64), p, reduction=r.NONE) | p
compute_weighted_loss | L.compute_weighted_loss(p, w) | p
compute_weighted_loss_ints | L.compute_weighted_loss(tf.constant([1, 2, 4]))
confusion_matrix | tf.confusion_matrix([1, 2, 4], [2, 2, 4])
confusion_matrix_classes | tf.confusion_matrix([0, 1, 1], [1, 1, 1], num_classes=3, dtype=tf.float32)
confusion_matrix_weights | tf.confusion_matrix([0, 1, 1], [1, 1, 1], 2, weights=[1, 10, 100])
confusion_matrix_column | tf.confusion_matrix([[0], [1]], [1, 1])
unknown_shapes | L.mean_squared_error(tf.placeholder_with_default(t, None), tf.placeholder_with_default(p, None), tf.placeholder_with_default(w, None)) | p
"""

FAILS = """
shapes | L.mean_squared_error(t, p[:, :2])
weights_rank | L.mean_squared_error(t, p, weights=[1., 2.])
weights_size | L.mean_squared_error(t, p, weights=[[1.], [2.], [3.]])
reduction | L.mean_squared_error(t, p, reduction="average")
"""

CASES = [
    *table("losses", PRELUDE, ROWS),
    *table("losses_fail", PRELUDE, FAILS, word="fails"),
    *programs(
        "losses",
        {
            "collections": """
            t, p = tf.constant([1., 2.]), tf.constant([3., 5.])
            a = tf.losses.mean_squared_error(t, p)
            with tf.name_scope("s"):
                b = tf.losses.absolute_difference(t, p)
            c = tf.losses.huber_loss(t, p, loss_collection=None)
            d = tf.losses.log_loss(t, p, loss_collection="mine")
            tf.losses.add_loss(tf.constant(7., name="own"))
            show(tf.losses.get_losses(), tf.losses.get_losses("s"), tf.losses.get_losses(loss_collection="mine"))
            show(tf.losses.get_total_loss(), run(tf.losses.get_total_loss()), tf.losses.get_total_loss(name="all", scope="s"))
        """,
            "regularization": """
            show(tf.losses.get_regularization_losses(), tf.losses.get_regularization_loss(), run(tf.losses.get_regularization_loss()))
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), regularizer=lambda w: tf.reduce_sum(w))
            tf.losses.add_loss(tf.constant(7.))
            show(tf.losses.get_regularization_loss(), run(tf.losses.get_regularization_loss()), run(tf.losses.get_total_loss()))
            show(run(tf.losses.get_total_loss(add_regularization_losses=False)))
        """,
            "no_losses": """
            fails(tf.losses.get_total_loss)
        """,
            "reductions": """
            r = tf.losses.Reduction
            show(r.NONE, r.SUM, r.MEAN, r.SUM_OVER_BATCH_SIZE, r.SUM_BY_NONZERO_WEIGHTS, r.SUM_OVER_NONZERO_WEIGHTS, r.all())
        """,
            "weights_at_run_time": """
            w = tf.placeholder(tf.float32, [None, None], name="w")
            loss = tf.losses.mean_squared_error(tf.zeros([2, 3]), tf.ones([2, 3]), w)
            show(run(loss, {w: [[1.], [0.]]}), run(loss, {w: [[2.]]}))
            try:
                run(loss, {w: [[1.], [2.], [3.]]})
            except tf.errors.InvalidArgumentError as error:
                show("weights can not be broadcast" in error.message)
        """,
            "training": """
            W = tf.Variable([[1.], [2.]]); x = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
            loss = tf.losses.mean_squared_error([[1.], [2.], [3.]], tf.matmul(x, W))
            step = tf.train.GradientDescentOptimizer(.01).minimize(tf.losses.get_total_loss())
            for _ in range(5):
                run(step)
            show(run([W, loss]))
        """,
        },
    ),
]
