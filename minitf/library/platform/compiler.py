"""`tf.xla`, `tf.contrib.compiler`: hints to a compiler; minitf's own passes need none.

`jit.experimental_jit_scope` marks what XLA shall compile, `xla.compile` compiles a function. Here
the operations are the same with and without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import control_dependencies
from minitf.core.ops.array import identity


@contextmanager
def experimental_jit_scope(
    compile_ops: Any = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """A scope whose operations may be compiled; the plan decides that by itself."""
    yield


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> list[Any]:  # noqa: A001
    """Calls a function; its operations run before what it gives.

    Args:
      computation: gives a tensor or operation, or several.
      inputs: its arguments.
    Returns: the tensors, in a list.
    """
    made = computation(*map(convert_to_tensor, inputs or ()))
    flat = list(made) if isinstance(made, list | tuple) else [] if made is None else [made]
    with control_dependencies([each for each in flat if isinstance(each, Operation)]):
        return [identity(each) for each in flat if not isinstance(each, Operation)]
