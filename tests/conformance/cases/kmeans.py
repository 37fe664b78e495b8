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
    "full_batch": """
        k = K(2, initial_clusters=first, use_mini_batch=False, model_dir=folder)
        k.train(many, steps=3)
        show(k.cluster_centers(), list(k.predict_cluster_index(once)), list(k.transform(once)), round(float(k.score(once)), 4))
        show(sorted(k.get_variable_names()), int(k.get_variable_value("global_step")))
    """,
    "mini_batch": """
        k = K(2, initial_clusters=first, model_dir=folder)
        k.train(many, steps=4)
        show(k.cluster_centers().round(0), [int(p["cluster_index"]) for p in k.predict(once)])
    """,
    "cosine": """
        k = K(2, initial_clusters=np.float32([[1., .1], [.1, 1.]]), distance_metric="cosine", use_mini_batch=False, model_dir=folder)
        k.train(lambda: tf.data.Dataset.from_tensors(tf.constant(points[1:])).repeat(3))
        show(k.cluster_centers(), float(k.score(lambda: tf.data.Dataset.from_tensors(tf.constant(points[1:])))))
    """,
    "tolerance": """
        k = K(2, initial_clusters=first, use_mini_batch=False, relative_tolerance=.01, model_dir=folder)
        k.train(many)
        show(int(k.get_variable_value("global_step")) < 20)
    """,
    "columns": """
        f = lambda: tf.data.Dataset.from_tensors({"b": points[:, :1], "a": points[:, 1:]}).repeat(2)
        k = K(2, initial_clusters=first, use_mini_batch=False, model_dir=folder)
        k.train(f)
        show(k.cluster_centers())
        columns = [tf.feature_column.numeric_column("b")]
        k = K(2, initial_clusters=first[:, :1], use_mini_batch=False, feature_columns=columns, model_dir=folder + "/b")
        k.train(f)
        show(k.cluster_centers())
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
