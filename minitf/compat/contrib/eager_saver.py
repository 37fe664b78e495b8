"""`tf.contrib.eager.Saver`: checkpoints of variables by their names, without a session.

with tfe.restore_variables_on_create(tf.train.latest_checkpoint(folder)):
    model(batch)                                             begins where training ended
tfe.Saver(model.variables).save(path, global_step=step)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from minitf.core.graph import errors
from minitf.core.graph.stacks import executing_eagerly
from minitf.core.variables.creators import variable_creator_scope
from minitf.library.eager.context import enable_eager_execution
from minitf.library.platform import app
from minitf.library.saving import saver
from minitf.library.saving.checkpoint_utils import load_checkpoint


class Saver:
    """Writes variables and reads them, in the files of `tf.train.Saver`.

    Args:
      var_list: the variables, or a dict of them by other names.
    Raises:
      RuntimeError: when a graph is built.
    """

    def __init__(self, var_list: Any) -> None:
        if not executing_eagerly():
            raise RuntimeError(
                "tfe.Saver can only be used when eager execution is enabled. Use tf.train.Saver "
                "when building graphs."
            )
        self._saver = saver.Saver(var_list)

    def save(self, file_prefix: str, global_step: Any = None) -> str:
        """Writes a checkpoint, and returns its prefix: with "-" and the step, if one is given."""
        path = self._saver.save(None, file_prefix, global_step=global_step, write_meta_graph=False)
        return str(path)

    def restore(self, file_prefix: str) -> None:
        """Reads the variables from a checkpoint."""
        self._saver.restore(None, file_prefix)


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """`optimizer.variables()`."""
    return optimizer.variables()


@contextlib.contextmanager
def restore_variables_on_create(
    save_path: str | None, map_func: Callable[[str], str] | None = None
) -> Iterator[None]:
    """A block in which new variables begin with the values of a checkpoint.

    Args:
      save_path: its prefix; without one nothing is read.
      map_func: gives the name in the checkpoint for that of a variable.
    Raises:
      NotFoundError: when a variable is not in the checkpoint.
      ValueError: when a graph is built, or `map_func` cannot be called.
    """
    if not executing_eagerly():
        raise ValueError(
            "Currently, restore_variables_on_create can only be used with eager execution enabled."
        )
    if map_func is not None and not callable(map_func):
        raise ValueError("map_func must be callable.")
    if not save_path:
        yield
        return
    reader = load_checkpoint(save_path)

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        variable = next_creator(**kwargs)
        name = variable.name.partition(":")[0]
        name = name if map_func is None else map_func(name)
        if not reader.has_tensor(name):
            raise errors.NotFoundError(None, None, f"{name} not found in checkpoint")
        variable.assign(reader.get_tensor(name))
        return variable

    with variable_creator_scope(create):
        yield


def run(main: Callable | None = None, argv: Sequence[str] | None = None) -> NoReturn:
    """`tf.app.run` under eager execution."""
    enable_eager_execution()
    app.run(main, argv)
