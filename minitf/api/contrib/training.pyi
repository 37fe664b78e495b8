"""The names of `tf.contrib.training`."""

from minitf.compat.contrib.hparams import HParams as HParams
from minitf.core.train.device_setter import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
from minitf.core.train.device_setter import RandomStrategy as RandomStrategy
from minitf.core.train.device_setter import byte_size_load_fn as byte_size_load_fn
