"""The names of `tf.contrib.quantize`."""

from minitf.compat.contrib.quantize import create_eval_graph as create_eval_graph
from minitf.compat.contrib.quantize import create_training_graph as create_training_graph
from minitf.compat.contrib.quantize import experimental_create_eval_graph as experimental_create_eval_graph
from minitf.compat.contrib.quantize import experimental_create_training_graph as experimental_create_training_graph
