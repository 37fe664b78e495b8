"""The names of `tf.contrib.bayesflow.monte_carlo`."""

from minitf.compat.contrib.bayesflow import expectation as expectation
from minitf.compat.contrib.bayesflow import expectation_importance_sampler as expectation_importance_sampler
from minitf.compat.contrib.bayesflow import expectation_importance_sampler_logspace as expectation_importance_sampler_logspace
