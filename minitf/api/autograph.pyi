"""The names of `tf.autograph`."""

from minitf.library.eager.autograph import experimental as experimental
from minitf.library.eager.autograph import to_code as to_code
from minitf.library.eager.autograph import to_graph as to_graph
