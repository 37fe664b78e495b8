"""Connectionist temporal classification: losses, gradients, decoders."""

from ..case import programs, table

PRELUDE = """
    R = np.random.RandomState(0); x = tf.constant(R.randn(6, 3, 5).astype("f"), name="x"); sharp = x * 3.
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]], [1, 2, 0, 3, 3, 1], [3, 3]); n = [6, 4, 6]
"""

ROWS = """
loss | tf.nn.ctc_loss(labels, x, n) | x
loss_batch_major | tf.nn.ctc_loss(labels, tf.transpose(x, [1, 0, 2]), n, time_major=False) | x
loss_not_merged | tf.nn.ctc_loss(labels, x, n, ctc_merge_repeated=False) | x
loss_collapsed | tf.nn.ctc_loss(labels, x, n, preprocess_collapse_repeated=True) | x
loss_too_long | tf.nn.ctc_loss(labels, x, [6, 4, 2], ignore_longer_outputs_than_inputs=True)
loss_keywords | tf.nn.ctc_loss(labels=labels, inputs=sharp, sequence_length=n) | x
greedy | tf.nn.ctc_greedy_decoder(sharp, n)[1]
greedy_values | tf.nn.ctc_greedy_decoder(sharp, n)[0][0].values
greedy_indices | tf.nn.ctc_greedy_decoder(sharp, n)[0][0].indices
greedy_shape | tf.nn.ctc_greedy_decoder(sharp, n)[0][0].dense_shape
greedy_not_merged | tf.nn.ctc_greedy_decoder(sharp, n, merge_repeated=False)[0][0].values
beam_values | tf.nn.ctc_beam_search_decoder(x, n, beam_width=20, top_paths=2)[0][0].values
beam_second | tf.nn.ctc_beam_search_decoder(x, n, beam_width=20, top_paths=2)[0][1].values
beam_scores | tf.nn.ctc_beam_search_decoder(x, n, beam_width=50, top_paths=3)[1]
beam_not_merged | tf.nn.ctc_beam_search_decoder(sharp, n, 30, merge_repeated=False)[0][0].values
"""

CASES = [
    *table("ctc", PRELUDE, ROWS, rtol=1e-4),
    *programs(
        "ctc_errors",
        {
            "no_time": """
            x = tf.zeros([3, 1, 4]); labels = tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2])
            try:
                run(tf.nn.ctc_loss(labels, x, [1]))
            except tf.errors.InvalidArgumentError as e:
                show("required: 2, available: 1" in str(e))
            fails(tf.nn.ctc_loss, [1], x, [1])
        """,
            "blanks_and_negative_labels": """
            x = tf.constant(np.sin(np.arange(72)).reshape(6, 3, 4), tf.float32); i = tf.placeholder(tf.int64, [None, 2]); v = tf.placeholder(tf.int32, [None])
            losses = [tf.nn.ctc_loss(tf.SparseTensor(i, v, [3, 4]), x, [6, 6, 5], preprocess_collapse_repeated=c, ctc_merge_repeated=m) for c in (False, True) for m in (False, True)]
            def feeds(rows): return {i: [(j, k) for j, row in enumerate(rows) for k in range(len(row))], v: sum(rows, [])}
            for rows in ([[0, 3], [1, 1, 3], [2, 2, 3, 3]], [[1], [1, 9], [2]]): show(run([losses, tf.gradients(losses, x)], feeds(rows)))
            for rows in ([[1], [3, 1], [2]], [[1], [0, 5, 1], [2]], [[-1], [1], [2]], [[1], [2, -2], [0]], [[1], [3, 3, 1], [-2]]): fails(run, losses[2], feeds(rows))
        """,
        },
    ),
]
