"""Metrics: names, variables, values over several batches, weights."""

from ..case import programs

# Each: what is measured, over batches of labels `t`, predictions `p` in [0, 1], classes `c` and `d`, numbers `w`.
_METRICS = {
    "accuracy": "accuracy(c, d)",
    "accuracy_named": "accuracy(labels=c, predictions=d, name='acc')",
    "accuracy_weights": "accuracy(c, d, weights=w)",
    "accuracy_column": "accuracy(c[:, None], d)",
    "accuracy_float": "accuracy(tf.cast(c, tf.float32), d)",
    "mean": "mean(p)",
    "mean_weights": "mean(p, w)",
    "mean_scalar_weight": "mean(p, 2.)",
    "mean_ints": "mean(c)",
    "mean_matrix": "mean(tf.stack([p, p * 2.], 1), weights=w[:, None])",
    "mean_squared_error": "mean_squared_error(t, p)",
    "mean_squared_error_weights": "mean_squared_error(t, p, w)",
    "root_mean_squared_error": "root_mean_squared_error(t, p)",
    "mean_absolute_error": "mean_absolute_error(t, p)",
    "true_positives": "true_positives(t, c)",
    "false_positives": "false_positives(t, c)",
    "false_negatives": "false_negatives(t, c, weights=w)",
    "precision": "precision(t, c)",
    "precision_weights": "precision(t, c, weights=w)",
    "precision_of_nothing": "precision(t, tf.zeros_like(c))",
    "recall": "recall(t, c)",
    "recall_weights": "recall(t, c, w, name='r')",
    "auc": "auc(t, p)",
    "auc_weights": "auc(t, p, w)",
    "auc_few": "auc(t, p, num_thresholds=5)",
    "auc_pr": "auc(t, p, curve='PR')",
    "auc_careful": "auc(t, p, curve='PR', summation_method='careful_interpolation')",
    "auc_minoring": "auc(t, p, summation_method='minoring', num_thresholds=10)",
    "auc_majoring": "auc(t, p, summation_method='majoring', num_thresholds=10, curve='PR')",
    "auc_thresholds": "auc(t, p, thresholds=[.8, .2, .5])",
}

# Rankings: over batches of labels `l` and scores `s` of 5 classes, weights `w` of the 3 examples.
_RANKINGS = {
    "precision_at_k": "precision_at_k(l, s, 2)",
    "precision_at_1": "precision_at_k(l, s, 1, name='p')",
    "precision_at_k_class": "precision_at_k(l, s, 3, class_id=2)",
    "precision_at_k_weights": "precision_at_k(l, s, 3, weights=w)",
    "recall_at_k": "recall_at_k(l, s, 2)",
    "recall_at_k_class": "recall_at_k(l, s, 4, class_id=1, weights=w)",
    "recall_at_k_one_label": "recall_at_k(l[:, 0], s, 2)",
    "average_precision_at_k": "average_precision_at_k(l, s, 3)",
    "average_precision_at_k_weights": "average_precision_at_k(l, s, 4, weights=w)",
}

_RANKING_PROGRAM = """
l = tf.placeholder(tf.int64, [3, 2], name="l"); s = tf.placeholder(tf.float32, [3, 5], name="s"); w = tf.placeholder(tf.float32, [3], name="w")
random = np.random.RandomState(0)
batches = [{l: labels, s: random.rand(3, 5), w: [1, .5, 2]} for labels in ([[0, 1], [2, 2], [4, 3]], [[1, 3], [0, 4], [2, 1]])]
value, update = tf.metrics.METRIC
show(value, update, tf.local_variables())
for batch in batches:
    show(run(update, batch), run(value))
"""

_PROGRAM = """
t = tf.placeholder(tf.float32, [6], name="t"); p = tf.placeholder(tf.float32, [6], name="p"); w = tf.placeholder(tf.float32, [6], name="w")
c = tf.placeholder(tf.int32, [6], name="c"); d = tf.placeholder(tf.int64, [6], name="d")
batches = [
    {t: [1, 0, 1, 1, 0, 0], p: [.9, .3, .6, .2, .7, .1], w: [1, 2, 0, .5, 1, 1], c: [0, 1, 2, 2, 1, 0], d: [0, 1, 1, 2, 2, 0]},
    {t: [0, 0, 1, 0, 1, 1], p: [.4, .8, 1., 0., .55, .35], w: [0, 1, 1, 3, 1, .25], c: [1, 1, 0, 2, 0, 2], d: [1, 0, 0, 2, 1, 2]},
]
value, update = tf.metrics.METRIC
show(tf.local_variables(), tf.global_variables(), tf.get_collection(tf.GraphKeys.METRIC_VARIABLES), value.dtype, value.shape, update.dtype, update.shape)
show(run(value))
for batch in batches:
    show(run(update, batch), run(value))
"""

CASES = [
    *programs(
        "metrics",
        {
            name: _PROGRAM.replace("tf.metrics.METRIC", "tf.metrics." + text)
            for name, text in _METRICS.items()
        },
        rtol=1e-4,
    ),
    *programs(
        "metrics",
        {
            name: _RANKING_PROGRAM.replace("tf.metrics.METRIC", "tf.metrics." + text)
            for name, text in _RANKINGS.items()
        },
    ),
    *programs(
        "metrics",
        {
            "names": """
            c = tf.constant([1, 2]); d = tf.constant([1, 0])
            show(tf.metrics.accuracy(c, d), tf.metrics.accuracy(c, d), tf.metrics.mean([1., 2.], name="m"), tf.metrics.mean_squared_error(tf.constant([1.]), tf.constant([2.])))
            with tf.name_scope("eval"):
                show(tf.metrics.accuracy(c, d))
            with tf.variable_scope("v"):
                show(tf.metrics.recall(c, d), tf.metrics.auc(c > 1, tf.constant([.1, .2])))
            show(tf.local_variables())
        """,
            "collections": """
            tf.metrics.accuracy([1, 2], [1, 0], metrics_collections=["values"], updates_collections=["updates", "more"])
            show(tf.get_collection("values"), tf.get_collection("updates"), tf.get_collection("more"))
        """,
            "initializer_starts_again": """
            value, update = tf.metrics.mean([1., 3.])
            s = session()
            s.run(tf.local_variables_initializer()); s.run(update); s.run(tf.local_variables_initializer())
            show(s.run(value), s.run(update))
        """,
            "shapes_differ": """
            fails(tf.metrics.accuracy, [1, 2, 3], [1, 2])
        """,
            "not_a_probability": """
            value, update = tf.metrics.auc(tf.constant([True, False]), tf.placeholder_with_default([.5, 1.5], [2]))
            try:
                run(update)
            except tf.errors.InvalidArgumentError as error:
                show("predictions must be in [0, 1]" in error.message)
        """,
        },
    ),
]
