"""The names of `tf.contrib.training`."""

from minitf.compat.contrib.training import HParams as HParams
from minitf.core.train.device_setter import GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy
from minitf.core.train.device_setter import byte_size_load_fn as byte_size_load_fn
from minitf.library.saving.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from minitf.library.saving.checkpoint_utils import wait_for_new_checkpoint as wait_for_new_checkpoint
