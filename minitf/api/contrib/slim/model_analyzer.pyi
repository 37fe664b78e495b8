"""The names of `tf.contrib.slim.model_analyzer`."""

from minitf.compat.slim.model_analyzer import analyze_vars as analyze_vars
from minitf.compat.slim.model_analyzer import tensor_description as tensor_description
