"""The names of `tf.contrib.bayesflow.stochastic_gradient_estimators`."""

from minitf.compat.contrib.bayesflow import get_mean_baseline as get_mean_baseline
from minitf.compat.contrib.bayesflow import get_score_function_with_advantage as get_score_function_with_advantage
from minitf.compat.contrib.bayesflow import get_score_function_with_baseline as get_score_function_with_baseline
from minitf.compat.contrib.bayesflow import get_score_function_with_constant_baseline as get_score_function_with_constant_baseline
from minitf.compat.contrib.bayesflow import score_function as score_function
