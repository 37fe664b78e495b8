"""The names of `tf.contrib.receptive_field`."""

from minitf.compat.contrib.receptive_field import ReceptiveField as ReceptiveField
from minitf.compat.contrib.receptive_field import compute_receptive_field_from_graph_def as compute_receptive_field_from_graph_def
from minitf.compat.contrib.receptive_field import get_compute_order as get_compute_order
