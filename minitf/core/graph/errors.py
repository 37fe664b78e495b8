"""The exceptions that a step can raise, with TensorFlow's names and error codes.

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

    _code = UNKNOWN

    def __init_subclass__(cls, code: int | None = None) -> None:
        """Sets the code of the class; by default, that of its base."""
        cls._code = cls._code if code is None else code

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int | None = None) -> None:
        super().__init__(message)
        self.node_def, self.op, self.message = node_def, op, message
        self.error_code = self._code if error_code is None else error_code

    @classmethod
    def of(cls, message: str) -> OpError:
        """An error without an operation."""
        return cls(None, None, message)

    def __str__(self) -> str:
        if self.op is None:
            return self.message
        lines = [self.message, "", f"Original stack trace for {self.op.name!r}:"]
        lines += [f"  File {f.filename!r}, line {f.lineno}, in {f.name}" for f in self.op.traceback]
        return "\n".join(lines)

    def __reduce__(self) -> tuple:
        return type(self), (None, None, self.message)


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph has no value yet, so Python cannot test it or iterate over it."""


class InaccessibleTensorError(ValueError):
    """A tensor is used outside of the function, branch or loop that it belongs to."""


class CancelledError(OpError, code=CANCELLED):
    """The step or operation was cancelled."""


class UnknownError(OpError, code=UNKNOWN):
    """A kernel failed in a way nobody foresaw."""


class InvalidArgumentError(OpError, code=INVALID_ARGUMENT):
    """A value, shape or device cannot be used."""


class DeadlineExceededError(OpError, code=DEADLINE_EXCEEDED):
    """A time limit ran out."""


class NotFoundError(OpError, code=NOT_FOUND):
    """A file, a resource or a name is not there."""


class AlreadyExistsError(OpError, code=ALREADY_EXISTS):
    """It exists already."""


class PermissionDeniedError(OpError, code=PERMISSION_DENIED):
    """The caller may not do this."""


class ResourceExhaustedError(OpError, code=RESOURCE_EXHAUSTED):
    """Memory ran out."""


class FailedPreconditionError(OpError, code=FAILED_PRECONDITION):
    """A variable is read before its init."""


class AbortedError(OpError, code=ABORTED):
    """The step was broken off: a peer restarted."""


class OutOfRangeError(OpError, code=OUT_OF_RANGE):
    """The input came to its end."""


class UnimplementedError(OpError, code=UNIMPLEMENTED):
    """No kernel does this."""


class InternalError(OpError, code=INTERNAL):
    """An invariant of the runtime broke."""


class UnavailableError(OpError, code=UNAVAILABLE):
    """The peer cannot be reached."""


class DataLossError(OpError, code=DATA_LOSS):
    """Data is lost or corrupt."""


class UnauthenticatedError(OpError, code=UNAUTHENTICATED):
    """The caller did not prove who it is."""


_CLASSES = {each._code: each for each in OpError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Returns the class for an error code, `UnknownError` for a code that has none."""
    return _CLASSES.get(error_code, UnknownError)


def make_error(code: int, message: str, node_def: Any = None, op: Any = None) -> OpError:
    """Returns the exception of the class that belongs to `code`."""
    return exception_type_from_error_code(code)(node_def, op, message)
