"""The names of `tf.contrib.nccl`."""

from minitf.compat.contrib.nccl import all_max as all_max
from minitf.compat.contrib.nccl import all_min as all_min
from minitf.compat.contrib.nccl import all_prod as all_prod
from minitf.compat.contrib.nccl import all_sum as all_sum
from minitf.compat.contrib.nccl import broadcast as broadcast
from minitf.compat.contrib.nccl import reduce_sum as reduce_sum
