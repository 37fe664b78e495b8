"""`tf.function`: a Python function that is traced into a graph, once for each kind of arguments.

    f(x) ── the kind of x: types and shapes of tensors, values of all else
             ├── seen before: the ConcreteFunction made then
             └── new: call the Python function with placeholders  ──> FuncGraph ──> ConcreteFunction

Under eager execution a call runs the compiled graph. While a graph is being built, a session's or
that of another function, the Python function is called right there, and its operations become part
of that graph. Either way effects happen in the order of the program.
"""

from __future__ import annotations

import functools
import inspect
import re
import threading
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.array import identity
from minitf.core.variables.variables import variables_made
from minitf.library.eager import autograph
from minitf.library.eager import context as eager
from minitf.library.eager.concrete_function import ConcreteFunction
from minitf.library.eager.tensor import EagerTensor
from minitf.library.eager.type_specs import TensorSpec, TypeSpec, type_spec_from_value

_VALID_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*\Z")  # of an operation
_run_eagerly = False


def functions_run_eagerly() -> bool:
    """Whether calls of a `tf.function` run the Python function as it is."""
    return _run_eagerly


class _Reads:
    """A tape that only notes which variables a function reads."""

    def __init__(self) -> None:
        self.variables: dict[Any, Any] = {}

    def record(self, operation: Any) -> None:
        """Keeps nothing."""

    def wants(self, inputs: Any) -> bool:
        """Wants nothing."""
        return False

    def variable_accessed(self, variable: Any) -> None:
        """Notes a variable."""
        self.variables.setdefault(variable._key(), variable)


# ---- the arguments -----------------------------------------------------------------------


class _Kind:
    """Takes arguments apart: the tensors among them, and a key for all the rest."""

    def __init__(self) -> None:
        self.tensors: list[EagerTensor] = []

    def key(self, value: Any) -> Any:
        """The key of one argument; its tensors are added to `tensors`."""
        if type(value) is EagerTensor:
            self.tensors.append(value)
            data = value._value
            return getattr(data, "dtype", bytes), getattr(data, "shape", ())
        if isinstance(value, (list, tuple)):
            return (type(value), *map(self.key, value))
        if isinstance(value, dict):
            return (type(value), *((k, self.key(value[k])) for k in sorted(value)))
        if isinstance(value, (np.ndarray, np.generic)):
            return self.key(convert_to_tensor(value))
        if hasattr(value, "_as_ref_tensor"):
            return value._key() if hasattr(value, "_key") else value
        if isinstance(value, EagerTensor):
            self.tensors.append(value)
            return value.dtype, tuple(value.shape.as_list())
        if is_composite(value):
            spec = _spec_of(value)
            if spec is None:
                return (type(value), *map(self.key, value._components()))
            self.tensors += spec._to_components(value)
            return spec
        try:
            hash(value)
        except TypeError:
            return id(value)
        return type(value), value


