"""Eager execution: operations that run when they are called, tapes, and functions traced to graphs.

kernels       the devices and kernels behind it          tensor      a tensor that has its value
context       what stands where a graph would            variables   `tf.Variable` with its value
function      `tf.function`; autograph*: Python's statements on tensors

The tape is in core/gradients/tape.py.
"""

from minitf.library.eager import variables  # from now on `tf.Variable` makes those of this package

__all__ = ["variables"]
