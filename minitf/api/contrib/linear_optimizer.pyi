"""The names of `tf.contrib.linear_optimizer`."""

from minitf.library.estimator.linear_sdca import SDCAOptimizer as SDCAOptimizer
