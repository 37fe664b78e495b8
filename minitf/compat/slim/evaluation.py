"""`tf.contrib.slim.evaluation` and `tf.contrib.training`'s: checkpoints, measured as they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.slim.learning import USE_DEFAULT
from minitf.library.estimator import evaluation
from minitf.library.estimator.evaluation import StopAfterNEvalsHook
from minitf.library.saving.checkpoint_utils import checkpoints_iterator
from minitf.library.saving.saver import Saver
from minitf.library.sessions.scaffold import Scaffold
from minitf.library.sessions.session_run_hook import SessionRunHook
from minitf.library.sessions.summary_io import writer_of
from minitf.library.sessions.training_util import get_or_create_global_step, global_step
from minitf.library.summary import summary


class SummaryAtEndHook(SessionRunHook):
    """Writes the summaries when the evaluation ends.

    Args:
      log_dir: where to.
      summary_writer: the writer, in place of a directory.
      summary_op: the summaries; all of the graph by default.
      feed_dict: what to feed to them.
    Raises:
      ValueError: when there is neither directory nor writer.
    """

    def __init__(
        self, log_dir: str | None = None, summary_writer: Any = None, summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:  # fmt: skip
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._log_dir, self._writer = log_dir, summary_writer
        self._given, self._feed_dict = summary_op, feed_dict

    def begin(self) -> None:
        self._op = summary.merge_all() if self._given is None else self._given
        self._step = get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._writer is None:
            self._writer = writer_of(self._log_dir)

    def end(self, session: Any) -> None:
        if self._op is not None:
            step = global_step(session, self._step)
            self._writer.add_summary(session.run(self._op, self._feed_dict), step)
        self._writer.flush()


def evaluate_repeatedly(
    checkpoint_dir: str, master: str = "", scaffold: Scaffold | None = None, eval_ops: Any = None,
    feed_dict: Any = None, final_ops: Any = None, final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60, hooks: Any = None, config: Any = None,
    max_number_of_evaluations: int | None = None, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:  # fmt: skip
    """Evaluates each new checkpoint of a directory; see `tf.contrib.training.evaluate_once`.

    Args:
      checkpoint_dir: the directory.
      eval_interval_secs: the least time between two evaluations, in seconds.
      max_number_of_evaluations: after how many to end; None for never.
      timeout, timeout_fn: see `tf.train.checkpoints_iterator`.
    Returns: the values of `final_ops` for the last checkpoint.
    Raises:
      ValueError: when `max_number_of_evaluations` is not positive.
    """
    if max_number_of_evaluations is not None and max_number_of_evaluations <= 0:
        raise ValueError("`max_number_of_evaluations` must be either None or a positive number.")
    values = None
    found = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for number, path in enumerate(found, 1):
        fresh = scaffold and Scaffold(
            init_op=scaffold.init_op, init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn, ready_op=scaffold.ready_op,
            local_init_op=scaffold.local_init_op, summary_op=scaffold.summary_op,
            saver=scaffold.saver,
        )  # fmt: skip
        values = evaluation.evaluate_once(
            path, master, fresh, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config
        )
        if number == max_number_of_evaluations:
            break
    return values


def evaluate_once(
    master: str, checkpoint_path: str, logdir: str, num_evals: int = 1, initial_op: Any = None,
    initial_op_feed_dict: Any = None, eval_op: Any = None, eval_op_feed_dict: Any = None,
    final_op: Any = None, final_op_feed_dict: Any = None, summary_op: Any = USE_DEFAULT,
    summary_op_feed_dict: Any = None, variables_to_restore: Any = None,
    session_config: Any = None, hooks: Any = None,
) -> Any:  # fmt: skip
    """Evaluates a checkpoint: runs `eval_op` so many times, then fetches `final_op`.

    Args:
      master: the session's target.
      checkpoint_path: the checkpoint.
      logdir: where the summaries go.
      num_evals: how many times.
      initial_op: runs first, `initial_op_feed_dict` is fed to it; and so on for the others.
      eval_op: the updates of the metrics.
      final_op: their values.
      summary_op: the summaries; all of the graph by default, None for none.
      variables_to_restore: which variables the checkpoint has; all by default.
      session_config: the session's `ConfigProto`.
      hooks: further hooks.
    Returns: the values of `final_op`.
    """
    return evaluation.evaluate_once(
        checkpoint_path, master=master, eval_ops=eval_op, feed_dict=eval_op_feed_dict,
        final_ops=final_op, final_ops_feed_dict=final_op_feed_dict, config=session_config,
        **_pieces(logdir, num_evals, initial_op, initial_op_feed_dict, summary_op,
                  summary_op_feed_dict, variables_to_restore, hooks),
    )  # fmt: skip


def evaluation_loop(
    master: str, checkpoint_dir: str, logdir: str, num_evals: int = 1, initial_op: Any = None,
    initial_op_feed_dict: Any = None, init_fn: Any = None, eval_op: Any = None,
    eval_op_feed_dict: Any = None, final_op: Any = None, final_op_feed_dict: Any = None,
    summary_op: Any = USE_DEFAULT, summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None, eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None, session_config: Any = None,
    timeout: float | None = None, timeout_fn: Callable[[], bool] | None = None, hooks: Any = None,
) -> Any:  # fmt: skip
    """Evaluates each new checkpoint of a directory; the arguments are those of `evaluate_once`.

    Args:
      checkpoint_dir: the directory.
      init_fn: is called with the session after `initial_op`.
      eval_interval_secs: the least time between two evaluations, in seconds.
      max_number_of_evaluations: after how many to end; None for never.
      timeout: how long to wait for a checkpoint, in seconds; None for ever.
      timeout_fn: called when the time is over; a false answer goes on waiting.
    """
    return evaluate_repeatedly(
        checkpoint_dir, master=master, eval_ops=eval_op, feed_dict=eval_op_feed_dict,
        final_ops=final_op, final_ops_feed_dict=final_op_feed_dict, config=session_config,
        eval_interval_secs=eval_interval_secs, timeout=timeout, timeout_fn=timeout_fn,
        max_number_of_evaluations=max_number_of_evaluations,
        **_pieces(logdir, num_evals, initial_op, initial_op_feed_dict, summary_op,
                  summary_op_feed_dict, variables_to_restore, hooks, init_fn),
    )  # fmt: skip


def _pieces(
    logdir: str, num_evals: int, initial_op: Any, initial_feed: Any, summary_op: Any,
    summary_feed: Any, variables: Any, hooks: Any, init_fn: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """The scaffold and the hooks of an evaluation."""
    if summary_op is USE_DEFAULT:
        summary_op = summary.merge_all()
    every: list[Any] = [StopAfterNEvalsHook(num_evals), *(hooks or [])]
    if summary_op is not None:
        every.append(SummaryAtEndHook(logdir, summary_op=summary_op, feed_dict=summary_feed))
    saver = None if variables is None else Saver(variables)
    scaffold = Scaffold(
        init_op=initial_op, init_feed_dict=initial_feed, init_fn=init_fn, saver=saver
    )
    return {"scaffold": scaffold, "hooks": every}
