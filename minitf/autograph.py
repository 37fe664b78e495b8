"""The namespace `tf.autograph`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.library.eager.autograph: experimental set_verbosity to_code to_graph trace
""",
)
