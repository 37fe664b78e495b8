"""The names of `tf.contrib.distributions`."""

from minitf.compat.contrib.small_functions import percentile as percentile
from minitf.library.distributions.base import Distribution as Distribution
from minitf.library.distributions.base import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from minitf.library.distributions.base import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from minitf.library.distributions.base import RegisterKL as RegisterKL
from minitf.library.distributions.base import ReparameterizationType as ReparameterizationType
from minitf.library.distributions.base import kl_divergence as kl_divergence
from minitf.library.distributions.continuous import Beta as Beta
from minitf.library.distributions.continuous import Dirichlet as Dirichlet
from minitf.library.distributions.continuous import Exponential as Exponential
from minitf.library.distributions.continuous import Gamma as Gamma
from minitf.library.distributions.continuous import Laplace as Laplace
from minitf.library.distributions.continuous import Normal as Normal
from minitf.library.distributions.continuous import StudentT as StudentT
from minitf.library.distributions.continuous import Uniform as Uniform
from minitf.library.distributions.discrete import Bernoulli as Bernoulli
from minitf.library.distributions.discrete import Categorical as Categorical
from minitf.library.distributions.discrete import DirichletMultinomial as DirichletMultinomial
from minitf.library.distributions.discrete import Multinomial as Multinomial
from minitf.library.distributions.multivariate import Independent as Independent
from minitf.library.distributions.multivariate import MultivariateNormalDiag as MultivariateNormalDiag
from minitf.library.distributions.multivariate import OneHotCategorical as OneHotCategorical
from minitf.library.distributions.multivariate import Poisson as Poisson
from minitf.library.distributions.multivariate import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from minitf.library.distributions.multivariate import softplus_inverse as softplus_inverse
