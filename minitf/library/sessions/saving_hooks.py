"""The hooks that write files: checkpoints, summaries, the speed, a profile."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.runtime.session.config import RunOptions
from minitf.library.graph_tools.timeline import Timeline
from minitf.library.saving import meta_graph
from minitf.library.sessions.basic_hooks import SecondOrStepTimer, SessionRunArgs, StepHook
from minitf.library.sessions.file_writer import session_log, write_speed, writer_of
from minitf.library.sessions.scaffold import the_only_saver

# ---- checkpoints -------------------------------------------------------------------------


class CheckpointSaverListener:
    """Is told about every checkpoint; a subclass overrides what it needs."""

    def begin(self) -> None:
        """Is called once, while the graph may still grow."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Is called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Is called after a checkpoint was written; returning True ends the training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Is called at the end."""


class CheckpointSaverHook(StepHook):
    """Writes checkpoints: at the start, every so often, and at the end.

    Args:
      checkpoint_dir: the directory.
      save_secs: the interval in seconds.
      save_steps: the interval in steps.
      saver: writes them.
      checkpoint_basename: the start of their names.
      scaffold: has the saver, in place of `saver`.
      listeners: `CheckpointSaverListener`s.

    Raises:
      ValueError: when no interval is given, or two, or two savers.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> None:
        logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or [])
        self._summary_writer: Any = None

    def add_listener(self, listener: CheckpointSaverListener) -> None:
        """Has one more listener told, unless it is already."""
        if listener not in self._listeners:
            self._listeners.append(listener)

    def begin(self) -> None:
        super().begin()
        self._summary_writer = writer_of(self._checkpoint_dir)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = self._now(session)
        graph = stacks.get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        meta_graph.write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
        if self._summary_writer is not None:
            self._summary_writer.add_graph(graph)
            saver_def = self._get_saver().saver_def
            self._summary_writer.add_meta_graph(
                meta_graph.export_meta_graph(graph_def=graph_def, saver_def=saver_def)
            )
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = self._due(run_context, run_values)
        if step is not None:
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = self._now(session)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Writes a checkpoint; returns whether a listener wants the end."""
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        if self._summary_writer is not None:
            self._summary_writer.add_session_log(session_log("CHECKPOINT", self._save_path), step)
        stops = [listener.after_save(session, step) for listener in self._listeners]  # ask all
        return any(stops)

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = the_only_saver()
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection "
                "or provide a saver or scaffold."
            )
        self._saver = savers[0]
        return self._saver


# ---- summaries and speed -----------------------------------------------------------------


class StepCounterHook(StepHook):
    """Logs how many steps are made in a second, and writes it as the summary "global_step/sec".

    Args:
      every_n_steps: the interval in steps.
      every_n_secs: the interval in seconds.
      output_dir: where the summary goes.
      summary_writer: writes it, in place of `output_dir`.

    Raises:
      ValueError: unless one interval is given.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_step: int | None = None
        self._runs_without_step = 0

    def begin(self) -> None:
        super().begin()
        if self._summary_writer is None:
            self._summary_writer = writer_of(self._output_dir)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = self._due(run_context, run_values)
        if step is not None:
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds:
                self._log_and_record(steps or 0, seconds, step)
        self._check_increase(int(run_values.results))

    def _check_increase(self, step: int) -> None:
        """Warns after each 20 runs that left the global step as it was."""
        self._runs_without_step = self._runs_without_step + 1 if step == self._last_step else 0
        if self._runs_without_step == 20:
            self._runs_without_step = 0
            logging.warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. "
                "Current value (could be stable): %s vs previous value: %s. You could increase "
                "the global step by passing tf.train.get_global_step() to "
                "Optimizer.apply_gradients or Optimizer.minimize.",
                step,
                self._last_step,
            )
        self._last_step = step

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        speed = elapsed_steps / elapsed_time
        write_speed(self._summary_writer, self._global_step, speed, global_step)


class SummarySaverHook(StepHook):
    """Writes summaries.

    Args:
      save_steps: the interval in steps.
      save_secs: the interval in seconds.
      output_dir: where they go.
      summary_writer: writes them, in place of `output_dir`.
      scaffold: has the summary op.
      summary_op: the summaries, a string tensor or a list of them, in place of `scaffold`.

    Raises:
      ValueError: when no interval is given, or two; unless one source is given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        super().begin()
        if self._summary_writer is None:
            self._summary_writer = writer_of(self._output_dir)
        self._next_step: int | None = None

    def before_run(self, run_context: Any) -> SessionRunArgs:
        self._wanted = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        summaries = self._summaries() if self._wanted and self._summary_writer is not None else []
        return SessionRunArgs((self._global_step, *summaries) if summaries else self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._summary_writer is None:
            return
        results = run_values.results
        stale, *summaries = results if isinstance(results, tuple) else (results,)
        step = int(stale) + 1
        if self._wanted:
            step = self._now(run_context.session)
            if self._next_step is None:
                self._summary_writer.add_session_log(session_log("START"), step)
            self._timer.update_last_triggered_step(step)
            for summary in summaries:
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _summaries(self) -> list[Any]:
        given = self._summary_op
        found = self._scaffold.summary_op if given is None else given
        several = isinstance(found, (list, tuple))
        return list(found) if several else [] if found is None else [found]


class ProfilerHook(StepHook):
    """Traces a run every so often, and writes "timeline-<step>.json" for chrome://tracing.

    Args:
      save_steps: the interval in steps.
      save_secs: the interval in seconds.
      output_dir: where the files go.
      show_dataflow: draw arrows between operations.
      show_memory: accepted; memory is not traced.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._path = os.path.join(output_dir, "timeline-{}.json")
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._show_dataflow = show_dataflow

    def begin(self) -> None:
        super().begin()
        self._next_step: int | None = None

    def before_run(self, run_context: Any) -> SessionRunArgs:
        self._wanted = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._wanted else None
        return SessionRunArgs(self._global_step, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results) + 1
        if self._next_step is None:  # the first run makes the plan, which is not to be measured
            self._timer.update_last_triggered_step(step)
        if self._wanted:
            step = self._now(run_context.session)
            self._timer.update_last_triggered_step(step)
            trace = Timeline(run_values.run_metadata.step_stats).generate_chrome_trace_format(
                show_dataflow=self._show_dataflow
            )
            path = self._path.format(step)
            logging.info("Saving timeline for %d into '%s'.", step, path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(trace)
        self._next_step = step + 1
