"""Where the library's own lines go: those of `tf.Print`, `tf.print` and the placement log.

    a program     -> standard error, apart from the program's results
    a notebook    -> standard output, in line with what the cell prints

A notebook collects the two streams apart, so that the lines of one and the `print`s beside them
lose their order, which is often just what a reader is to see. TensorFlow does the same for
`tf.print` where there is an IPython.
"""

from __future__ import annotations

import builtins
import sys
from typing import TextIO


def log_stream() -> TextIO:
    """Returns the stream for lines that tell what a step does."""
    return sys.stdout if hasattr(builtins, "get_ipython") else sys.stderr
