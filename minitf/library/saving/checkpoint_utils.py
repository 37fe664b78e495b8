"""Reading checkpoints without a saver, and starting variables from one.

    tf.train.list_variables(dir)           names and shapes
    tf.train.load_variable(dir, "W")       a value
    tf.train.init_from_checkpoint(...)     from now on the initializer of W reads the checkpoint

    tf.train.warm_start(...)               the same for all variables of a name, as estimators do

A directory stands for its newest checkpoint.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import state as state_ops
from minitf.core.variables.variables import Variable
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving import saver_builder
from minitf.library.saving.checkpoint_state import latest_checkpoint


def _checkpoint_of(path: str) -> str:
    """The newest checkpoint of a directory; a path that is none is a checkpoint itself."""
    path = os.fsdecode(path)
    if not os.path.isdir(path):
        return path
    newest = latest_checkpoint(path)
    if newest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return newest


def load_checkpoint(ckpt_dir_or_file: str) -> CheckpointReader:
    """Returns a reader of a checkpoint, or of the newest one in a directory.

    Raises:
      ValueError: when a directory has none.
      NotFoundError: when there is no such checkpoint.
    """
    return CheckpointReader(_checkpoint_of(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file: str, name: str) -> Any:
    """Returns the value of one variable in a checkpoint.

    Args:
      ckpt_dir_or_file: a checkpoint, or a directory of them.
      name: the variable's name, with or without ":0".
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: str) -> list[tuple[str, list[int]]]:
    """Returns (name, shape) of every variable in a checkpoint, by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


# ---- starting from a checkpoint ----------------------------------------------------------


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Any) -> None:
    """Makes the initializers of variables read a checkpoint.

    Args:
      ckpt_dir_or_file: a checkpoint, or a directory of them.
      assignment_map: from names in the checkpoint to variables or their names here; from scopes,
        ending in "/", to scopes; a list of pairs does too.
    Raises:
      ValueError: when a name or shape does not fit.
    Example:
      >>> W = tf.get_variable("W", initializer=3.0)
      >>> sess.run(W.initializer)
      >>> path = tf.train.Saver([W]).save(sess, "/tmp/train/model")
      >>> copy = tf.get_variable("tower/W", [])
      >>> tf.train.init_from_checkpoint("/tmp/train", {"/": "tower/"})
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(copy)
      3.0
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    here: dict[str, dict[str, Any]] = {}  # the parts of a partitioned variable have one name
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for v in stacks.get_collection(key):
            info = getattr(v, "_save_slice_info", None)
            here.setdefault(info.full_name if info else v.op.name, {})[v.op.name] = v
    for there, target in sorted(pairs, key=lambda pair: pair[0]):
        if not isinstance(target, str):
            found = [(there, part) for part in _listed(target)]
        elif target.endswith("/"):
            found = _in_scope(reader, there, target, here)
        else:
            if there.endswith("/") or (there and not reader.has_tensor(there)):
                _check_known(reader, there)
            if target not in here:
                raise ValueError(_SCOPES.format(target.rpartition("/")[0], there))
            found = [(there, part) for part in here[target].values()]
        for name, variable in found:
            _start_from(reader, name, variable)


_SCOPES = (
    "Assignment map with scope only name {} should map to scope only {}. Should be 'scope/': "
    "'other_scope/'."
)


def _listed(variables: Any) -> Any:
    return variables if isinstance(variables, (list, tuple)) else [variables]


def _check_known(reader: CheckpointReader, name: str) -> None:
    if not reader.has_tensor(name):
        raise ValueError(
            f"Tensor {name} is not found in {reader.prefix} checkpoint "
            f"{reader.get_variable_to_shape_map()}"
        )


def _in_scope(
    reader: CheckpointReader, there: str, target: str, here: dict[str, dict[str, Any]]
) -> list[tuple[str, Any]]:
    """Every variable under the scope `target`, with the name of its namesake under `there`."""
    prefix = "" if there == "/" else there
    if prefix and not prefix.endswith("/"):
        raise ValueError(_SCOPES.format(target, there))
    scope = "" if target == "/" else target
    found = []
    for name, parts in sorted(here.items()):
        if name.startswith(scope):
            full = prefix + name[len(scope) :]
            _check_known(reader, full)
            found += [(full, part) for part in parts.values()]
    return found


