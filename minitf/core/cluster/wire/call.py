"""A call between tasks as data: the request, the answer, and the error that an answer may be.

A step that fails in one task fails in the others as well. What these report is marked as derived,
so that a master finds the cause among the echoes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minitf.core.graph import errors

Reply = tuple[dict[str, Any], Any]


@dataclass
class Call:
    """One request, as its handler sees it.

    Attributes:
      fields: the plain data of the request.
      arrays: its arrays.
      nbytes: its size on the wire, 0 within one process.
      connection: the connection it came over, None within one process.
      on_disconnect: set by a handler that may take long: called when the caller has gone away.
      on_reply: set by a handler: called with the size of the reply once it has been sent.
    """

    fields: dict[str, Any]
    arrays: Any
    nbytes: int = 0
    connection: Any = None
    on_disconnect: Callable[[], None] | None = None
    on_reply: Callable[[int], None] | None = None
    started: float = field(default_factory=time.monotonic)


class Answer(NamedTuple):
    """What came back from a call.

    Args:
      fields, arrays: of the reply.
      received: the size of the reply on the wire, in bytes.
      sent: the size of the request.
      origin: how messages about it begin: who has answered what.
    """

    fields: dict[str, Any]
    arrays: list[Any]
    received: int = 0
    sent: int = 0
    origin: str = ""


# ---- errors -------------------------------------------------------------------------------


def encode_error(error: errors.OpError) -> dict[str, Any]:
    """Returns the reply that stands for an error."""
    op = getattr(error.op, "name", error.op)
    reply = {
        "error": int(error.error_code),
        "message": str(error.message).encode(errors="backslashreplace").decode(),
        "op": op if isinstance(op, str) else None,
    }
    return {**reply, "derived": True} if is_derived(error) else reply


def decode_error(reply: dict[str, Any]) -> errors.OpError:
    """Returns the error a reply stands for; `.node_def` is the name of the operation, or None."""
    code = reply["error"]
    if type(code) is not int or not 0 < code <= errors.UNAUTHENTICATED:
        code = errors.UNKNOWN
    op = reply.get("op")
    named = op if type(op) is str else None
    error = errors.make_error(code, str(reply.get("message", "")), named)
    return derived(error) if reply.get("derived") is True else error


def derived(error: errors.OpError) -> errors.OpError:
    """Marks an error as the echo of another, which is not the cause of a failure.

    The mark `located` keeps the executor from giving it the name of another operation.
    """
    error.derived = error.located = True  # type: ignore[attr-defined]
    return error


def is_derived(error: BaseException) -> bool:
    """Whether `derived` has marked an error."""
    return bool(getattr(error, "derived", False))
