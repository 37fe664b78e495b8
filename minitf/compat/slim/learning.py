"""`tf.contrib.slim.learning` and `tf.contrib.training`: a training step, and the loop around it.

total_loss = tf.losses.get_total_loss()
train_op = slim.learning.create_train_op(total_loss, optimizer)   # also runs UPDATE_OPS
slim.learning.train(train_op, logdir, number_of_steps=1000)       # a Supervisor's session
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.optimize_loss import on_values
from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.convert import constant
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.comparisons import equal, greater_equal
from minitf.core.ops.control import group, no_op, with_dependencies
from minitf.core.ops.math import floormod, multiply
from minitf.core.runtime.session.config import RunMetadata, RunOptions
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initialization import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
    trainable_variables,
)
from minitf.library.checks.assertions import check_numerics
from minitf.library.formats.file_io import open_file
from minitf.library.graph_tools.timeline import Timeline
from minitf.library.numeric.clip import clip_by_norm, global_norm
from minitf.library.saving.saver import Saver
from minitf.library.sessions.monitored_session import (
    ChiefSessionCreator,
    MonitoredSession,
    WorkerSessionCreator,
)
from minitf.library.sessions.saving_hooks import (
    CheckpointSaverHook,
    StepCounterHook,
    SummarySaverHook,
)
from minitf.library.sessions.scaffold import Scaffold
from minitf.library.sessions.supervisor import Supervisor
from minitf.library.sessions.sync_replicas import SyncReplicasOptimizer
from minitf.library.sessions.training_util import get_or_create_global_step
from minitf.library.sessions.training_util import global_step as read_global_step
from minitf.library.summary import summary

USE_DEFAULT = 0
Pairs = list[tuple[Any, Any]]

# ---- gradients -----------------------------------------------------------------------------


def clip_gradient_norms(gradients_to_variables: Pairs, max_norm: Any) -> Pairs:
    """Clips each gradient of (gradient, variable) pairs to a norm."""
    return [
        (on_values(g, lambda values: clip_by_norm(values, max_norm)), v)
        for g, v in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: Any) -> Callable[[Pairs], Pairs]:
    """A function that clips each gradient of (gradient, variable) pairs to a norm."""
    return lambda pairs: clip_gradient_norms(pairs, max_norm)


def multiply_gradients(grads_and_vars: Pairs, gradient_multipliers: Any) -> Pairs:
    """Multiplies the gradients of some variables.

    Args:
      grads_and_vars: a list of (gradient, variable) pairs.
      gradient_multipliers: factors, by variable or by the name of its operation.
    Raises:
      ValueError: when an argument has the wrong form, or a gradient to multiply is None.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    result = []
    for gradient, variable in grads_and_vars:
        factor = gradient_multipliers.get(variable)
        if factor is None:
            factor = gradient_multipliers.get(variable.op.name)
        if factor is not None:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            scale = constant(factor, gradient.dtype) if not isinstance(factor, Tensor) else factor
            gradient = on_values(gradient, functools.partial(multiply, scale))
        result.append((gradient, variable))
    return result


def add_gradients_summaries(grads_and_vars: Pairs) -> list[Tensor]:
    """Adds histograms of gradients and of their norms; returns the summaries."""
    made = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            logging.info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        name = variable.op.name + "/gradient"
        made.append(summary.histogram(name, values))
        made.append(summary.histogram(name + "_norm", global_norm([values])))
    return made


# ---- one step ------------------------------------------------------------------------------


