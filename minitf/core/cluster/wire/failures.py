"""Errors on their way between tasks: a code, a message and the name of an operation.

A step that fails in one task fails in the others as well. What these report is marked as derived,
so that a master finds the cause among the echoes.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import errors


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
