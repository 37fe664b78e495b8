"""The namespace `tf.autograph`: names only."""

from minitf.transforms.autograph import experimental, set_verbosity, to_code, to_graph, trace

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
