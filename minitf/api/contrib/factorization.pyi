"""The names of `tf.contrib.factorization`."""

from minitf.compat.contrib.clustering import KMeans as KMeans
from minitf.compat.contrib.clustering import KMeansClustering as KMeansClustering
