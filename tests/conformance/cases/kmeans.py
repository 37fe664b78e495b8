"""The estimator of k-means clustering."""

from ..case import programs

PRELUDE = """
    points = np.float32([[0., 0.], [0., 1.], [5., 5.], [6., 5.], [5., 6.], [1., 0.]])
    first = np.float32([[0., 0.], [4., 4.]])
    def data(): return tf.data.Dataset.from_tensors(tf.constant(points))
    def once(): return data().take(1)
    def many(): return data().repeat(20)
    K = tf.estimator.experimental.KMeans
"""

PROGRAMS = {
    "tolerance": """
        k = K(2, initial_clusters=first, use_mini_batch=False, relative_tolerance=.01, model_dir=folder)
        k.train(many)
        show(int(k.get_variable_value("global_step")) < 20)
    """,
    "refusals": """
        fails(lambda: K(2, initial_clusters="other"))
        fails(lambda: K(2, distance_metric="other"))
    """,
}

CASES = programs(
    "kmeans",
    {name: PRELUDE + text.replace("\n        ", "\n    ") for name, text in PROGRAMS.items()},
)
