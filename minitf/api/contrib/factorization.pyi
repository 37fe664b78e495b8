"""The names of `tf.contrib.factorization`."""

from minitf.compat.contrib.gaussian_mixtures import GMM as GMM
from minitf.compat.contrib.gaussian_mixtures import GmmAlgorithm as GmmAlgorithm
from minitf.compat.contrib.gaussian_mixtures import gmm as gmm
from minitf.compat.contrib.kmeans import COSINE_DISTANCE as COSINE_DISTANCE
from minitf.compat.contrib.kmeans import KMC2_INIT as KMC2_INIT
from minitf.compat.contrib.kmeans import KMEANS_PLUS_PLUS_INIT as KMEANS_PLUS_PLUS_INIT
from minitf.compat.contrib.kmeans import KMeans as KMeans
from minitf.compat.contrib.kmeans import RANDOM_INIT as RANDOM_INIT
from minitf.compat.contrib.kmeans import SQUARED_EUCLIDEAN_DISTANCE as SQUARED_EUCLIDEAN_DISTANCE
from minitf.compat.contrib.kmeans_estimator import KMeansClustering as KMeansClustering
from minitf.compat.contrib.wals import WALSModel as WALSModel
from minitf.compat.contrib.wals_estimator import WALSMatrixFactorization as WALSMatrixFactorization
