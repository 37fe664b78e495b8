"""The names of `tf.distributions`."""

from minitf.library.distributions import Bernoulli as Bernoulli
from minitf.library.distributions import Categorical as Categorical
from minitf.library.distributions import Distribution as Distribution
from minitf.library.distributions import Normal as Normal
from minitf.library.distributions import kl_divergence as kl_divergence
