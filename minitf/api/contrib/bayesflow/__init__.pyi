"""The names of `tf.contrib.bayesflow`."""

from minitf.api.contrib.bayesflow import csiszar_divergence as csiszar_divergence
from minitf.api.contrib.bayesflow import custom_grad as custom_grad
from minitf.api.contrib.bayesflow import entropy as entropy
from minitf.api.contrib.bayesflow import halton_sequence as halton_sequence
from minitf.api.contrib.bayesflow import hmc as hmc
from minitf.api.contrib.bayesflow import layers as layers
from minitf.api.contrib.bayesflow import mcmc_diagnostics as mcmc_diagnostics
from minitf.api.contrib.bayesflow import metropolis_hastings as metropolis_hastings
from minitf.api.contrib.bayesflow import monte_carlo as monte_carlo
from minitf.api.contrib.bayesflow import optimizers as optimizers
from minitf.api.contrib.bayesflow import special_math as special_math
from minitf.api.contrib.bayesflow import stochastic_gradient_estimators as stochastic_gradient_estimators
from minitf.api.contrib.bayesflow import stochastic_graph as stochastic_graph
from minitf.api.contrib.bayesflow import stochastic_tensor as stochastic_tensor
from minitf.api.contrib.bayesflow import stochastic_variables as stochastic_variables
from minitf.api.contrib.bayesflow import variable_utils as variable_utils
from minitf.api.contrib.bayesflow import variational_inference as variational_inference
