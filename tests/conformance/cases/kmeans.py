"""The estimator of k-means clustering."""

from ..case import programs

PRELUDE = """
    K = tf.estimator.experimental.KMeans
"""

PROGRAMS = {
    "refusals": """
        fails(lambda: K(2, initial_clusters="other"))
        fails(lambda: K(2, distance_metric="other"))
    """,
}

CASES = programs(
    "kmeans",
    {name: PRELUDE + text.replace("\n        ", "\n    ") for name, text in PROGRAMS.items()},
)
