"""Variables as `tf.contrib.framework` finds, makes and fills them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.core.graph import dtypes, logging
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import add_to_collection, device, get_collection
from minitf.core.ops.array import placeholder
from minitf.core.ops.control import group
from minitf.core.variables.variable_scope import VariableScope, get_variable
from minitf.core.variables.variables import Variable
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving.saver import Saver

VARIABLES_TO_RESTORE = "_variables_to_restore_"


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """`tf.get_variable`, on a device; in the collection of global variables, or in those given.

    Args:
      device: a device, or a function of the name.
      name, shape, dtype, initializer, regularizer, trainable, collections, caching_device,
      partitioner, custom_getter, use_resource, synchronization, aggregation: those of
        `get_variable`.
    """
    collections = list(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES])
    with _on(device, name):
        return (custom_getter or get_variable)(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(collections)),
            caching_device=caching_device,
            partitioner=partitioner,
        )


def _on(place: Any, name: str) -> Any:
    return device(place(name) if callable(place) else place or "")


@add_arg_scope
def model_variable(name: str, shape: Any = None, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
    """As `variable`, also in the collection MODEL_VARIABLES.

    Args:
      name, shape, dtype, kwargs: those of `variable`.
    """
    listed = [*(kwargs.pop("collections", None) or []), GraphKeys.GLOBAL_VARIABLES]
    listed.append(GraphKeys.MODEL_VARIABLES)
    return variable(name, shape, dtype, collections=list(dict.fromkeys(listed)), **kwargs)


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None,
    use_resource: bool | None = None,
) -> Any:  # fmt: skip
    """A variable that is neither trained nor saved.

    Args:
      initial_value, validate_shape, name, use_resource: those of `tf.Variable`.
    """
    return _outside(GraphKeys.LOCAL_VARIABLES, initial_value, validate_shape, name, use_resource)


def _outside(key: str, value: Any, validate_shape: bool, name: Any, use_resource: Any) -> Any:
    """A variable that is not trained, in one collection."""
    return Variable(
        value, trainable=False, collections=[key], validate_shape=validate_shape, name=name,
        use_resource=use_resource,
    )  # fmt: skip


def add_model_variable(var: Any) -> None:
    """Notes a variable as the model's."""
    if var not in get_collection(GraphKeys.MODEL_VARIABLES):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a scope and with an ending.

    Args:
      scope: a scope or its name.
      suffix: how the name ends.
      collection: where to look.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{re.escape(suffix.partition(':')[0])}$"
        return [v for v in get_collection(collection) if re.match(scope, v.op.name)]
    return get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The model's variables; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The local variables; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables that are trained; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The variables with an ending."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The variables whose name is, or ends with a slash and, the given one."""
    ending = re.compile(f"(?:^|.*/){re.escape(given_name)}$")
    return [v for v in get_variables(scope=scope) if ending.match(v.op.name)]


