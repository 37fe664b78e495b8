"""`VariableStore`: the variables of one graph that `tf.get_variable` made, by full name.

get_variable(name) --+-- known, and reuse allowed: shape and type fit --> the variable found
                     +-- new, and new allowed: initializer and shape  --> Variable(...)
"""

from __future__ import annotations

import contextlib
import enum
import functools
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.framework import dtypes, stacks
from minitf.framework.graph import Tensor
from minitf.framework.graph_keys import GraphKeys
from minitf.framework.shapes import TensorShape, as_shape
from minitf.variables.initializers import Initializer, glorot_uniform_initializer, zeros_initializer
from minitf.variables.variables import Variable, VariableAggregation, VariableSynchronization

STORE_KEY = ("__variable_store",)


class _ReuseMode(enum.Enum):
    """The third way to reuse: find the variable if it exists, make it otherwise."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def _parameters(function: Callable) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _takes(function: Callable, name: str) -> bool:
    """Whether `function` accepts the keyword `name`."""
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in _parameters(function))


def _needs_no_arguments(function: Callable) -> bool:
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        for p in _parameters(function)
    )


class VariableStore:
    """The variables of one graph that `get_variable` made, by full name."""

    def __init__(self) -> None:
        self.keeps_eager_variables = False
        self._variables: dict[str, Variable] = {}

    def get_variable(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Callable[[Variable], Tensor | None] | None = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Callable[..., Any] | None = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Any:
        """Finds or makes the variable called `name`; the arguments are those of `get_variable`.

        Args:
          name: the full name, with the variable scopes.
          reuse: True: it must exist; False: it must not; None: as False; AUTO_REUSE: either.
        Raises:
          ValueError: when `reuse` forbids, or the shape or type is not that of the variable found.
        """
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        arguments: dict[str, Any] = {
            "name": name,
            "shape": shape,
            "dtype": getattr(dtype, "base_dtype", dtype),
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if custom_getter is None:
            return self._get_single(**arguments, constraint=constraint)
        if _takes(custom_getter, "constraint"):
            arguments["constraint"] = constraint
        return custom_getter(self._get_single, **arguments)

    def _get_single(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Sequence[str] | None = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Variable:
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = dtypes.as_dtype(dtype).base_dtype
        shape = None if shape is None else as_shape(shape)
        eager = stacks.outermost().runs_at_once  # such variables live as long as Python needs them
        if name in self._variables:
            return self._existing(name, shape, dtype, eager or reuse)
        if reuse is True and not eager:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). "
                "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            if shape is None:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    "specified."
                )
            initializer = _default_initializer(name, dtype)
        variable = Variable(
            initial_value=initializer if from_value else _bind(initializer, shape, dtype),
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            caching_device=caching_device,
            name=name,
            dtype=None if from_value or shape is None else dtype,
            constraint=constraint,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        if not eager or self.keeps_eager_variables:
            self._variables[name] = variable
        if regularizer:
            with (
                stacks.init_scope(),
                stacks.colocate_with(variable.op),
                stacks.name_scope(name + "/Regularizer/"),
            ):
                loss = regularizer(variable)
            if loss is not None:
                stacks.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable

    def _existing(
        self, name: str, shape: TensorShape | None, dtype: dtypes.DType, reuse: Any
    ) -> Variable:
        found = self._variables[name]
        if not reuse:
            frames = [(f.filename, f.lineno, f.name, None) for f in found.op.traceback[::-1][:5]]
            lines = "".join(traceback.StackSummary.from_list(frames).format())
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at:\n\n{lines}"
            )
        if shape is not None and not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape "
                f"{found.shape}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found "
                f"dtype {found.dtype.name}."
            )
        return found


class EagerVariableStore:
    """`tf.contrib.eager.EagerVariableStore`: keeps what `get_variable` makes under eager execution.

    Args:
      store: what it shares the variables of; a new one when None.

    Example:
      >>> container = tfe.EagerVariableStore()
      >>> with container.as_default():
      ...     w = tf.get_variable("w", [2])
    """

    def __init__(self, store: VariableStore | None = None) -> None:
        self._store = store or VariableStore()
        self._store.keeps_eager_variables = True

    @contextlib.contextmanager
    def as_default(self) -> Iterator[VariableStore]:
        """A context in which `get_variable` finds and keeps variables here."""
        kept = stacks.get_collection_ref(STORE_KEY)
        before = list(kept)
        kept[:] = [self._store]
        try:
            yield self._store
        finally:
            kept[:] = before

    def variables(self) -> list[Variable]:
        """The variables, by name."""
        return sorted(self._store._variables.values(), key=lambda v: v.name)

    def trainable_variables(self) -> list[Variable]:
        """Those that optimizers change, by name."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self) -> list[Variable]:
        """The others, by name."""
        return [v for v in self.variables() if not v.trainable]


def _default_initializer(name: str, dtype: dtypes.DType) -> Initializer:
    if dtype.is_floating:
        return glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _bind(initializer: Any, shape: TensorShape | None, dtype: dtypes.DType) -> Callable[[], Any]:
    """Returns a function without arguments that makes the initial value."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        return functools.partial(initializer, shape.as_list(), dtype=dtype)
    if _needs_no_arguments(initializer):
        return initializer
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the "
        "shape should not be provided or an instance of `tf.keras.initializers.*' and `shape` "
        "should be fully defined."
    )
