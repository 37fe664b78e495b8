"""The names of `tf.contrib.gan.estimator`."""

from minitf.compat.contrib.gan_estimator import GANEstimator as GANEstimator
from minitf.compat.contrib.gan_estimator import SummaryType as SummaryType