class Function:
    """What `tf.function` makes of a Python function.

    Args:
      python_function: it.
      name: its name.
      input_signature: a `TensorSpec` for each argument, or None.
      autograph: whether statements that depend on tensors become parts of the graph.
    """

    def __init__(
        self,
        python_function: Callable,
        name: str,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
    ) -> None:
        if input_signature is not None and not isinstance(input_signature, (tuple, list)):
            raise TypeError(
                "input_signature must be either a tuple or a list, received "
                f"{type(input_signature)}"
            )
        for spec in nest.flatten(input_signature or ()):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "Invalid input_signature; input_signature must be a possibly nested sequence "
                    "of TensorSpec objects"
                )
        self._function = python_function
        self._name = name
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._concrete: dict[Any, ConcreteFunction] = {}  # by the kind of the arguments
        self._lock = threading.RLock()
        self._was_called = False  # from then on it may not make variables
        self._own: list[Any] = []  # variables that it made: it keeps them
        self._of_objects: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._of_kept: dict[int, Function] = {}
        self._object: Callable[[], Any] | None = None  # whose method this is
        self._signature: inspect.Signature | None = None
        functools.update_wrapper(self, python_function)

    @property
    def python_function(self) -> Callable:
        """The Python function; of a method, bound to its object."""
        if self._object is None:
            return self._function
        return types.MethodType(self._function, self._object())

    @property
    def input_signature(self) -> Any:
        """The signature it was given."""
        return self._input_signature

    def __get__(self, instance: Any, owner: Any = None) -> Function:
        """As a method: a function of its own for each object."""
        if instance is None:
            return self
        objects: Any = self._of_objects
        key: Any = instance
        reference: Callable[[], Any] = lambda: instance  # noqa: E731
        try:
            found = objects.get(key)
            reference = weakref.ref(instance)
        except TypeError:  # such an object is kept
            objects, key = self._of_kept, id(instance)
            found = objects.get(key)
        if found is None:
            own = (self._function, self._name, self._input_signature, self._autograph)
            found = Function(*own)
            found._object = reference
            objects[key] = found
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _run_eagerly:
            return self.python_function(*args, **kwargs)
        if not stacks.executing_eagerly():
            return self._inline(args, kwargs)
        concrete, tensors = self._concrete_for(args, kwargs)
        return concrete.call_and_pack(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The function traced for these arguments; `TensorSpec`s stand for tensors.

        Example:
          >>> tf.enable_eager_execution()
          >>> double = tf.function(lambda x: x * 2.0, autograph=False)
          >>> double.get_concrete_function(tf.TensorSpec([None], tf.float32)).output_shapes
          TensorShape([Dimension(None)])
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature  # it says all there is to say
        with stacks.init_scope():
            return self._concrete_for(args, kwargs)[0]

    # ---- traced ----------------------------------------------------------------------------

    def _concrete_for(self, args: Any, kwargs: Any) -> tuple[ConcreteFunction, list[EagerTensor]]:
        args, kwargs = self._canonical(args, kwargs)
        kind = _Kind()
        key: Any = (*map(kind.key, args), *((k, kind.key(v)) for k, v in kwargs.items()))
        if self._input_signature is not None:
            key = "signature"
        found = self._concrete.get(key)
        if found is None:
            with self._lock:  # two threads must not both be the first
                found = self._concrete.get(key) or self._trace_first(args, kwargs)
                self._concrete[key] = found
        return found, kind.tensors

    def _canonical(self, args: Any, kwargs: Any) -> tuple[tuple, dict]:
        """The arguments in the order of the parameters, with defaults."""
        if self._signature is None:
            self._signature = inspect.signature(self.python_function)
        if kwargs or len(args) != len(self._signature.parameters):
            try:
                bound = self._signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{self._name}() {error}") from None
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if self._input_signature is not None:
            count, names = len(self._input_signature), list(self._signature.parameters.values())
            if [p.default for p in names[count:]] == [*args[count:]]:  # the rest may be left out
                return (*self._fit_signature(args[:count]), *args[count:]), kwargs
            args = self._fit_signature(args)
        return args, kwargs

    def _fit_signature(self, args: tuple) -> tuple:
        wanted = self._input_signature or ()
        try:
            return tuple(_fit(s, a) for s, a in zip(wanted, args, strict=True))
        except (TypeError, ValueError):
            raise ValueError(_misfit(args, wanted)) from None

    def _trace_first(self, args: tuple, kwargs: dict) -> ConcreteFunction:
        """Traces; at the first call twice when that made variables, which it keeps."""
        if not self._was_called:
            made: list[Any] = []
            with variables_made(made.append):
                traced = self._trace(args, kwargs)
            self._was_called = True
            self._own += made
            if not made:
                return traced
        with variables_made(self._watch()):
            return self._trace(args, kwargs)

    def _watch(self) -> Callable[[Any], Any]:
        """What is told of the variables that a call makes."""
        return _refuse if self._was_called else self._own.append

    def _trace(self, args: tuple, kwargs: dict) -> ConcreteFunction:
        args, kwargs = (nest.map_structure(_array_as_tensor, v) for v in (list(args), kwargs))
        outer = stacks.outermost()
        graph = FuncGraph(self._name, outer)
        graph._names_in_use = {}
        steps = outer.get_collection_ref(GraphKeys.GLOBAL_STEP)
        graph._collections = {GraphKeys.GLOBAL_STEP: steps}
        reads = _Reads()
        specs: list[Any] = []  # of the tensors, in order
        shown: list[Any] = []  # the arguments, with specs for tensors
        with graph.building(), graph.ordered_effects() as effects, eager.only_tape(reads):
            assert self._signature is not None
            names = iter(self._signature.parameters)
            given = []
            for arg in args:
                known = len(specs)
                given.append(self._placeholders(graph, arg, next(names, "arg"), specs))
                shown.append(_with_specs(arg, iter(specs[known:])))
            named, shown_named = {}, {}
            for k, v in kwargs.items():
                known = len(specs)
                named[k] = self._placeholders(graph, v, k, specs)
                shown_named[k] = _with_specs(v, iter(specs[known:]))
            result = self._converted()(*given, **named)
            outputs, places = _flat_outputs(graph, result)
            if effects.last is not None:
                outputs = effects.before(outputs or [convert_to_tensor(0)])
            graph.outputs = [graph.capture(t) for t in outputs]
        concrete = ConcreteFunction(graph, (tuple(shown), shown_named), result, places, self._name)
        graph.variables = concrete.variables = tuple(reads.variables.values())
        return concrete

    def _placeholders(self, graph: FuncGraph, value: Any, name: str, specs: list) -> Any:
        """The argument as the Python function gets it: tensors as inputs of the graph."""
        if not _VALID_NAME.match(name):
            name = "Placeholder"
        made = []
        for leaf in nest.flatten(value):
            spec = _spec_of(leaf)
            if spec is None:
                parts = leaf._components() if is_composite(leaf) else []
                own = [graph.add_input(t.dtype, t.shape, name) for t in parts]
                made.append(leaf._with_components(own) if own else leaf)
                continue
            if self._input_signature is not None:
                spec = nest.flatten(self._input_signature)[len(specs)]
            if isinstance(spec, TensorSpec):
                shown = spec.name or name
                spec = TensorSpec(spec.shape, spec.dtype, shown)
                made.append(graph.add_input(spec.dtype, spec.shape, shown))
            else:
                parts = [graph.add_input(s.dtype, s.shape, name) for s in spec._component_specs]
                made.append(spec._from_components(parts))
            specs.append(spec)
        return nest.pack_sequence_as(value, made) if nest.is_nested(value) else made[0]

    def _converted(self) -> Callable:
        function = self.python_function
        return autograph.converted(function) if self._autograph else function

    # ---- inside another graph --------------------------------------------------------------

    def _inline(self, args: tuple, kwargs: dict) -> Any:
        """Calls the Python function where the graph is; its results wait for its effects."""
        graph = stacks.get_default_graph()
        if self._input_signature is not None:
            args, kwargs = self._canonical(args, kwargs)
        args, kwargs = (nest.map_structure(_array_as_tensor, v) for v in (list(args), kwargs))
        outermost = graph._scopes.effects is None  # of functions: it puts effects in order
        order = graph.ordered_effects() if outermost else nullcontext()
        with order as effects, variables_made(self._watch()):
            result = nest.map_structure(_as_result, self._converted()(*args, **kwargs))
        self._was_called = True
        if effects is None or effects.last is None:
            return result
        if result is None:
            return effects.last
        with graph.control_dependencies([effects.last]):
            return nest.map_structure(lambda t: t if t is None else identity(t), result)


def _spec_of(leaf: Any) -> Any:
    """What is known of an argument before the function runs; None of what is no tensor."""
    if isinstance(leaf, TypeSpec):
        return leaf
    if isinstance(leaf, EagerTensor):
        return TensorSpec(leaf.shape, leaf.dtype)
    try:
        return type_spec_from_value(leaf) if is_composite(leaf) else None
    except TypeError:
        return None


def _with_specs(value: Any, specs: Iterator[Any]) -> Any:
    """An argument with the next of some specs in the place of each tensor."""
    return nest.map_structure(lambda x: x if _spec_of(x) is None else next(specs), value)


def _fit(spec: Any, value: Any) -> Any:
    """The argument as the tensors that the signature asks for.

    Raises:
      ValueError: when it is something else.
    """
    if isinstance(spec, dict):
        return {key: _fit(spec[key], value[key]) for key in spec}
    if isinstance(spec, (list, tuple)):
        return type(spec)(_fit(s, v) for s, v in zip(spec, value, strict=True))
    fitted = value
    if isinstance(spec, TensorSpec) and not isinstance(value, TensorSpec):
        fitted = convert_to_tensor(value, spec.dtype)
    if not spec.is_compatible_with(fitted):
        raise ValueError(f"{value} does not fit {spec}.")
    return fitted


def _misfit(args: Any, signature: Any) -> str:
    inputs = "".join(f"    {a}\n" for a in args)
    wanted = "".join(f"    {s}\n" for s in signature)
    return (
        "Python inputs incompatible with input_signature:\n"
        f"  inputs: (\n{inputs.rstrip()})\n  input_signature: (\n{wanted.rstrip()})"
    )


def _refuse(variable: Any) -> None:
    raise ValueError("tf.function-decorated function tried to create variables on non-first call.")


def _array_as_tensor(leaf: Any) -> Any:
    return convert_to_tensor(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def _as_result(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, (Tensor, Operation)) or is_composite(leaf):
        return leaf
    return convert_to_tensor(leaf)


def _flat_outputs(graph: FuncGraph, result: Any) -> tuple[list[Tensor], list[Any]]:
    """The tensors of what a function returned, and for each leaf its place among them."""
    outputs: list[Tensor] = []
    places: list[Any] = []
    for leaf in nest.flatten(result):
        if leaf is None or isinstance(leaf, Operation):
            places.append(None)
            continue
        if is_composite(leaf):
            parts = leaf._components()
            places.append(tuple(range(len(outputs), len(outputs) + len(parts))))
            outputs += parts
            continue
        try:
            tensor = convert_to_tensor(leaf)
        except (TypeError, ValueError):
            raise TypeError(
                "To be compatible with tf.contrib.eager.defun, Python functions must return zero "
                f"or more Tensors; in compilation of {graph.name}, found return value of type "
                f"{type(leaf)}, which is not a Tensor."
            ) from None
        places.append(len(outputs))
        outputs.append(tensor)
    return outputs, places


def function(
    func: Callable | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
    experimental_compile: bool | None = None,
    **later: Any,
) -> Any:
    """`tf.function`: makes a function that runs as a graph of a Python function.

    Args:
      func: the Python function; without it, a decorator is returned.
      input_signature: a `tf.TensorSpec` for each argument: then it is traced only once.
      autograph: whether `if`, `while`, `for` and others become parts of the graph where they depend
        on tensors.
      experimental_implements, experimental_autograph_options, experimental_relax_shapes,
        experimental_compile, later: accepted.
    Returns: a `Function`, or a decorator.
    Raises:
      ValueError: when a call other than the first makes variables.
    Example:
      >>> tf.enable_eager_execution()
      >>> @tf.function
      ... def square(x):
      ...     return x * x
      >>> square(tf.constant(3.0))
      <tf.Tensor: shape=(), dtype=float32, numpy=9.0>
    """

    def decorate(python_function: Callable) -> Function:
        name = getattr(python_function, "__name__", type(python_function).__name__)
        return Function(python_function, name, input_signature, autograph)

    return decorate if func is None else decorate(func)
