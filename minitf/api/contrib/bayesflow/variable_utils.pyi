"""The names of `tf.contrib.bayesflow.variable_utils`."""

from minitf.compat.contrib.variational_inference import externalize_variables_as_args as externalize_variables_as_args
