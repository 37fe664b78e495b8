"""The names of `tf.contrib.solvers`."""

from minitf.compat.contrib import solvers as lanczos
from minitf.compat.contrib import solvers as least_squares
from minitf.compat.contrib import solvers as linear_equations
from minitf.compat.contrib import solvers as util

__all__ = [
    "lanczos", "least_squares", "linear_equations", "util"
]
