"""The namespace `tf.contrib.factorization`: names only."""

from minitf.compat.kmeans import (
    COSINE_DISTANCE,
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
