"""`tf.logging`: messages with a level, through Python's own logging."""

from __future__ import annotations

import logging
import sys
from typing import Any

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

_logger = logging.getLogger("minitf")


def _prepare() -> None:
    """Writes to the standard error, once, unless the program set up logging itself."""
    if not _logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(levelname)s:tensorflow:%(message)s"))
        _logger.addHandler(handler)
        _logger.propagate = False
    if _logger.level == logging.NOTSET:
        _logger.setLevel(WARN)


def log(level: int, msg: str, *args: Any) -> None:
    """Writes a message of a level; `args` go into its `%` places."""
    _prepare()
    _logger.log(level, msg, *args)


def debug(msg: str, *args: Any) -> None:
    """Writes a message for developers."""
    log(DEBUG, msg, *args)


def info(msg: str, *args: Any) -> None:
    """Writes a message about progress."""
    log(INFO, msg, *args)


def warning(msg: str, *args: Any) -> None:
    """Writes a warning."""
    log(WARN, msg, *args)


warn = warning


def error(msg: str, *args: Any) -> None:
    """Writes an error."""
    log(ERROR, msg, *args)


def fatal(msg: str, *args: Any) -> None:
    """Writes a fatal error."""
    log(FATAL, msg, *args)


def get_logger() -> logging.Logger:
    """The logger of Python's own that the messages go to."""
    _prepare()
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
    _prepare()
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The lowest level that is written."""
    return _logger.level or WARN


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
        log(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Writes a message the first `n` times that this line runs."""
    log_if(level, msg, _count_of_line() < n, *args)
