"""The names of `tf.user_ops`."""

from minitf.library.graph_tools.user_ops import my_fact as my_fact
