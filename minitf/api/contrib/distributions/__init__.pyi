"""The names of `tf.contrib.distributions`."""

from minitf.library.distributions.base import Distribution as ConditionalDistribution
from minitf.library.distributions.base import Distribution as Distribution
from minitf.library.distributions.base import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from minitf.library.distributions.base import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from minitf.library.distributions.base import RegisterKL as RegisterKL
from minitf.library.distributions.base import ReparameterizationType as ReparameterizationType
from minitf.library.distributions.base import kl_divergence as kl_divergence
from minitf.library.distributions.continuous import Normal as Normal
from minitf.library.distributions.continuous import Uniform as Uniform
from minitf.library.distributions.discrete import Bernoulli as Bernoulli
from minitf.library.distributions.discrete import Categorical as Categorical

__all__ = [
    "Bernoulli", "Categorical", "ConditionalDistribution", "Distribution",
    "FULLY_REPARAMETERIZED", "NOT_REPARAMETERIZED", "Normal", "RegisterKL",
    "ReparameterizationType", "Uniform", "kl_divergence"
]
