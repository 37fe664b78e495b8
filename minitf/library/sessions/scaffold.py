"""`Scaffold`: the operations and objects that every training needs, found or made.

    init_op, local_init_op    give variables their first values
    ready_op                  names variables that have none
    saver, summary_op

What the program did not give comes from the graph's collections, or is made; `finalize` does that
and closes the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import control as control_ops
from minitf.core.variables import initialization
from minitf.library.saving.saver import Saver
from minitf.library.summary.summary import merge_all


def the_only_saver() -> list[Saver]:
    """Returns the saver in `GraphKeys.SAVERS`, in a list; an empty one when there is none.

    Raises:
      RuntimeError: when there are several.
    """
    savers = stacks.get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            "use by passing it to the constructor."
        )
    return savers


def get_saver_or_default() -> Saver:
    """Returns the saver in `GraphKeys.SAVERS`, which is made when there is none.

    Raises:
      RuntimeError: when there are several.
    """
    if savers := the_only_saver():
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    stacks.add_to_collection(GraphKeys.SAVERS, saver)
    return saver


class Scaffold:
    """Holds the pieces of a training.

    Args:
      init_op: gives the global variables their first values.
      init_feed_dict: what to feed to it.
      init_fn: `init_fn(scaffold, session)`, is called after it.
      ready_op: a vector of names of variables without a value.
      ready_for_local_init_op: the same for what the local init op needs.
      local_init_op: gives what belongs to this process its first values.
      summary_op: all summaries in one.
      saver: writes and reads checkpoints.
      copy_from_scaffold: takes what is None here from that one.
      local_init_feed_dict: what to feed to the local init op.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        other = copy_from_scaffold
        inherited = None if other is None else other._user_init_fn
        self._user_init_fn: Callable[..., Any] | None = init_fn or inherited

        def pick(own: Any, name: str) -> Any:
            return own if own is not None or other is None else getattr(other, name)

        self.init_op = pick(init_op, "init_op")
        self.init_feed_dict = pick(init_feed_dict, "init_feed_dict")
        self.ready_op = pick(ready_op, "ready_op")
        self.ready_for_local_init_op = pick(ready_for_local_init_op, "ready_for_local_init_op")
        self.local_init_op = pick(local_init_op, "local_init_op")
        self.local_init_feed_dict = pick(local_init_feed_dict, "local_init_feed_dict")
        self.summary_op = pick(summary_op, "summary_op")
        self.saver = pick(saver, "saver")

    def finalize(self) -> Scaffold:
        """Makes what is missing, and closes the graph.

        Raises:
          RuntimeError: when a collection offers several of one kind.
        """
        parts = (
            ("init_op", GraphKeys.INIT_OP, _default_init_op),
            ("ready_op", GraphKeys.READY_OP, initialization.report_uninitialized_variables),
            ("ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_op),
            ("local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op),
            ("summary_op", GraphKeys.SUMMARY_OP, merge_all),
        )
        for name, key, make in parts:
            if getattr(self, name) is None:
                setattr(self, name, self.get_or_default(name, key, make))
        if self.saver is None:
            self.saver = get_saver_or_default()
        self.saver.build()
        stacks.get_default_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """What is called with the session after the init op."""
        if self._user_init_fn is None:
            return None
        function = self._user_init_fn
        return lambda sess: function(self, sess)

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Any) -> Any:
        """Returns the only item of a collection, or a new one, which is added there."""
        found = stacks.get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                "one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            stacks.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Returns an operation that initializes local variables and lookup tables."""
        return control_ops.group(
            initialization.local_variables_initializer(), initialization.tables_initializer()
        )


def _default_init_op() -> Any:
    return control_ops.group(initialization.global_variables_initializer())


def _default_ready_op() -> Any:
    return initialization.report_uninitialized_variables(initialization.global_variables())
