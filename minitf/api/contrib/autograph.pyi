"""The names of `tf.contrib.autograph`."""

from minitf.library.eager.autograph import to_graph as convert
from minitf.library.eager.autograph import set_verbosity as set_verbosity
from minitf.library.eager.autograph import to_code as to_code
from minitf.library.eager.autograph import to_graph as to_graph
from minitf.library.graph_tools import physical_devices as experimental
from minitf.library.numeric.diagonals import trace as trace

__all__ = [
    "convert", "experimental", "set_verbosity", "to_code", "to_graph", "trace"
]
