"""The names of `tf.contrib.factorization`."""

from minitf.compat.contrib.kmeans import COSINE_DISTANCE as COSINE_DISTANCE
from minitf.compat.contrib.kmeans import KMC2_INIT as KMC2_INIT
from minitf.compat.contrib.kmeans import KMEANS_PLUS_PLUS_INIT as KMEANS_PLUS_PLUS_INIT
from minitf.compat.contrib.kmeans import KMeans as KMeans
from minitf.compat.contrib.kmeans import RANDOM_INIT as RANDOM_INIT
from minitf.compat.contrib.kmeans import SQUARED_EUCLIDEAN_DISTANCE as SQUARED_EUCLIDEAN_DISTANCE
from minitf.compat.contrib.kmeans_estimator import KMeansClustering as KMeansClustering
