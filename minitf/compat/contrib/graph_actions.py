"""`tf.contrib.learn.graph_actions`: a graph is trained, evaluated or run, without an estimator.

run_n({"y": y}, n=3)                                 steps of one session, a dict of values for each
train(graph, folder, train_op, loss, steps=100)      a monitored session until the last step
evaluate(graph, folder, checkpoint, {"error": error}, update_op, max_steps=10)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minitf.core.graph import logging
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable
from minitf.library.saving.saver import Saver
from minitf.library.sessions.basic_hooks import NanLossDuringTrainingError, StopAtStepHook
from minitf.library.sessions.monitored_session import MonitoredTrainingSession
from minitf.library.sessions.scaffold import Scaffold
from minitf.library.sessions.training_util import get_global_step

Feeds = Callable[[], dict[Any, Any]]


def _checked_step(graph: Graph, given: Any) -> Any:
    """The global step: the one that is given, which becomes the graph's, or the graph's."""
    step = get_global_step(graph)
    if step is None and given is not None:
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, given)
        step = given
    if step is None:
        raise ValueError('No "global_step" was provided or found in the graph.')
    return step


def _call_with_session(init_fn: Callable[[Any], None], scaffold: Scaffold, session: Any) -> None:
    init_fn(session)


def train(
    graph: Graph,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: Any = None,
    init_fn: Callable[[Any], None] | None = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: float = 600,
    keep_checkpoint_max: int = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Feeds | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Iterable[Any] | None = None,
    max_steps: int | None = None,
) -> Any:
    """Trains the model of a graph, from the newest checkpoint of a folder.

    Args:
      graph: the graph.
      output_dir: where checkpoints and summaries go.
      train_op, loss_op: the operation of a step, and a scalar.
      global_step_tensor: the counter of steps; that of the graph by default.
      init_op, init_feed_dict: give the variables their first values.
      init_fn: `init_fn(session)` is called after it.
      log_every_steps: how often the speed is logged.
      supervisor_is_chief, supervisor_master: whether this process saves; the session's target.
      supervisor_save_model_secs, keep_checkpoint_max: how often it saves, in seconds, and how many
        checkpoints are kept.
      supervisor_save_summaries_steps: how often summaries are written.
      feed_fn: returns what to feed in a step; ends the training by StopIteration.
      steps, max_steps: how many steps more, or the last one; without end by default.
      fail_on_nan_loss: whether a loss that is not a number ends the training.
      monitors: monitors, and hooks.
    Returns: the last loss; None when there was no step to make.
    Raises:
      ValueError: when something is missing, or both kinds of steps are given.
      NanLossDuringTrainingError: when the loss is not a number.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    for name, given in (("train_op", train_op), ("loss_op", loss_op)):
        if given is None:
            raise ValueError(f"Missing {name}.")
    loss, hooks = None, list(monitors or ())
    with graph.as_default():
        step = _checked_step(graph, global_step_tensor)
        done = load_variable(output_dir, step.name) if latest_checkpoint(output_dir) else 0
        last = done + steps if steps else max_steps
        if last is not None:
            if done >= last:
                return None
            hooks.append(StopAtStepHook(last_step=last))
        saver = Saver(sharded=True, max_to_keep=keep_checkpoint_max)
        start = None if init_fn is None else functools.partial(_call_with_session, init_fn)
        scaffold = Scaffold(init_op, init_feed_dict, start, saver=saver)
        with MonitoredTrainingSession(
            supervisor_master,
            supervisor_is_chief,
            output_dir,
            scaffold,
            hooks,
            save_checkpoint_secs=supervisor_save_model_secs,
            save_summaries_steps=supervisor_save_summaries_steps,
            log_step_count_steps=log_every_steps,
        ) as session:
            while not session.should_stop():
                try:
                    feeds = feed_fn() if feed_fn else None
                except StopIteration:
                    break
                _, loss = session.run([train_op, loss_op], feeds)
                if np.isnan(loss):
                    logging.error("Model diverged with loss = NaN.")
                    if fail_on_nan_loss:
                        raise NanLossDuringTrainingError
    return loss
