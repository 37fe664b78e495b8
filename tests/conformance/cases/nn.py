"""Neural network ops without convolutions."""

from ..case import programs, table

PRELUDE = """
    x = tf.constant([[1., -2., .5, 3.], [0., .25, -1., 2.]], name="x"); b = tf.constant([.1, .2, .3, .4], name="b")
    y = tf.constant([[0., 1., 0., 0.], [.25, .25, .25, .25]], name="y"); z = tf.constant([3, 0], name="z")
    t = tf.reshape(tf.range(24.) / 6. - 2., [2, 3, 4])
"""

ROWS = """
relu | tf.nn.relu(x) | x
relu6 | tf.nn.relu6(x * 4.) | x
elu | tf.nn.elu(x) | x
selu | tf.nn.selu(x) | x
leaky_relu | tf.nn.leaky_relu(x) | x
leaky_relu_alpha | tf.nn.leaky_relu(x, alpha=.1) | x
softplus | tf.nn.softplus(x) | x
softplus_large | tf.nn.softplus(x * 40.) | x
softsign | tf.nn.softsign(x) | x
sigmoid | tf.nn.sigmoid(x) | x
sigmoid_large | tf.nn.sigmoid(x * 50.)
tanh | tf.nn.tanh(x) | x
softmax | tf.nn.softmax(x) | x
softmax_large | tf.nn.softmax(x * 100.) | x
softmax_axis | tf.nn.softmax(x, axis=0) | x
softmax_of_rank_3 | tf.nn.softmax(t) | t
softmax_of_vector | tf.nn.softmax(b) | b
log_softmax | tf.nn.log_softmax(x) | x
log_softmax_large | tf.nn.log_softmax(x * 100.) | x
bias_add | tf.nn.bias_add(x, b) | x b
bias_add_rank_3 | tf.nn.bias_add(t, b) | t b
xw_plus_b | tf.nn.xw_plus_b(x, tf.ones([4, 2]), [1., 2.]) | x
l2_loss | tf.nn.l2_loss(x) | x
xent | tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x) | x
xent_v2 | tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x) | x y
xent_large | tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x * 100.) | x
xent_rank_3 | tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(t), logits=t) | t
sparse_xent | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=z, logits=x) | x
sparse_xent_int64 | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(z, tf.int64), logits=x) | x
sparse_xent_rank_3 | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0, 1, 2], [3, 2, 1]], logits=t) | t
sigmoid_xent | tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x) | x y
weighted_xent | tf.nn.weighted_cross_entropy_with_logits(targets=y, logits=x, pos_weight=2.) | x
in_top_k | tf.nn.in_top_k(x, z, 1)
moments | tf.nn.moments(x, [0])[0] | x
l2_normalize | tf.nn.l2_normalize(x, 1) | x
embedding | tf.nn.embedding_lookup(x, [[0, 1], [1, 1]]) | x
dropout_keeps_all | tf.nn.dropout(x, 1.) | x
"""

CASES = [
    *table("nn", PRELUDE, ROWS),
    *programs(
        "nn",
        {
            "perceptron_by_hand": """
            rng = np.random.RandomState(1)
            x = tf.constant(rng.randn(5, 4).astype("f"), name="x"); t = tf.one_hot([0, 2, 1, 2, 0], 3)
            w1 = tf.Variable(rng.randn(4, 6).astype("f"), name="w1"); b1 = tf.Variable(tf.zeros([6]), name="b1")
            w2 = tf.Variable(rng.randn(6, 3).astype("f"), name="w2"); b2 = tf.Variable(tf.zeros([3]), name="b2")
            h = tf.nn.relu(tf.matmul(x, w1) + b1)
            logits = tf.add(tf.matmul(h, w2), b2, name="logits")
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=t, logits=logits), name="loss")
            check(loss, w1, b1, w2, b2)
            show(tf.gradients(loss, [w1, b1, w2, b2]))
        """,
            "cross_entropy_by_hand": """
            x = tf.constant([[1., 2.], [3., -1.]]); t = tf.constant([[0., 1.], [1., 0.]])
            check(-tf.reduce_sum(t * tf.log(tf.nn.softmax(x)), 1), x)
            check(tf.reduce_mean(-tf.reduce_sum(t * tf.log(tf.clip_by_value(tf.nn.softmax(x), 1e-10, 1.)), reduction_indices=[1])), x)
        """,
            "sparse_label_out_of_range": """
            x = tf.constant([[1., 2.]]); z = tf.placeholder(tf.int32, [1], name="z")
            fails(run, tf.nn.sparse_softmax_cross_entropy_with_logits(labels=z, logits=x, name="xent"), {z: [5]})
        """,
            "dropout_drops": """
            x = tf.ones([1000])
            y = tf.nn.dropout(x, keep_prob=.75, seed=3)
            show(y)
            drawn = run(y)
            show(bool(650 < (drawn > 0).sum() < 850), np.unique(drawn))
        """,
        },
    ),
]
