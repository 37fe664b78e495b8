"""The names of `tf.contrib.bayesflow.stochastic_graph`."""

from minitf.compat.contrib.bayesflow import BaseStochasticTensor as BaseStochasticTensor
from minitf.compat.contrib.bayesflow import MeanValue as MeanValue
from minitf.compat.contrib.bayesflow import NoValueTypeSetError as NoValueTypeSetError
from minitf.compat.contrib.bayesflow import ObservedStochasticTensor as ObservedStochasticTensor
from minitf.compat.contrib.bayesflow import SampleValue as SampleValue
from minitf.compat.contrib.bayesflow import StochasticTensor as StochasticTensor
from minitf.compat.contrib.bayesflow import get_current_value_type as get_current_value_type
from minitf.compat.contrib.bayesflow import surrogate_loss as surrogate_loss
from minitf.compat.contrib.bayesflow import value_type as value_type
