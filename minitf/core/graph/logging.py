"""`tf.logging`: messages with a level, through Python's own logging."""

from __future__ import annotations

import builtins
import logging
import sys
from typing import Any, TextIO

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

_logger = logging.getLogger("tensorflow")
if not logging.getLogger().handlers:  # the program has set up none of its own
    _handler = logging.StreamHandler(sys.stderr)
    _handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    _logger.addHandler(_handler)


# As `info("%d steps", n)`: the values go into the `%` places.
log = _logger.log
debug, info, warning, error = _logger.debug, _logger.info, _logger.warning, _logger.error
warn, fatal = warning, _logger.critical


def get_logger() -> logging.Logger:
    """The logger of Python's own that the messages go to: that of the name "tensorflow"."""
    return _logger


def set_verbosity(v: int) -> None:
    """Sets the lowest level that is written.

    Args:
      v: `tf.logging.DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
    Example:
      >>> tf.logging.set_verbosity(tf.logging.ERROR)
      >>> tf.logging.get_verbosity() == tf.logging.ERROR
      True
      >>> tf.logging.set_verbosity(tf.logging.WARN)
    """
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The lowest level that is written."""
    return _logger.getEffectiveLevel()


# ---- not every time ------------------------------------------------------------------------

_counts: dict[Any, int] = {}


def _count_of_line() -> int:
    """How often the caller's caller was here before."""
    frame = sys._getframe(2)
    place = (frame.f_code, frame.f_lineno)
    _counts[place] = _counts.get(place, -1) + 1
    return _counts[place]


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Writes a message when a condition holds."""
    if condition:
        _logger.log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Writes a message the first `n` times that this line runs."""
    if _count_of_line() < n:
        _logger.log(level, msg, *args, stacklevel=2)


# ---- console -----------------------------------------------------------------------------
#
# Where the library's own lines go: those of `tf.Print`, `tf.print` and the placement log.
#
#     a program     -> standard error, apart from the program's results
#     a notebook    -> standard output, in line with what the cell prints
#
# A notebook collects the two streams apart, so that the lines of one and the `print`s beside them
# lose their order, which is often just what a reader is to see. TensorFlow does the same for
# `tf.print` where there is an IPython.


def log_stream() -> TextIO:
    """Returns the stream for lines that tell what a step does."""
    return sys.stdout if hasattr(builtins, "get_ipython") else sys.stderr