def get_unique_variable(var_op_name: str) -> Any:
    """The one variable of a name.

    Raises:
      ValueError: when there is none, or several.
    """
    found = [v for v in get_variables(scope=var_op_name) if v.op.name == var_op_name]
    if len(found) != 1:
        raise ValueError(
            f"Couldn't find variable {var_op_name}"
            if not found
            else f"Variable {var_op_name} does not uniquely identify a variable"
        )
    return found[0]


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: list[str] | None = None,
    exclude_patterns: list[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names match one of some patterns, and none of others.

    Args:
      var_list: the variables.
      include_patterns: one of these matches; any name by default.
      exclude_patterns: none of these does.
      reg_search: whether a pattern may match anywhere in the name, or at its start.
    """
    match = re.search if reg_search else re.match
    return [
        v
        for v in var_list
        if (not include_patterns or any(match(p, v.op.name) for p in include_patterns))
        and not any(match(p, v.op.name) for p in exclude_patterns or ())
    ]


def get_variables_to_restore(
    include: list[str] | None = None, exclude: list[str] | None = None
) -> list[Any]:
    """The variables of some scopes, without those of others.

    Args:
      include: names of scopes; by default what is in the collection "_variables_to_restore_", or
        all variables.
      exclude: names of scopes that are left out.
    """
    if include is None:
        found = get_collection(VARIABLES_TO_RESTORE) or get_variables()
    else:
        found = [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for s in exclude or () for v in get_variables(s)}
    return [v for v in found if id(v) not in left_out]


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None,
    use_resource: bool | None = None,
) -> Any:  # fmt: skip
    """A variable that is not trained, in `GraphKeys.GLOBAL_VARIABLES`."""
    return _outside(GraphKeys.GLOBAL_VARIABLES, initial_value, validate_shape, name, use_resource)


def get_variable_full_name(var: Any) -> str:
    """The name of a variable; of a part of a partitioned one the name of the whole."""
    part = getattr(var, "_save_slice_info", None)
    return part.full_name if part else var.op.name


class VariableDeviceChooser:
    """A device for each variable: of one parameter server after the other, or of this process.

    Args:
      num_tasks: how many parameter servers there are; 0 for none.
      job_name: their job.
      device_type, device_index: of the devices.
      replica: the replica's number.
    """

    def __init__(
        self, num_tasks: int = 0, job_name: str = "ps", device_type: str = "CPU",
        device_index: int = 0, replica: int | None = None,
    ) -> None:  # fmt: skip
        self._tasks, self._next = num_tasks, 0
        self._job = job_name
        self._where = {
            "replica": replica, "device_type": device_type, "device_index": device_index,
        }  # fmt: skip

    def __call__(self, op: Any) -> str:
        where: dict[str, Any] = dict(self._where)
        if self._tasks:
            where |= {"job": self._job, "task": self._next}
            self._next = (self._next + 1) % self._tasks
        return DeviceSpec(**where).to_string()


# ---- filling them ------------------------------------------------------------------------


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Any, dict]:
    """What to run, and with which feeds, so that variables have given values.

    Args:
      var_names_to_values: arrays by the names of variables.
    Returns: an operation and a feed_dict.
    """
    assigned, feeds = [], {}
    for name, value in var_names_to_values.items():
        found = get_variables(name)
        if not found:
            raise ValueError(f"Variable {name} wasn't found")
        if len(found) > 1:
            found = [v for v in found if v.op.name == name]
        fed = placeholder(
            found[0].dtype.base_dtype, found[0].get_shape(), name="placeholder/" + name
        )
        assigned.append(found[0].assign(fed))
        feeds[fed] = np.reshape(value, found[0].get_shape().as_list())
    return group(*assigned), feeds


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A function of a session that gives variables their values."""
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict]:
    """What to run, and with which feeds, so that variables have the values of a checkpoint.

    Args:
      model_path: the checkpoint.
      var_list: variables, or a dict from names in the checkpoint to variables, or to lists of
        them, such as the parts of a partitioned one.
      ignore_missing_vars: leave variables alone that the checkpoint lacks.
    Returns: an operation and a feed_dict.
    Raises:
      ValueError: when the checkpoint lacks one, or a shape differs.
    """
    reader = CheckpointReader(model_path)
    values = {}
    for name, var in _by_name(var_list).items():
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError(f"Checkpoint is missing variable [{name}]")
            logging.warning("Variable %s missing in checkpoint %s", name, model_path)
            continue
        whole = reader.get_tensor(name)
        for each in var if isinstance(var, (list, tuple)) else [var]:
            part = getattr(each, "_save_slice_info", None)
            places = zip(part.var_offset, part.var_shape, strict=True) if part else ()
            values[each.op.name] = whole[tuple(slice(at, at + size) for at, size in places)]
    return assign_from_values(values)


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """A function of a session that gives variables the values of a checkpoint.

    Args:
      model_path: the checkpoint.
      var_list: variables, or a dict from names in the checkpoint to variables.
      ignore_missing_vars: leave variables alone that the checkpoint lacks.
      reshape_variables: take a value of another shape with as many elements.
    Raises:
      ValueError: when var_list is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    named = _by_name(var_list)
    if ignore_missing_vars:
        reader = CheckpointReader(model_path)
        for name in [name for name in named if not reader.has_tensor(name)]:
            logging.warning("Variable %s missing in checkpoint %s", name, model_path)
            del named[name]
    if not named:
        logging.warning("No Variables to restore")
        return None
    saver = Saver(named, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def _by_name(var_list: Any) -> dict[str, Any]:
    return dict(var_list) if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