def _start_from(reader: CheckpointReader, name: str, variable: Any) -> None:
    """Replaces the initializer of one variable by a read of the checkpoint."""
    _check_known(reader, name)
    shape = as_shape(reader.get_variable_to_shape_map()[name])
    info = getattr(variable, "_save_slice_info", None)
    own = as_shape(info.full_shape) if info else variable.shape
    if not shape.is_compatible_with(own):
        raise ValueError(
            f"Shape of variable {variable.name} ({own}) doesn't match with shape of "
            f"tensor {name} ({shape.as_list()}) from checkpoint reader."
        )
    with stacks.device(variable.device), stacks.device("/cpu:0"):
        (value,) = saver_builder.restore_v2(
            reader.prefix,
            [name],
            [info.spec if info else ""],
            dtypes=(variable.dtype.base_dtype,),
            name="checkpoint_initializer",
        )
        value.set_shape(variable.shape)
    _start_with(variable, value)
    logging.debug(
        "Initialize variable %s from checkpoint %s with %s", variable.name, reader.prefix, name
    )


def _start_with(variable: Any, value: Any) -> None:
    """Replaces the initializer of a variable, or of its copies, by the assignment of a tensor."""
    if getattr(variable, "has_copies", False):
        for copy in variable.values:
            _start_with(copy, value)
        variable._initializing = None
        return
    with stacks.colocate_with(variable.op):
        assigned = state_ops.assign(variable, value)
    variable._initializer_op = assigned
    variable._initial_value = value


# ---- starting from another model ---------------------------------------------------------


def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, Any] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Makes the initializers of variables read another model's checkpoint.

    Args:
      ckpt_to_initialize_from: the checkpoint, or a directory of them.
      vars_to_warm_start: a regular expression for trainable variables, a list of them for all
        variables, a list of variables, or None for none.
      var_name_to_vocab_info: must be empty; the rows of a matrix are not found by words.
      var_name_to_prev_var_name: the names in the checkpoint that are others, by the variable's.
    Raises:
      NotImplementedError: when there are vocabularies.
      ValueError: when a name was not used, or is not in the checkpoint.
      TypeError: when `vars_to_warm_start` is of another type.
    """
    logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    if var_name_to_vocab_info:
        raise NotImplementedError("minitf does not start the rows of a matrix by vocabularies.")
    old_names = var_name_to_prev_var_name or {}
    groups = _grouped(vars_to_warm_start) if vars_to_warm_start else {}
    if groups:
        pairs = [(old_names.get(name) or name, parts) for name, parts in groups.items()]
        init_from_checkpoint(ckpt_to_initialize_from, pairs)
    logging.info("Warm-started %d variables.", len(groups))
    if unused := set(old_names) - set(groups):
        raise ValueError(
            "You provided the following variables in var_name_to_prev_var_name that were not "
            f"used: {unused}.  Perhaps you misspelled them?  Here is the list of viable variable "
            f"names: {groups.keys()}"
        )


def _grouped(wanted: Any) -> dict[str, list[Variable]]:
    """The variables by name; the parts of a partitioned one have one name."""
    if isinstance(wanted, str):
        logging.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        found = stacks.get_collection(GraphKeys.TRAINABLE_VARIABLES, wanted)
    elif not isinstance(wanted, list):
        raise ValueError(
            f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}"
        )
    elif all(isinstance(each, str) for each in wanted):
        key = GraphKeys.GLOBAL_VARIABLES
        found = [v for each in wanted for v in stacks.get_collection(key, each)]
    elif all(isinstance(each, Variable) for each in wanted):
        found = wanted
    else:
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given "
            f"types are {[type(each) for each in wanted]}"
        )
    groups: dict[str, list[Variable]] = {}
    for variable in found:
        info = getattr(variable, "_save_slice_info", None)
        groups.setdefault(info.full_name if info else variable.op.name, []).append(variable)
    return groups


# ---- waiting for checkpoints -------------------------------------------------------------


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Returns the newest checkpoint of a directory as soon as it is another than the last.

    Args:
      checkpoint_dir: the directory.
      last_checkpoint: the one that is known already.
      seconds_to_sleep: how often to look.
      timeout: how long to wait, in seconds; for ever when None.
    Returns: None when the time is over.
    """
    stop = None if timeout is None else time.monotonic() + timeout
    while True:
        newest = latest_checkpoint(checkpoint_dir)
        if newest is not None and newest != last_checkpoint:
            return newest
        if stop is not None and time.monotonic() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields the checkpoints of a directory as they appear, as an evaluation job wants them.

    Args:
      checkpoint_dir: the directory.
      min_interval_secs: the least time between two, in seconds.
      timeout: how long to wait for a new one, in seconds; for ever when None.
      timeout_fn: called when the time is over; a false answer goes on waiting.
    """
    newest = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, newest, timeout=timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        newest = found
        started = time.monotonic()
        yield newest
        time.sleep(max(0.0, started + min_interval_secs - time.monotonic()))
