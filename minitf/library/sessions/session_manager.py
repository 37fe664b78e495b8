"""`SessionManager`: makes sessions that are ready for use.

    chief      prepare_session     from a checkpoint, or by the init op; then the local init op
    worker     wait_for_session    until the chief has done that
    after a    recover_session     from a checkpoint, or not at all
    failure

Ready means that the ready op names no variable that has no value.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.session.session import BaseSession, Session
from minitf.library.saving.checkpoint_state import get_checkpoint_state


def _name_of(thing: Any) -> str:
    if thing is None:
        return "None"
    return str(getattr(thing, "name", f"<no name for {type(thing)}>"))


@dataclass(eq=False)
class SessionManager:
    """Makes sessions and brings their variables to life.

    Args:
      local_init_op: initializes what belongs to this process.
      ready_op: a vector of the names of variables without a value; empty when all is ready.
      ready_for_local_init_op: the same for what the local init op needs.
      graph: the graph; the default graph when None.
      recovery_wait_secs: how long to wait between looks, in seconds.
      local_init_run_options: the `RunOptions` of the local init op.
      local_init_feed_dict: what to feed to it.

    Raises:
      ValueError: when there is something to wait for and no local init op.
    """

    local_init_op: Any = None
    ready_op: Any = None
    ready_for_local_init_op: Any = None
    graph: Graph | None = None
    recovery_wait_secs: float = 30
    local_init_run_options: Any = None
    local_init_feed_dict: Any = None

    def __post_init__(self) -> None:
        if self.ready_for_local_init_op is not None and self.local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{self.ready_for_local_init_op}]"
            )
        self.graph = self.graph or stacks.get_default_graph()

    def _restored(
        self,
        sess: BaseSession,
        saver: Any,
        checkpoint_dir: str | None,
        checkpoint: str | None,
        wait_secs: float,
    ) -> bool:
        """Reads the variables from a checkpoint, when there is one by then."""
        if checkpoint_dir and checkpoint:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        if not saver or not (checkpoint_dir or checkpoint):
            return False
        if checkpoint:
            saver.restore(sess, checkpoint)
            return True
        waited = 0.0
        state = get_checkpoint_state(checkpoint_dir or "")
        while not state:
            if waited >= wait_secs:
                return False
            logging.info("Waiting for checkpoint to be available.")
            time.sleep(self.recovery_wait_secs)
            waited += self.recovery_wait_secs
            state = get_checkpoint_state(checkpoint_dir or "")
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Any], Any] | None = None,
    ) -> Session:
        """Makes a session whose variables have values.

        Args:
          master: the session's target.
          init_op: gives them values when there is no checkpoint.
          saver: reads a checkpoint.
          checkpoint_dir: where the newest checkpoint is.
          checkpoint_filename_with_path: the checkpoint, in place of a directory.
          wait_for_checkpoint: wait until there is one.
          max_wait_secs: how long, in seconds.
          config: the session's `ConfigProto`.
          init_feed_dict: what to feed to the init op.
          init_fn: is called with the session after the init op.
        Raises:
          RuntimeError: when the variables are not ready afterwards.
        """
        sess = Session(master, graph=self.graph, config=config)
        checkpoint = checkpoint_filename_with_path
        wait_secs = max_wait_secs if wait_for_checkpoint else 0.0
        if not self._restored(sess, saver, checkpoint_dir, checkpoint, wait_secs):
            if init_op is None and not init_fn and self.local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        missing = self._run_local_init(sess)
        if missing:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  Init op: "
                f"{_name_of(init_op)}, init fn: {init_fn}, error: {missing}"
            )
        missing = self._missing(sess, self.ready_op)
        if missing:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {_name_of(init_op)}, init "
                f"fn: {init_fn}, local_init_op: {_name_of(self.local_init_op)}, error: {missing}"
            )
        return sess

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = math.inf
    ) -> Session:
        """Makes a session once another process has initialized the variables.

        Args:
          master: the session's target.
          config: the session's `ConfigProto`.
          max_wait_secs: how long to wait, in seconds.
        Raises:
          DeadlineExceededError: when the time is over.
        """
        limit = math.inf if max_wait_secs is None else max_wait_secs
        stop = time.monotonic() + limit
        while True:
            sess = Session(master, graph=self.graph, config=config)
            missing = self._run_local_init(sess) or self._missing(sess, self.ready_op)
            if not missing:
                return sess
            sess.close()
            if time.monotonic() + self.recovery_wait_secs > stop:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(limit)} secs."
                )
            logging.info("Waiting for model to be ready: %s", missing)
            time.sleep(self.recovery_wait_secs)

    def _run_local_init(self, sess: BaseSession) -> str | None:
        """Runs the local init op; returns what it needs and does not find."""
        if self.local_init_op is None:
            return None
        missing = self._missing(sess, self.ready_for_local_init_op)
        if not missing:
            feeds, options = self.local_init_feed_dict, self.local_init_run_options
            logging.info("Running local_init_op.")
            sess.run(self.local_init_op, feeds, options)
            logging.info("Done running local_init_op.")
        return missing

    @staticmethod
    def _missing(sess: BaseSession, ready_op: Any) -> str | None:
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
