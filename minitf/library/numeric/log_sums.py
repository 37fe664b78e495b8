"""Sums in logarithms, where they neither overflow nor vanish: log_sigmoid and running sums."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.math import negative


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(1 / (1 + exp(-x))), elementwise, without overflow."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return negative(softplus(negative(x)), name=scope)
