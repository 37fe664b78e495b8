"""`Scaffold`: the operations and objects that every training needs, found or made.

    init_op, local_init_op    give variables their first values
    ready_op                  names variables that have none
    saver, summary_op

What the program did not give comes from the graph's collections, or is made; `finalize` does that
and closes the graph. With these pieces a session is made ready for use, which it is when the ready
op names no variable:

    chief      prepared_session    from a checkpoint, or by the init op; then the local init op
    worker     awaited_session     once the chief has done that
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import control as control_ops
from minitf.core.runtime.session.session import BaseSession, Session
from minitf.core.variables import initialization
from minitf.library.saving.checkpoint_state import get_checkpoint_state
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


def found_or_made(collection: str, make: Callable[[], Any]) -> Any:
    """Returns the first of a collection, or what `make` makes, which is added there."""
    found = stacks.get_collection(collection)
    if found:
        return found[0]
    made = make()
    if made is not None:
        stacks.add_to_collection(collection, made)
    return made


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
            the_only_saver()  # which refuses several
            self.saver = found_or_made(
                GraphKeys.SAVERS, lambda: Saver(sharded=True, allow_empty=True)
            )
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
        if len(stacks.get_collection(collection_key)) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                "one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        return found_or_made(collection_key, default_constructor)

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


# ---- sessions that are ready for use ------------------------------------------------------


def prepared_session(
    scaffold: Scaffold,
    graph: Graph,
    master: str,
    config: Any,
    checkpoint_dir: str | None,
    checkpoint: str | None = None,
) -> Session:
    """Makes a session whose variables have values.

    Args:
      scaffold: the pieces of the training.
      graph: the graph.
      master: the session's target.
      config: the session's `ConfigProto`.
      checkpoint_dir: where the newest checkpoint is.
      checkpoint: the checkpoint, in place of a directory.
    Raises:
      RuntimeError: when the variables are not ready afterwards.
    """
    sess = Session(master, graph=graph, config=config)
    init_op, init_fn, local = scaffold.init_op, scaffold.init_fn, scaffold.local_init_op
    if not _restored(sess, scaffold.saver, checkpoint_dir, checkpoint):
        if init_op is None and not init_fn and local is None:
            raise RuntimeError(
                "Model is not initialized and no init_op or init_fn or local_init_op was given"
            )
        if init_op is not None:
            sess.run(init_op, feed_dict=scaffold.init_feed_dict)
        if init_fn:
            init_fn(sess)
    if lacking := _run_local_init(sess, scaffold):
        raise RuntimeError(
            "Init operations did not make model ready for local_init.  Init op: "
            f"{_name_of(init_op)}, init fn: {init_fn}, error: {lacking}"
        )
    if lacking := missing(sess, scaffold.ready_op):
        raise RuntimeError(
            f"Init operations did not make model ready.  Init op: {_name_of(init_op)}, init "
            f"fn: {init_fn}, local_init_op: {_name_of(local)}, error: {lacking}"
        )
    return sess


def awaited_session(
    scaffold: Scaffold,
    graph: Graph,
    master: str,
    config: Any,
    max_wait_secs: float | None,
    look_again_secs: float,
) -> Session:
    """Makes a session once another process has initialized the variables.

    Args:
      scaffold, graph, master, config: see `prepared_session`.
      max_wait_secs: how long to wait, in seconds; None for ever.
      look_again_secs: how long to wait between looks, in seconds.
    Raises:
      DeadlineExceededError: when the time is over.
    """
    stop = time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
    while True:
        sess = Session(master, graph=graph, config=config)
        lacking = _run_local_init(sess, scaffold) or missing(sess, scaffold.ready_op)
        if not lacking:
            return sess
        sess.close()
        if time.monotonic() + look_again_secs > stop:
            raise errors.DeadlineExceededError(
                None, None, f"Session was not ready after waiting {int(max_wait_secs or 0)} secs."
            )
        logging.info("Waiting for model to be ready: %s", lacking)
        time.sleep(look_again_secs)


def _restored(sess: BaseSession, saver: Any, folder: str | None, checkpoint: str | None) -> bool:
    """Reads the variables from a checkpoint, when there is one."""
    if folder and checkpoint:
        raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
    if saver and checkpoint:
        saver.restore(sess, checkpoint)
        return True
    state = get_checkpoint_state(folder) if saver and folder else None
    if not state:
        return False
    saver.restore(sess, state.model_checkpoint_path)
    saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
    return True


def _run_local_init(sess: BaseSession, scaffold: Scaffold) -> str | None:
    """Runs the local init op; returns what it needs and does not find."""
    if scaffold.local_init_op is None:
        if scaffold.ready_for_local_init_op is None:
            return None
        raise ValueError("If you pass a ready_for_local_init_op you must also pass a local_init_op")
    lacking = missing(sess, scaffold.ready_for_local_init_op)
    if not lacking:
        logging.info("Running local_init_op.")
        sess.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        logging.info("Done running local_init_op.")
    return lacking


def missing(sess: BaseSession, ready_op: Any) -> str | None:
    """Says which variables lack a value, as a ready op tells."""
    if ready_op is None:
        return None
    try:
        names = sess.run(ready_op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            raise
        return str(error)
    if names is None or names.dtype == np.bool_ or not names.size:
        return None
    return "Variables not initialized: " + ", ".join(name.decode() for name in names)


def _name_of(thing: Any) -> str:
    if thing is None:
        return "None"
    return str(getattr(thing, "name", f"<no name for {type(thing)}>"))
