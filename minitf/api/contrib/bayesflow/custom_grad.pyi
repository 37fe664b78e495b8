"""The names of `tf.contrib.bayesflow.custom_grad`."""

from minitf.compat.contrib.bayesflow import custom_gradient as custom_gradient
