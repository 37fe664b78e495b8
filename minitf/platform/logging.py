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


def set_verbosity(v: int) -> None:
    """Sets the lowest level that is written."""
    _prepare()
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The lowest level that is written."""
    return _logger.level or WARN
