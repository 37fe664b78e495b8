"""`Defun`, the functions of graphs before `tf.function`: a call is what the function would build.

@function.Defun(tf.float32, python_grad_func=lambda op, dy: 100 * dy)
def f(x): ...
y = f(x)          the operations of f, in a scope; its gradient is another function's, if told
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import get_default_graph, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.library.eager.custom_gradient import custom_gradient


class _Call(NamedTuple):
    """What a `python_grad_func` is told of the call."""

    inputs: list[Tensor]
    outputs: list[Tensor]
    name: str
    type: str


class _DefinedFunction:
    """What `Defun` makes of a function."""

    def __init__(self, func: Callable, input_types: Sequence[Any], options: dict) -> None:
        self._func, self._options = func, options
        named = [
            p.name
            for p in inspect.signature(func).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        if input_types and len(input_types) != len(named) and not _takes_more(func):
            raise ValueError(
                "The function must have the same number of arguments as the number of specified "
                f"input types: {len(named)} and {len(input_types)}."
            )
        self.declared_input_types = tuple(dtypes.as_dtype(each) for each in input_types)
        self._named = named
        text = inspect.signature(func), func.__code__.co_code, self.declared_input_types
        mark = hashlib.sha256(repr(text).encode()).hexdigest()[:11]
        #: how graphs call it
        self.name: str = options.get("func_name") or f"{func.__name__.strip('<>')}_{mark}"

    def __call__(self, *args: Any, name: str | None = None, **kwargs: Any) -> Any:
        wanted: Sequence[Any] = self.declared_input_types or [None] * len(args)
        if len(args) != len(wanted) or len(args) < len(self._named):
            expected = len(self.declared_input_types or self._named)
            raise ValueError(f"Expected {expected} arguments, got {len(args)}.")
        given = [convert_to_tensor(a, None, preferred_dtype=k) for a, k in zip(args, wanted)]
        for tensor, kind, called in zip(given, wanted, self._named):
            if kind is not None and tensor.dtype.base_dtype != kind.base_dtype:
                raise ValueError(
                    f"Input '{called}' passed {tensor.dtype.name} expected {kind.name} while "
                    f"building NodeDef '{name or self.name}'"
                )
        with name_scope(name, self.name, given) as scope:
            return self._built([identity(each) for each in given], scope)

    def _built(self, given: list[Tensor], scope: str) -> Any:
        instead = self._options.get("grad_func"), self._options.get("python_grad_func")
        outputs: list[Tensor] = []

        def body(*inputs: Tensor) -> Any:
            found = self._func(*inputs)
            return None if isinstance(found, Operation) else found

        def with_gradient(*inputs: Tensor) -> Any:
            results = body(*inputs)
            outputs[:] = map(convert_to_tensor, nest.flatten(results))

            def gradient(*dys: Tensor, variables: Sequence[Any] | None = None) -> Any:
                by_function, by_python = instead
                if by_function is not None:
                    found = by_function(*inputs, *dys)
                else:
                    call = _Call(list(inputs), list(outputs), scope.rstrip("/"), self.name)
                    found = by_python(call, *dys)  # type: ignore[misc]
                return (found, [None] * len(variables)) if variables else found

            return results, gradient

        plain = instead == (None, None)
        results = body(*given) if plain else custom_gradient(with_gradient)(*given)
        flat = [convert_to_tensor(each) for each in nest.flatten(results) if each is not None]
        if not flat:
            return get_default_graph().get_operations()[-1]
        shapes = self._options.get("shape_func")
        if shapes is not None:
            call = _Call(given, flat, scope.rstrip("/"), self.name)
            for tensor, shape in zip(flat, shapes(call), strict=True):
                tensor.set_shape(shape)
        if len(flat) == 1:
            return identity(flat[0], name=scope)
        return tuple(identity(each) for each in flat)

    def add_to_graph(self, g: Any) -> None:
        """Does nothing: a call builds what it needs."""

    def set_grad_func(self, grad_func: Any) -> None:
        """Another function, of the inputs and the gradients of the results, gives its gradient."""
        self._options["grad_func"] = grad_func


class Defun:
    """Decorates a Python function of tensors, so that a call adds what it builds.

    Args:
      *input_types: the types of its arguments; those of the first call when left out.
      **kwargs: `func_name`, how graphs call it; `grad_func`, from the inputs and the gradients of
        the results to those of the inputs; `python_grad_func`, the same from `(op, *gradients)`;
        `shape_func`, from the operation to the shapes of its results; others are accepted.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._input_types, self._options = input_types, kwargs

    def __call__(self, func: Callable) -> Any:
        if not callable(func):
            raise ValueError(f"function {func} must be callable.")
        return _DefinedFunction(func, self._input_types, dict(self._options))


def _takes_more(func: Callable) -> bool:
    """Whether it takes any number of arguments."""
    return any(p.kind == p.VAR_POSITIONAL for p in inspect.signature(func).parameters.values())
