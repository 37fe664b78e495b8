"""`VariableStore`: the variables of one graph that `tf.get_variable` made, by full name.

get_variable(name) --+-- known, and reuse allowed: shape and type fit --> the variable found
                     +-- new, and new allowed: initializer and shape  --> Variable(...)
                     +-- with a partitioner: the same for each of its parts
"""

from __future__ import annotations

import enum
import functools
import inspect
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.variables import initializers
from minitf.core.variables.partitioned import (
    PartitionedVariable,
    PartitionInfo,
    check_partitions,
    places,
)
from minitf.core.variables.variables import (
    SaveSliceInfo,
    Variable,
    VariableAggregation,
    VariableSynchronization,
)

STORE_KEY = ("__variable_store",)
#: the arguments of a getter that are not the same for every part of a variable
_OF_THE_WHOLE = ("self", "name", "shape", "dtype", "initializer", "partitioner")


class _ReuseMode(enum.Enum):
    """The third way to reuse: find the variable if it exists, make it otherwise."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


def _parameters(function: Callable) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def takes(function: Callable, name: str) -> bool:
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
        self._vars: dict[str, Variable] = {}
        self._partitioned: dict[str, PartitionedVariable] = {}

    def get(
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
    ) -> Any:
        """The getter that custom getters call: the variable whole, or in parts."""
        others = {key: value for key, value in locals().items() if key not in _OF_THE_WHOLE}
        scalar = isinstance(shape, Sequence) and not shape
        known = reuse is True and name in self._partitioned
        if (partitioner is not None and not scalar) or known:
            return self._get_partitioned(name, shape, dtype, initializer, partitioner, others)
        if f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with "
                "partitioning?"
            )
        return self._get_single(name, shape, dtype, initializer, **others)

    def _get_partitioned(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any,
        partitioner: Any,
        others: dict[str, Any],
    ) -> PartitionedVariable:
        """Finds or makes the variable called `name` in parts."""
        if stacks.executing_eagerly():
            raise NotImplementedError(
                "Partitioned variables are not yet supported when eager execution is enabled."
            )
        if partitioner is not None and not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        from_value = initializer is not None and not callable(initializer)
        whole = as_shape(shape)
        if from_value:
            initializer = convert_to_tensor(initializer, dtype=None)
            whole = whole.merge_with(initializer.shape)
        dtype = dtypes.as_dtype(dtype).base_dtype
        reuse = others["reuse"]
        partitions = None
        if partitioner is not None and whole.ndims:
            if not whole.is_fully_defined():
                raise ValueError(
                    f"Shape of a new partitioned variable ({name}) must be fully defined, but "
                    f"instead was {whole}."
                )
            partitions = check_partitions(whole, partitioner(shape=whole, dtype=dtype))
        if name in self._partitioned:
            return self._existing_parts(name, whole, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        if not whole.ndims or partitions is None:
            raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {whole}")
        if name in self._vars:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was "
                f"found: {name}.  Perhaps a variable of the same name was already created without "
                "partitioning?"
            )
        if initializer is None:
            initializer = _default_initializer(name, dtype)
        sizes: Any = whole.as_list()
        parts = []
        for i, (offset, size) in enumerate(places(sizes, partitions)):
            part_name = f"{name}/part_{i}"
            if from_value:
                with stacks.name_scope(f"{part_name}/PartitionedInitializer"):
                    value = slice_of(initializer, offset, size)
                with stacks.name_scope(None):
                    part = self._get_single(part_name, None, dtype, value, **others)
            else:
                bound = _for_part(initializer, PartitionInfo(sizes, offset))
                part = self._get_single(part_name, size, dtype, bound, **others)
            part._set_save_slice_info(SaveSliceInfo(name, sizes, offset, size))
            parts.append(part)
        made = PartitionedVariable(name, whole, dtype, parts, partitions)
        self._partitioned[name] = made
        return made

    def _existing_parts(
        self, name: str, shape: TensorShape, dtype: dtypes.DType, partitions: Any, reuse: Any
    ) -> PartitionedVariable:
        found = self._partitioned[name]
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        sharing = f"Trying to reuse partitioned variable {name}, but specified"
        if not shape.is_compatible_with(found.shape):
            raise ValueError(f"{sharing} shape {shape} and found shape {found.shape}.")
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f"{sharing} dtype {dtype.name} and found dtype {found.dtype.name}.")
        if partitions is not None and partitions != found._partitions:
            raise ValueError(
                f"{sharing} partitions {partitions} and found partitions {found._partitions}."
            )
        return found

    def _get_single(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        initializer: Any,
        regularizer: Any = None,
        reuse: Any = None,
        **options: Any,
    ) -> Variable:
        """Finds or makes the variable called `name`; `options` are those of `Variable`."""
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = dtypes.as_dtype(dtype).base_dtype
        shape = None if shape is None else as_shape(shape)
        eager = stacks.outermost().runs_at_once  # such variables live as long as Python needs them
        if name in self._vars:
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
            name=name,
            dtype=None if from_value or shape is None else dtype,
            **options,
        )
        if not eager:
            self._vars[name] = variable
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
        found = self._vars[name]
        if not reuse:
            frames = found.op.traceback[::-1][:5]
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


def _default_initializer(name: str, dtype: dtypes.DType) -> initializers.Initializer:
    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype == dtypes.string:
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _for_part(initializer: Any, info: PartitionInfo | None) -> Any:
    """An initializer that is told which part it makes, if it asks."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if takes(initializer, "partition_info"):
        return functools.partial(initializer, partition_info=info)
    return initializer


def _bind(initializer: Any, shape: TensorShape | None, dtype: dtypes.DType) -> Callable[[], Any]:
    """Returns a function without arguments that makes the initial value."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        if not isinstance(initializer, functools.partial):  # one of `_for_part` knows its part
            initializer = _for_part(initializer, None)
        return functools.partial(initializer, shape.as_list(), dtype=dtype)
    if _needs_no_arguments(initializer):
        return initializer
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the "
        "shape should not be provided or an instance of `tf.keras.initializers.*' and `shape` "
        "should be fully defined."
    )
