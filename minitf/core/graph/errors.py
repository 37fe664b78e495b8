"""The exceptions a step can raise, with TensorFlow's names and error codes.

    Exception
    └── OpError                     code
        ├── CancelledError            1    the step was given up
        ├── UnknownError              2    a kernel failed in a way nobody foresaw
        ├── InvalidArgumentError      3    a value, a shape or a device that cannot be
        ├── DeadlineExceededError     4    a time limit ran out
        ├── NotFoundError             5    a file or a resource is not there
        ├── AlreadyExistsError        6
        ├── PermissionDeniedError     7
        ├── ResourceExhaustedError    8    out of memory
        ├── FailedPreconditionError   9    an uninitialized variable is read
        ├── AbortedError             10    the peer restarted in between
        ├── OutOfRangeError          11    the data came to its end
        ├── UnimplementedError       12
        ├── InternalError            13
        ├── UnavailableError         14    the peer is not there
        ├── DataLossError            15    a file is torn
        └── UnauthenticatedError     16    the peer did not prove who it is

Errors made while a graph is *built* are plain `ValueError` and `TypeError`; a tensor used where
Python needs a value now (`if tensor:`) raises `OperatorNotAllowedInGraphError`, which is a
`TypeError`.
"""

from __future__ import annotations

from typing import Any

CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """A failed operation.

    Args:
      node_def: the NodeDef of the operation that failed, or None.
      op: the `Operation` of the client's graph, or None when it is not known here.
      message: what went wrong, for a person.
      error_code: one of the codes of this module; that of the class when None.
    """

    _code = UNKNOWN  # of the class

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int | None = None) -> None:
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = self._code if error_code is None else error_code

    @classmethod
    def of(cls, message: str) -> OpError:
        """An error of this class with a message alone, where no operation of a graph has failed."""
        return cls(None, None, message)

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The NodeDef of the operation that failed, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The integer code of this kind of error."""
        return self._error_code

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        lines = [self._message, ""]
        lines.append(f"Original stack trace for {self._op.name!r}:")
        lines += [
            f"  File {f.filename!r}, line {f.lineno}, in {f.name}" for f in self._op.traceback
        ]
        return "\n".join(lines)

    def __reduce__(self) -> tuple:
        return type(self), (None, None, self._message)


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph has no value yet, so Python cannot test it or iterate over it."""


class InaccessibleTensorError(ValueError):
    """A tensor is used outside of the function, branch or loop that it belongs to."""


class CancelledError(OpError):
    """The step or operation was cancelled."""

    _code = CANCELLED


class UnknownError(OpError):
    """A kernel failed in a way nobody foresaw."""

    _code = UNKNOWN


class InvalidArgumentError(OpError):
    """A value, shape or device cannot be used."""

    _code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """A time limit ran out."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A file, a resource or a name is not there."""

    _code = NOT_FOUND


class AlreadyExistsError(OpError):
    """It exists already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    _code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory ran out."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """A variable is read before its init."""

    _code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The step was broken off: a peer restarted."""

    _code = ABORTED


class OutOfRangeError(OpError):
    """The input came to its end."""

    _code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """No kernel does this."""

    _code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant of the runtime broke."""

    _code = INTERNAL


class UnavailableError(OpError):
    """The peer cannot be reached."""

    _code = UNAVAILABLE


class DataLossError(OpError):
    """Data is lost or corrupt."""

    _code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The caller did not prove who it is."""

    _code = UNAUTHENTICATED


_CLASSES = {each._code: each for each in OpError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Returns the class for an error code, `UnknownError` for a code that has none."""
    return _CLASSES.get(error_code, UnknownError)


def make_error(code: int, message: str, node_def: Any = None, op: Any = None) -> OpError:
    """Returns the exception of the class that belongs to `code`."""
    return exception_type_from_error_code(code)(node_def, op, message)
