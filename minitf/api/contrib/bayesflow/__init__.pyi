"""The names of `tf.contrib.bayesflow`."""

from minitf.api.contrib.bayesflow import hmc as hmc
from minitf.api.contrib.bayesflow import layers as layers
from minitf.api.contrib.bayesflow import mcmc_diagnostics as mcmc_diagnostics
from minitf.api.contrib.bayesflow import metropolis_hastings as metropolis_hastings
from minitf.api.contrib.bayesflow import monte_carlo as monte_carlo
from minitf.api.contrib.bayesflow import stochastic_gradient_estimators as stochastic_gradient_estimators
from minitf.api.contrib.bayesflow import stochastic_graph as stochastic_graph
from minitf.api.contrib.bayesflow import stochastic_tensor as stochastic_tensor
