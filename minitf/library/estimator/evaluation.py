"""One evaluation: a checkpoint, the updates of the metrics over all batches, then their values."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops.array import identity
from minitf.core.ops.state import assign_add
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable
from minitf.library.formats.summary_protos import protos, tensor_proto
from minitf.library.sessions.basic_hooks import FinalOpsHook, SessionRunArgs, SessionRunHook
from minitf.library.sessions.file_writer import writer_of
from minitf.library.sessions.monitored_session import ChiefSessionCreator, MonitoredSession
from minitf.library.sessions.scaffold import Scaffold


def get_or_create_eval_step() -> Any:
    """Returns the variable that counts the batches of this evaluation."""
    found = stacks.get_collection(GraphKeys.EVAL_STEP)
    if found:
        return found[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=dtypes.int64,
        initializer=zeros_initializer(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Ends the evaluation after so many batches, and logs about ten times how far it has come.

    Args:
      num_evals: how many.
    """

    def __init__(self, num_evals: int) -> None:
        self._num_evals = num_evals
        self._every = 1 if num_evals < 20 else num_evals // 10
        self.evals_completed: Any = None  # the tensor, which `evaluate_once` sets

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self.evals_completed)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        done, wanted = int(run_values.results), self._num_evals
        if done % self._every == 0 or done == wanted:
            logging.info("Evaluation [%d/%d]", done, wanted)
        if done >= wanted:
            run_context.request_stop()


def evaluate_once(
    checkpoint_path: str | None,
    master: str,
    scaffold: Scaffold,
    update_op: Any,
    final_ops: Any,
    hooks: list[SessionRunHook],
    config: Any,
) -> Any:
    """Runs `update_op` until the data or a hook ends it, then fetches `final_ops`.

    Args:
      checkpoint_path: where the variables come from; without one they are initialized.
      master: the session's target.
      scaffold: the pieces of the session.
      update_op: updates the metrics by a batch.
      final_ops: what to fetch at the end.
      hooks: `SessionRunHook`s.
      config: the session's `ConfigProto`.
    Returns: the values of `final_ops`.
    """
    step = get_or_create_eval_step()
    updates = [update_op, assign_add(step, 1, use_locking=True)]
    with stacks.control_dependencies(updates):
        completed = identity(step.read_value())
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook.evals_completed = completed
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    last = FinalOpsHook(final_ops)
    with MonitoredSession(creator, [*hooks, last]) as session:
        while not session.should_stop():
            session.run(updates)
    logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
    return last.final_ops_values


# ---- what it leaves behind ---------------------------------------------------------------


def write_results(
    output_dir: str, results: dict[str, Any], global_step: int, checkpoint_path: str | None
) -> None:
    """Logs the results of an evaluation, and writes them as summaries.

    Args:
      output_dir: where the events go.
      results: the metrics by name.
      global_step: the step of the checkpoint.
      checkpoint_path: the checkpoint.
    """
    shown = (f"{k} = {v!s}" for k, v in sorted(results.items()) if not isinstance(v, bytes))
    logging.info("Saving dict for global step %d: %s", global_step, ", ".join(shown))
    writer = writer_of(output_dir)
    if writer is not None:
        summary = protos().Summary()
        for key, value in results.items():
            if key != GraphKeys.GLOBAL_STEP and value is not None:
                _add(summary, key, value)
        writer.add_summary(summary, global_step)
    if checkpoint_path:
        tag = "checkpoint_path"
        logging.info(
            "Saving '%s' summary for global step %d: %s", tag, global_step, checkpoint_path
        )
        if writer is not None:
            summary = protos().Summary()
            summary.value.add(tag=tag, tensor=tensor_proto(np.array(checkpoint_path.encode())))
            writer.add_summary(summary, global_step)
    if writer is not None:
        writer.flush()


def _add(summary: Any, key: str, value: Any) -> None:
    """Adds one result to a summary: a number, a whole summary, or an array."""
    if isinstance(value, (float, int, np.floating, np.integer)):
        summary.value.add(tag=key, simple_value=float(value))
    elif isinstance(value, bytes):
        inner = protos().Summary.FromString(value)
        for i, part in enumerate(inner.value):
            part.tag = f"{key}/{i}"
        summary.value.extend(inner.value)
    elif isinstance(value, np.ndarray):
        summary.value.add(tag=key, node_name=key, tensor=tensor_proto(value))
    else:
        logging.warning(
            "Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or "
            "np.ndarray or a serialized string of Summary.",
            key,
        )
