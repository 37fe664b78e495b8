"""Lists what a model holds and how large it is: `slim.model_analyzer`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def tensor_description(var: Any) -> str:
    """A type and sizes, as "(float32_ref 5x5x3x64)".

    Args:
      var: a variable, or a tensor whose shape has a known rank.
    """
    sizes = "x".join(str(size) for size in var.get_shape())
    return f"({var.dtype.name} {sizes})"


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """How many elements and bytes variables have.

    Args:
      variables: the variables.
      print_info: whether to print a line for each of them.

    Returns: (elements, bytes).
    """
    rows = [(var, _elements(var), _elements(var) * var.dtype.size) for var in variables]
    elements, size = sum(row[1] for row in rows), sum(row[2] for row in rows)
    if print_info:
        _heading("Variables: name (type shape) [size]")
        for var, count, length in rows:
            print(var.name, tensor_description(var), f"[{count}, bytes: {length}]")
        print(f"Total size of variables: {elements}")
        print(f"Total bytes of variables: {size}")
    return elements, size


def _elements(tensor: Any) -> int:
    return tensor.get_shape().num_elements() or 0


def _heading(text: str) -> None:
    print("---------", text, "---------", sep="\n")
