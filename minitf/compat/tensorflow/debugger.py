"""`tensorflow.python.debug`: programs wrap their session in it when a flag asks for the debugger.

The debugger's own screen does not exist here, so the wrapped session runs as it did; `sess.watch`
and the `GraphView` show the values of a run. Filters are kept, and `has_inf_or_nan` can be asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import logging
from minitf.library.sessions.basic_hooks import SessionRunHook


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Whether an array of numbers has one that is infinite or none."""
    value = np.asarray(tensor)
    return value.dtype.kind in "fc" and not np.isfinite(value).all()


class _Filters:
    """What takes filters: a function of a datum and its value, by name."""

    def __init__(self) -> None:
        logging.warning("The debugger of TensorFlow is not there: the session runs without it.")
        self._filters = {"has_inf_or_nan": has_inf_or_nan}

    def add_tensor_filter(self, filter_name: str, tensor_filter: Callable[..., bool]) -> None:
        """Keeps a filter."""
        self._filters[filter_name] = tensor_filter


class DebugWrapperSession(_Filters):
    """A session under another name; everything but filters is the session's own.

    Args:
      sess: the session.
      args, kwargs: how the debugger would show itself.
    """

    def __init__(self, sess: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._session = sess

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_session"], name)

    def __enter__(self) -> Any:
        self._session.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._session.__exit__(*error)


class DebugHook(_Filters, SessionRunHook):
    """A hook that changes nothing; its arguments are how the debugger would show itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()


LocalCLIDebugWrapperSession = DumpingDebugWrapperSession = DebugWrapperSession
GrpcDebugWrapperSession = TensorBoardDebugWrapperSession = DebugWrapperSession
LocalCLIDebugHook = DumpingDebugHook = GrpcDebugHook = TensorBoardDebugHook = DebugHook
