"""The names of `tf.contrib.bayesflow.halton_sequence`."""

from minitf.compat.contrib.bayesflow import halton as sample

__all__ = [
    "sample"
]
