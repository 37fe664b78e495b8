"""The names of `tf.contrib.slim.model_analyzer`."""

from minitf.compat.contrib.inception import analyze_vars as analyze_vars
