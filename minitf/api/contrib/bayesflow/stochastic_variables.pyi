"""The names of `tf.contrib.bayesflow.stochastic_variables`."""

from minitf.compat.contrib.variational_inference import get_stochastic_variable as get_stochastic_variable
from minitf.compat.contrib.variational_inference import make_stochastic_variable_getter as make_stochastic_variable_getter
