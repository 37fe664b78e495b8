"""The names of `tf.distributions`."""

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
