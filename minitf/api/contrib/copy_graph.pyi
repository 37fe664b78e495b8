"""The names of `tf.contrib.copy_graph`."""

from minitf.compat.contrib.copy_graph import copy_op_to_graph as copy_op_to_graph
from minitf.compat.contrib.copy_graph import copy_variable_to_graph as copy_variable_to_graph
from minitf.compat.contrib.copy_graph import get_copied_op as get_copied_op
