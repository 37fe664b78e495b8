"""The names of `tf.contrib.bayesflow.special_math`."""

from minitf.library.distributions.continuous import log_cdf_laplace as log_cdf_laplace
from minitf.library.distributions.continuous import log_ndtr as log_ndtr
from minitf.library.distributions.continuous import ndtr as ndtr
from minitf.library.numeric.gamma_functions import ndtri as ndtri
