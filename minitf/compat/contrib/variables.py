"""Variables as `tf.contrib.framework` finds, makes and fills them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from minitf.core.graph import logging
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import get_collection
from minitf.core.variables.variable_scope import VariableScope
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.saving.saver import Saver

VARIABLES_TO_RESTORE = "_variables_to_restore_"


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


# ---- filling them ------------------------------------------------------------------------


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
