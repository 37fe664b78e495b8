"""The names of `tf.contrib.tensorrt`."""

from minitf.compat.contrib.foreign import calib_graph_to_infer_graph as calib_graph_to_infer_graph
from minitf.compat.contrib.foreign import create_inference_graph as create_inference_graph
