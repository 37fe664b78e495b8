"""Embeddings, gradients that are rows, optimizers that use them, and candidate sampling."""

from ..case import programs, table

PRELUDE = """
    t = tf.constant(np.arange(12.).reshape(6, 2), tf.float32, name="t")
    a = tf.constant([[0., 1.], [2., 3.]], name="a"); b = tf.constant([[4., 5.], [6., 7.]], name="b"); d = tf.constant([[8., 9.]], name="d")
    i = tf.constant([1, 3, 1], name="i"); m = tf.constant([[0, 2], [4, 1]], name="m")
"""

ROWS = """
lookup | tf.nn.embedding_lookup(t, i) | t
lookup_matrix | tf.nn.embedding_lookup(t, m) | t
lookup_list_of_one | tf.nn.embedding_lookup([t], i, name="rows") | t
lookup_max_norm | tf.nn.embedding_lookup(t, i, max_norm=2.) | t
lookup_ids | tf.nn.embedding_lookup(t, [0])
"""

VALUES = """
mod | tf.nn.embedding_lookup([a, b], [0, 1, 2, 3, 0])
mod_matrix | tf.nn.embedding_lookup([a, b], [[0, 1], [2, 3]])
mod_uneven | tf.nn.embedding_lookup([a, b, d], [4, 2, 0, 1, 3])
div | tf.nn.embedding_lookup([a, b], [0, 1, 2, 3, 0], partition_strategy="div")
div_uneven | tf.nn.embedding_lookup([a, b, d], [4, 2, 0, 1, 3], partition_strategy="div")
mod_max_norm | tf.nn.embedding_lookup([a, b], [0, 3], max_norm=1.)
uniform_counts | tf.nn.uniform_candidate_sampler([[1, 2]], 2, 4, False, 10)[1]
uniform_sampled_counts | tf.nn.uniform_candidate_sampler([[1, 2]], 2, 4, False, 10)[2]
log_uniform_counts | tf.nn.log_uniform_candidate_sampler([[1, 2], [0, 9]], 2, 4, False, 10)[1]
hits | tf.nn.compute_accidental_hits([[1, 2], [3, 4]], [5, 3, 1], 2)[0]
hit_ids | tf.nn.compute_accidental_hits([[1, 2], [3, 4]], [5, 3, 1], 2)[1]
hit_weights | tf.nn.compute_accidental_hits([[1, 2], [3, 4]], [5, 3, 1], 2)[2]
"""

FAILS = """
out_of_range | run(tf.nn.embedding_lookup(t, [6], name="look"))
sampler_range | run(tf.nn.log_uniform_candidate_sampler([[1, 2]], 2, 14, True, 10)[0])
sampler_columns | run(tf.nn.uniform_candidate_sampler([[1, 2, 3]], 2, 4, False, 10)[0])
"""

TRAIN = """
    w = tf.get_variable("w", initializer=np.arange(10, dtype=np.float32).reshape(5, 2) / 4., use_resource=False)
    rows = tf.nn.embedding_lookup(w, [3, 0, 3, 1]); loss = tf.reduce_sum(tf.square(rows)) {more}
    step = {optimizer}.minimize(loss)
    for _ in range(3): run(step)
    show(run(w))
"""

OPTIMIZERS = {
    "sgd": "tf.train.GradientDescentOptimizer(.1)",
    "momentum": "tf.train.MomentumOptimizer(.1, .9)",
    "nesterov": "tf.train.MomentumOptimizer(.1, .9, use_nesterov=True)",
    "adagrad": "tf.train.AdagradOptimizer(.1)",
    "adam": "tf.train.AdamOptimizer(.1)",
    "rmsprop": "tf.train.RMSPropOptimizer(.1)",
}

