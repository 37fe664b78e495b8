"""What may be typed over a tensor: a slice, a reduction, another shape; read without `eval`.

    x[1:, ::2]    x[..., None]    reduce_sum(x, axis=1)    x.sum(axis=1)    reshape(x, [2, -1])

Each gives a result of which every number knows the places of `x` it comes from. Errors are said as
TensorFlow says them, or in the words of a slice.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Result", "broadcast", "evaluate", "parse_shape"]

_NEW_AXIS = {"None", "newaxis", "tf.newaxis", "np.newaxis"}
_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "reduce_sum": np.sum,
    "reduce_mean": np.mean,
    "reduce_max": np.max,
    "reduce_min": np.min,
    "reduce_prod": np.prod,
}


@dataclasses.dataclass(frozen=True)
class Result:
    """What came out: values, and for each of them (flat) the flat places of `x` it is made of."""

    values: np.ndarray
    sources: list[list[int]]


def evaluate(text: str, x: np.ndarray) -> Result:
    """Evaluates what was typed over `x`; see the module for what that may be.

    Raises:
      ValueError: with a sentence for the reader, when it is nothing of that or does not fit.
    Example:
      >>> evaluate("x[1:, ::2]", np.arange(6).reshape(2, 3)).values
      array([[3, 5]])
    """
    text = text.strip()
    places = np.arange(x.size).reshape(x.shape)
    call = re.fullmatch(r"(?:tf\.)?(\w+)\(\s*x\s*(?:,(.*))?\)", text, re.DOTALL)
    if call:
        return _call(call[1], _arguments(call[2] or ""), x, places)
    method = re.fullmatch(r"x\.(\w+)\((.*)\)|x\.(T)", text, re.DOTALL)  # as NumPy's arrays have it
    if method:
        name = "transpose" if method[3] else method[1]
        name = f"reduce_{name}" if f"reduce_{name}" in _REDUCTIONS else name
        return _call(name, _arguments(method[2] or ""), x, places)
    inner = re.fullmatch(r"(?:x\s*)?\[(.*)\]", text, re.DOTALL)
    if inner is None and text not in ("", "x"):
        raise ValueError(
            "Type a slice such as x[1:, ::2], or reduce_sum(x, axis=0), transpose(x), "
            "reshape(x, [2, -1])."
        )
    index = _index(inner[1], x.shape) if inner else ()
    taken = places[index]
    return Result(np.asarray(x[index]), [[int(place)] for place in np.ravel(taken)])


def _index(text: str, shape: tuple[int, ...]) -> tuple[Any, ...]:
    parts = [part.strip() for part in text.split(",")]
    if parts[-1] == "":
        parts.pop()  # a comma may end it
    index = [_part(part) for part in parts]
    if index.count(Ellipsis) > 1:
        raise ValueError("Multiple ellipses not allowed")
    used = [each for each in index if each is not None and each is not Ellipsis]
    if len(used) > len(shape):
        raise ValueError(
            f"Index out of range: {len(used)} indices into a tensor of rank {len(shape)}."
        )
    axis = 0
    for each in index:
        if each is Ellipsis:
            axis += len(shape) - len(used)
        elif each is not None:
            if isinstance(each, int) and not -shape[axis] <= each < shape[axis]:
                raise ValueError(f"slice index {each} of dimension {axis} out of bounds.")
            axis += 1
    return tuple(index)


def _part(text: str) -> Any:
    if text in _NEW_AXIS:
        return None
    if text == "...":
        return Ellipsis
    numbers = [part.strip() for part in text.split(":")]
    if len(numbers) > 3 or any(not re.fullmatch(r"[+-]?\d{1,9}|", part) for part in numbers):
        raise ValueError(f"{text!r} is no index: a number, a start:stop:step, ... or None is.")
    if len(numbers) == 1:
        if not numbers[0]:
            raise ValueError("There is nothing between two commas.")
        return int(numbers[0])
    ends = [int(part) if part else None for part in numbers]
    if len(ends) == 3 and ends[2] == 0:
        raise ValueError("slice step cannot be zero")
    return slice(*ends)


def _arguments(text: str) -> dict[str, Any]:
    """Reads "1, keepdims=True" as {"": 1, "keepdims": True}: numbers, lists of them, booleans."""
    found: dict[str, Any] = {}
    pattern = (
        r"\s*(?:(\w+)\s*=\s*)?(\[[-\d,\s]*\]|\([-\d,\s]*\)|-?\d{1,9}|True|False|None)\s*(?:,|$)"
    )
    at = 0
    while text[at:].strip():
        match = re.match(pattern, text[at:])
        if match is None:
            raise ValueError(f"{text[at:].strip()!r} is no number, list of numbers, True or False.")
        value = match[2]
        if value[0] in "[(":
            read: Any = [int(each) for each in re.findall(r"-?\d{1,9}", value)]
        else:
            read = {"True": True, "False": False, "None": None}.get(value, value)
            read = int(read) if isinstance(read, str) else read
        found[match[1] or ""] = read
        at += match.end()
    return found


def _call(name: str, given: dict[str, Any], x: np.ndarray, places: np.ndarray) -> Result:
    first = given.pop("", None)
    try:
        if name in _REDUCTIONS:
            axis, keep = given.pop("axis", first), bool(given.pop("keepdims", False))
            axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
            if any(not -x.ndim <= each < x.ndim for each in axes):
                worst = next(each for each in axes if not -x.ndim <= each < x.ndim)
                raise ValueError(
                    f"Invalid reduction dimension {worst} for input with {x.ndim} dimensions."
                )
            chosen = tuple(int(each) % x.ndim for each in axes)
            rest = [each for each in range(x.ndim) if each not in chosen]
            groups = places.transpose(*rest, *chosen).reshape(
                math.prod(x.shape[each] for each in rest), -1
            )
            values = np.asarray(_REDUCTIONS[name](x, axis=chosen, keepdims=keep))
            result = Result(values, groups.tolist())
        elif name in ("transpose", "reshape", "expand_dims", "squeeze"):
            function = getattr(np, name)
            option = {"transpose": "perm", "reshape": "shape"}.get(name, "axis")
            argument = given.pop(option, first)
            if argument is None and name in ("reshape", "expand_dims"):
                raise ValueError(f"{name} needs {option}=.")
            argument = tuple(argument) if isinstance(argument, list) else argument
            values = function(x, argument) if argument is not None else function(x)
            moved = function(places, argument) if argument is not None else function(places)
            result = Result(values, [[int(place)] for place in np.ravel(moved)])
        else:
            known = ", ".join([*_REDUCTIONS, "transpose", "reshape", "expand_dims", "squeeze"])
            raise ValueError(f"{name} is not known here; {known} are.")
    except (TypeError, np.exceptions.AxisError) as error:
        raise ValueError(f"{name}: {error}") from None
    if given:
        raise ValueError(f"{name} has no argument {next(iter(given))}.")
    return result


def parse_shape(text: str) -> tuple[int, ...]:
    """Reads a shape: "[3, 1]", "(3, 1)", "3, 1" or "3 1"; "" and "[]" are that of one number.

    Raises:
      ValueError: when it is none, or has more than 8 axes or 10,000 numbers.
    """
    inner = re.fullmatch(r"\s*[\[(]?([\d,\s]*)[\])]?\s*", text)
    if inner is None:
        raise ValueError(f"{text!r} is no shape: [3, 1] is.")
    shape = tuple(int(size) for size in re.findall(r"\d+", inner[1]))
    if len(shape) > 8 or math.prod(shape) > 10_000 or max(shape, default=0) > 10_000:
        raise ValueError("That is too large to be drawn: at most 8 axes and 10,000 numbers are.")
    return shape


def broadcast(
    one: tuple[int, ...], other: tuple[int, ...]
) -> tuple[tuple[int, ...] | None, list[bool]]:
    """Aligns two shapes at their last axes.

    Returns: the shape of the result, or None where they do not fit; and for each axis of the longer
    one whether it fits.
    Example:
      >>> broadcast((3, 1), (4,)), broadcast((3, 2), (4,))
      (((3, 4), [True, True]), (None, [True, False]))
    """
    rank = max(len(one), len(other))
    pairs = list(zip((1,) * (rank - len(one)) + one, (1,) * (rank - len(other)) + other))
    fits = [a == b or 1 in (a, b) for a, b in pairs]
    return (tuple(b if a == 1 else a for a, b in pairs) if all(fits) else None), fits
