"""The names of `tf.contrib.ndlstm`."""

from minitf.api.contrib.ndlstm import lstm1d as lstm1d
from minitf.api.contrib.ndlstm import lstm2d as lstm2d