CASES = [
    *table("embeddings", PRELUDE, ROWS),
    *table("embeddings", PRELUDE, VALUES, word="value"),
    *table("embeddings/fails", PRELUDE, FAILS, word="fails"),
    *programs(
        "embeddings/train",
        {name: TRAIN.format(optimizer=o, more="") for name, o in OPTIMIZERS.items()}
        | {
            f"{name}_and_dense": TRAIN.format(optimizer=o, more="+ tf.reduce_sum(w)")
            for name, o in OPTIMIZERS.items()
        },
        rtol=1e-4,
    ),
    *programs(
        "embeddings",
        {
            "gradient_is_rows": """
            w = tf.get_variable("w", initializer=np.ones((5, 2), np.float32), use_resource=False)
            y = tf.gather(w, [[0, 2], [0, 1]]); z = tf.nn.embedding_lookup(w, [1, 1])
            g = tf.gradients(tf.reduce_sum(y * y), w)[0]
            show(isinstance(g, tf.IndexedSlices), g.values.get_shape(), g.indices, run(g), run({"g": [g]}))
            h = tf.gradients(tf.reduce_sum(y) + tf.reduce_sum(z), w)[0]
            show(isinstance(h, tf.IndexedSlices), run(h))
            show(tf.gradients(tf.reduce_sum(y) + tf.reduce_sum(w), w)[0], tf.gradients(tf.gather(w * 2., [0, 2]), w)[0])
            show(run(tf.convert_to_tensor(h)), isinstance(tf.gradients(tf.gather(w, [0], axis=1), w)[0], tf.Tensor))
        """,
            "clipping": """
            w = tf.get_variable("w", initializer=np.ones((5, 2), np.float32), use_resource=False)
            b = tf.get_variable("b", initializer=np.ones(3, np.float32), use_resource=False)
            loss = tf.reduce_sum(tf.square(tf.gather(w, [0, 2, 0]))) + tf.reduce_sum(b)
            gs = tf.gradients(loss, [w, b])
            clipped, norm = tf.clip_by_global_norm(gs, 1.)
            show(norm, run([clipped, norm]), run(tf.clip_by_norm(gs[0], .5)), run(tf.clip_by_value(gs[0], -.1, .1)))
            show(run(tf.global_norm(gs)), run(tf.scalar_mul(2., gs[0])))
            step = tf.train.GradientDescentOptimizer(1.).apply_gradients(zip(clipped, [w, b])); run(step); show(run([w, b]))
        """,
            "second_order": """
            w = tf.get_variable("w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2), use_resource=False)
            g = tf.gradients(tf.reduce_sum(tf.gather(w, [0, 2, 0]) ** 3), w)[0]
            show(run(tf.gradients(g.values * g.values, w)[0]))
        """,
            "nce_with_given_samples": """
            w = tf.get_variable("w", initializer=np.linspace(-1, 1, 12).astype(np.float32).reshape(6, 2), use_resource=False)
            b = tf.get_variable("b", initializer=np.linspace(0, 1, 6).astype(np.float32), use_resource=False)
            x = tf.constant([[1., 2.], [-1., .5]]); labels = tf.constant([[1], [4]], tf.int64)
            samples = (tf.constant([0, 4, 5], tf.int64), tf.constant([[.5], [.25]]), tf.constant([.1, .2, .3]))
            for remove in (False, True):
                nce = tf.nn.nce_loss(w, b, labels, x, 3, 6, sampled_values=samples, remove_accidental_hits=remove)
                soft = tf.nn.sampled_softmax_loss(w, b, labels, x, 3, 6, sampled_values=samples, remove_accidental_hits=remove)
                show(nce.get_shape(), run([nce, soft]))
                show([run(tf.convert_to_tensor(g)) for loss in (nce, soft) for g in tf.gradients(loss, [w, b, x])])
        """,
            "nce_with_two_labels": """
            w = tf.constant(np.linspace(-1, 1, 12).astype(np.float32).reshape(6, 2)); b = tf.zeros([6])
            x = tf.constant([[1., 2.], [-1., .5]]); labels = tf.constant([[1, 2], [4, 0]], tf.int64)
            samples = (tf.constant([0, 4, 5], tf.int64), tf.constant([[.5, .4], [.25, .1]]), tf.constant([.1, .2, .3]))
            show(run(tf.nn.nce_loss(w, b, labels, x, 3, 6, num_true=2, sampled_values=samples)))
            show(run(tf.nn.sampled_softmax_loss(w, b, labels, x, 3, 6, num_true=2, sampled_values=samples)))
            show(run(tf.nn.nce_loss([w[::2], w[1::2]], b, labels[:, :1], x, 3, 6, sampled_values=(samples[0], samples[1][:, :1], samples[2]))))
        """,
            "samplers_outputs": """
            s = tf.nn.log_uniform_candidate_sampler([[1, 2]], 2, 4, True, 10)
            show(s.sampled_candidates, s.true_expected_count, s.sampled_expected_count, type(s).__name__)
        """,
        },
    ),
]
CASES += programs(
    "embeddings",
    {
        "safe_lookup_sparse": """
        t = tf.constant(np.arange(12.).reshape(6, 2), tf.float32)
        ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [3, 0]], tf.constant([1, 3, -1, 2], tf.int64), [5, 2])
        weights = tf.SparseTensor(ids.indices, tf.constant([1., 2., 3., 0.]), ids.dense_shape)
        show(run(tf.nn.safe_embedding_lookup_sparse([t], ids)), run(tf.nn.safe_embedding_lookup_sparse([t], ids, default_id=4)))
        show(run(tf.nn.safe_embedding_lookup_sparse([t], ids, weights, combiner="mean")), run(tf.nn.safe_embedding_lookup_sparse([t], ids, weights, combiner="sum")))
    """
    },
)
