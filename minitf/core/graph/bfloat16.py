"""Floats of 16 bits with the range of float32, from the optional package `ml_dtypes`.

NumPy has no such type. The package gives it one, with arithmetic; it is imported when a program
first asks what `tf.bfloat16` is made of. Kernels know nothing of it: `core/runtime/emit/bind.py`
lets them compute in float32, and rounds what they give, as TensorFlow does on a CPU.
"""

from __future__ import annotations


def bfloat16_type() -> type:
    """The scalar type, as NumPy has them.

    Raises:
      ImportError: when the package is missing.
    """
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise ImportError(
            "tf.bfloat16 needs the package ml_dtypes: pip install 'minitf[bfloat16]'"
        ) from None
    return bfloat16