def create_training_op(
    total_loss: Any, optimizer: Optimizer, global_step: Any = USE_DEFAULT, update_ops: Any = None,
    variables_to_train: Any = None, transform_grads_fn: Callable[[Pairs], Pairs] | None = None,
    summarize_gradients: bool = False, gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:  # fmt: skip
    """Makes a tensor whose evaluation trains, and gives the loss.

    Args:
      total_loss: a scalar.
      optimizer: makes and applies the gradients.
      global_step: counts the steps; None for no counter, by default the graph's.
      update_ops: what runs before the loss; by default what is in `GraphKeys.UPDATE_OPS`.
      variables_to_train: by default all trainable variables.
      transform_grads_fn: from (gradient, variable) pairs to such pairs.
      summarize_gradients: whether to add histograms of the gradients.
      gate_gradients, aggregation_method, colocate_gradients_with_ops: see
        `Optimizer.compute_gradients`.
      check_numerics: whether a loss that is no number is an error.
    """
    if global_step is USE_DEFAULT:
        global_step = get_or_create_global_step()
    listed = stacks.get_collection(GraphKeys.UPDATE_OPS)
    updates = listed if update_ops is None else list(update_ops)
    if any(all(each is not kept for kept in updates) for each in listed):
        logging.warning(
            "update_ops in create_train_op does not contain all the update_ops in "
            "GraphKeys.UPDATE_OPS"
        )
    if updates:
        with stacks.control_dependencies(updates):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    variables = trainable_variables() if variables_to_train is None else variables_to_train
    assert variables, "there is nothing to train"
    pairs = optimizer.compute_gradients(
        total_loss,
        variables,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn is not None:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        with stacks.name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    applied = optimizer.apply_gradients(pairs, global_step=global_step)
    with stacks.name_scope("train_op"):
        if check_numerics:
            total_loss = _checked(total_loss, "LossTensor is inf or nan")
        train_op = with_dependencies([applied], total_loss)
    stacks.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


_checked = check_numerics


def create_train_op(
    total_loss: Any, optimizer: Optimizer, global_step: Any = USE_DEFAULT, update_ops: Any = None,
    variables_to_train: Any = None, clip_gradient_norm: Any = 0, summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP, aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False, gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Tensor:  # fmt: skip
    """Makes a tensor whose evaluation trains, and gives the loss.

    Args:
      clip_gradient_norm: the largest norm of each gradient; 0 for any.
      gradient_multipliers: factors of gradients, by variable or by the name of its operation.

    The other arguments are those of `tf.contrib.training.create_train_op`.
    """

    def transform(pairs: Pairs) -> Pairs:
        if gradient_multipliers:
            with stacks.name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with stacks.name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    return create_training_op(
        total_loss, optimizer, global_step, update_ops, variables_to_train, transform,
        summarize_gradients, gate_gradients, aggregation_method, colocate_gradients_with_ops,
        check_numerics,
    )  # fmt: skip


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict) -> tuple:
    """Takes one step; says the loss, and whether to stop.

    Args:
      sess: the session.
      train_op: what trains, and gives the loss.
      global_step: counts the steps.
      train_step_kwargs: the tensors "should_stop", "should_log" and "should_trace", as far as
        wanted; then "logdir" and "summary_writer" for the trace.
    Raises:
      ValueError: when there is a "should_trace" and no "logdir".
    """
    asked, started = train_step_kwargs, time.time()
    options = metadata = None
    if "should_trace" in asked:
        if "logdir" not in asked:
            raise ValueError(
                "logdir must be present in train_step_kwargs when should_trace is present"
            )
        if sess.run(asked["should_trace"]):
            options, metadata = RunOptions(trace_level=RunOptions.FULL_TRACE), RunMetadata()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    elapsed = time.time() - started
    if metadata is not None:
        path = os.path.join(asked["logdir"], f"tf_trace-{step}.json")
        logging.info("Writing trace to %s", path)
        with open_file(path, "w") as file:
            file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
        if asked.get("summary_writer") is not None:
            asked["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")
    if "should_log" in asked and sess.run(asked["should_log"]):
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, elapsed)
    return loss, sess.run(asked["should_stop"]) if "should_stop" in asked else False


# ---- the loop ------------------------------------------------------------------------------


def train(
    train_op: Any, logdir: str | None, train_step_fn: Callable[..., tuple] = train_step,
    train_step_kwargs: Any = USE_DEFAULT, log_every_n_steps: int = 1, graph: Graph | None = None,
    master: str = "", is_chief: bool = True, global_step: Any = None,
    number_of_steps: int | None = None, init_op: Any = USE_DEFAULT, init_feed_dict: Any = None,
    local_init_op: Any = USE_DEFAULT, init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = USE_DEFAULT, summary_op: Any = USE_DEFAULT, save_summaries_secs: float = 600,
    summary_writer: Any = USE_DEFAULT, startup_delay_steps: int = 0, saver: Saver | None = None,
    save_interval_secs: float = 600, sync_optimizer: Any = None, session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None, trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:  # fmt: skip
    """Trains until the step says stop, the data ends, or so many steps are done.

    Args:
      train_op: what trains, and gives the loss.
      logdir: where checkpoints and summaries go; None for neither.
      train_step_fn: takes one step; see `train_step`.
      train_step_kwargs: what it gets.
      log_every_n_steps: how often the loss is logged.
      graph: the graph; the default graph when None.
      master: the session's target.
      is_chief: whether this process initializes, saves and writes summaries.
      global_step: counts the steps; the graph's when None.
      number_of_steps: at which number to stop; None for never.
      startup_delay_steps: a worker begins when the counter has come so far.
      sync_optimizer: the `SyncReplicasOptimizer`, if one is used.
      session_config: the session's `ConfigProto`.
      session_wrapper: from the session to the one to use.
      trace_every_n_steps: how often to write a trace for Chrome.
      ignore_live_threads: whether a thread that does not end in time is no error.

    The other arguments are those of `tf.train.Supervisor`.
    Returns: the loss of the last step.
    Raises:
      ValueError: when the arguments do not fit together.
    """
    _check(locals())
    graph = graph or stacks.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        ready_for_local_init_op = None
        with stacks.name_scope("init_ops"):
            if init_op is USE_DEFAULT:
                init_op = global_variables_initializer()
            if ready_op is USE_DEFAULT:
                ready_op = report_uninitialized_variables()
            if local_init_op is USE_DEFAULT:
                local_init_op = group(local_variables_initializer(), tables_initializer())
            if sync_optimizer is not None:
                with stacks.control_dependencies([local_init_op] if local_init_op else []):
                    local_init_op = (
                        sync_optimizer.chief_init_op
                        if is_chief
                        else sync_optimizer.local_step_init_op
                    )
                ready_for_local_init_op = sync_optimizer.ready_for_local_init_op
        if summary_op is USE_DEFAULT:
            summary_op = summary.merge_all()
        if is_chief and sync_optimizer is not None:  # before the supervisor closes the graph
            init_tokens_op = sync_optimizer.get_init_tokens_op()
            chief_queue_runner = sync_optimizer.get_chief_queue_runner()
        if train_step_kwargs is USE_DEFAULT:
            train_step_kwargs = _questions(
                global_step, number_of_steps, log_every_n_steps,
                trace_every_n_steps if is_chief else None, logdir,
            )  # fmt: skip
    sv = Supervisor(
        graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op,
        init_feed_dict=init_feed_dict, local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op, ready_op=ready_op, summary_op=summary_op,
        summary_writer=summary_writer, global_step=global_step, saver=saver,
        save_summaries_secs=save_summaries_secs, save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )  # fmt: skip
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = sv.summary_writer
    total_loss = None
    while True:
        try:
            with sv.managed_session(
                master, start_standard_services=False, config=session_config
            ) as sess:
                logging.info("Starting Session.")
                if session_wrapper is not None:
                    sess = session_wrapper(sess)
                if is_chief and logdir:
                    sv.start_standard_services(sess)
                elif not is_chief and startup_delay_steps > 0:
                    first = min(startup_delay_steps, number_of_steps or sys.maxsize)
                    while read_global_step(sess, global_step) < first:
                        time.sleep(1.0)
                sv.start_queue_runners(sess)
                logging.info("Starting Queues.")
                if is_chief and sync_optimizer is not None:
                    sv.start_queue_runners(sess, [chief_queue_runner])
                    sess.run(init_tokens_op)
                try:
                    while not sv.should_stop():
                        total_loss, stop = train_step_fn(
                            sess, train_op, global_step, train_step_kwargs
                        )
                        if stop:
                            logging.info("Stopping Training.")
                            sv.request_stop()
                            break
                except errors.OutOfRangeError as error:
                    logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
                if logdir and sv.is_chief:
                    logging.info("Finished training! Saving model to disk.")
                    sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
                sv.stop(close_summary_writer=False, ignore_live_threads=ignore_live_threads)
            return total_loss
        except errors.AbortedError as error:  # a server of the cluster began anew
            logging.info("Retrying training! %s", error)


def _check(given: dict[str, Any]) -> None:
    """Refuses arguments of `train` that do not fit together."""
    if given["train_op"] is None:
        raise ValueError("train_op cannot be None.")
    if given["logdir"] is None:
        for name, default in ("summary_op", USE_DEFAULT), ("saver", None):
            if given[name] is not default and given[name] is not None:
                raise ValueError(f"Cannot provide {name} because logdir=None")
        if given["trace_every_n_steps"] is not None:
            raise ValueError("Cannot provide trace_every_n_steps because logdir=None")
    sync = given["sync_optimizer"]
    if isinstance(sync, (list, tuple)) or not isinstance(sync, SyncReplicasOptimizer | None):
        raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
    if sync is not None and given["startup_delay_steps"] > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if given["number_of_steps"] is not None and given["number_of_steps"] <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")


def _questions(step: Any, stop_at: Any, log_every: int, trace_every: Any, logdir: Any) -> dict:
    """What `train_step` asks after each step."""
    with stacks.name_scope("train_step"):
        asked = {
            "should_stop": greater_equal(step, stop_at) if stop_at else constant(False),
            "should_log": equal(floormod(step, log_every), 0) if log_every else constant(False),
        }
        if trace_every is not None:
            asked |= {"should_trace": equal(floormod(step, trace_every), 0), "logdir": logdir}
        return asked


def train_monitored(
    train_op: Any, logdir: str | None, master: str = "", is_chief: bool = True,
    scaffold: Scaffold | None = None, hooks: Any = None, chief_only_hooks: Any = None,
    save_checkpoint_secs: float | None = 600, save_summaries_steps: int | None = 100,
    config: Any = None, max_wait_secs: float = 7200, run_metadata: Any = None,
) -> Any:  # fmt: skip
    """Trains in a `MonitoredSession` until a hook stops it; `tf.contrib.training.train`.

    Args:
      train_op: what trains, and gives the loss.
      logdir: where checkpoints and summaries go.
      master, config: of the session.
      is_chief: whether this process initializes, saves and writes summaries.
      scaffold: the pieces of the session.
      hooks: `SessionRunHook`s; `chief_only_hooks` are those of the chief.
      save_checkpoint_secs: how often to save, in seconds; None for never.
      save_summaries_steps: how often to write summaries; None for never.
      max_wait_secs: how long a worker waits for the chief, in seconds.
      run_metadata: a `RunMetadata` that each step fills.

    Returns: the loss of the last step.
    Raises:
      ValueError: when there is something to write, and no logdir.
    """
    if logdir is None and is_chief and (save_summaries_steps or save_checkpoint_secs):
        which = "summaries_steps" if save_summaries_steps else "checkpoint_secs"
        raise ValueError(f"logdir cannot be None when save_{which} is not None")
    scaffold, hooks = scaffold or Scaffold(), list(hooks or [])
    creator: Any
    if is_chief:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir=logdir)
        hooks += chief_only_hooks or []
        hooks.append(StepCounterHook(output_dir=logdir))
        if save_summaries_steps:
            hooks.append(
                SummarySaverHook(
                    scaffold=scaffold, save_steps=save_summaries_steps, output_dir=logdir
                )
            )
        if save_checkpoint_secs and logdir is not None:
            hooks.append(
                CheckpointSaverHook(logdir, save_secs=save_checkpoint_secs, scaffold=scaffold)
            )
    else:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs=max_wait_secs)
    with MonitoredSession(session_creator=creator, hooks=hooks) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
