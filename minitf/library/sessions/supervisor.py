"""`Supervisor`: the predecessor of `MonitoredSession`, which many programs for clusters use.

    sv = tf.train.Supervisor(is_chief=..., logdir="/tmp/train", global_step=global_step)
    with sv.managed_session(server.target) as sess:
        while not sv.should_stop():
            sess.run(train_op)

The chief initializes or restores the variables, and runs services in threads of their own: one
saves, one writes summaries, one counts steps. The other workers wait for the chief.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import GraphKeys
from minitf.core.runtime.session.session import Session
from minitf.core.variables.initialization import (
    global_variables,
    global_variables_initializer,
    report_uninitialized_variables,
)
from minitf.core.variables.variables import VARIABLE_OP_TYPES
from minitf.library.input.queues.runner import Coordinator, LooperThread
from minitf.library.saving.meta_graph import write_graph
from minitf.library.saving.saver import Saver
from minitf.library.sessions import scaffold, training_util
from minitf.library.sessions.basic_hooks import SecondOrStepTimer
from minitf.library.sessions.file_writer import session_log, write_speed, writer_of
from minitf.library.summary.summary import merge_all


class Supervisor:
    """Prepares sessions, saves, writes summaries, and stops.

    Args:
      graph: the graph; the default graph when None.
      ready_op: a vector of names of variables without a value.
      ready_for_local_init_op: the same for what the local init op needs.
      is_chief: whether this process initializes, saves and writes summaries.
      init_op: gives the variables their first values.
      init_feed_dict: what to feed to it.
      local_init_op: gives what belongs to this process its first values.
      logdir: where checkpoints and summaries go.
      summary_op: all summaries in one.
      saver: writes and reads checkpoints.
      global_step: counts the steps.
      save_summaries_secs: how often to write summaries, in seconds; 0 for never.
      save_model_secs: how often to save, in seconds; 0 for never.
      recovery_wait_secs: how often a worker looks whether the chief is done, in seconds.
      stop_grace_secs: how long threads may take to end, in seconds.
      checkpoint_basename: the start of the checkpoints' names.
      summary_writer: writes the summaries; None for no summaries.
      init_fn: is called with the session after the init op.

    What is not given is taken from the graph's collections or made; None means none. The attributes
    of these names, `coord`, the coordinator of the threads, and `save_path` are there to be read.

    Raises:
      RuntimeError: when a worker's variable is on no device.
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._graph = graph or stacks.get_default_graph()
        self.is_chief, self.coord = is_chief, Coordinator()
        self._stop_grace_secs, self._recovery_wait_secs = stop_grace_secs, recovery_wait_secs
        keys, ready = GraphKeys, ready_for_local_init_op
        with self._graph.as_default():
            self.ready_op = _given(ready_op, keys.READY_OP, report_uninitialized_variables)
            self.ready_for_local_init_op = _given(ready, keys.READY_FOR_LOCAL_INIT_OP, lambda: None)
            self.init_op = _given(init_op, keys.INIT_OP, global_variables_initializer)
            local = scaffold.Scaffold.default_local_init_op
            self.local_init_op = _given(local_init_op, keys.LOCAL_INIT_OP, local)
            self.saver = _given(saver, keys.SAVERS, _default_saver)
            self.summary_op = _given(summary_op, keys.SUMMARY_OP, merge_all)
            find = training_util.get_global_step
            self.global_step = _given(global_step, keys.GLOBAL_STEP, find)
        self._scaffold = scaffold.Scaffold(
            self.init_op,
            init_feed_dict,
            None if init_fn is None else lambda _, sess: init_fn(sess),
            self.ready_op,
            self.ready_for_local_init_op,
            self.local_init_op,
            saver=self.saver,
        )
        self._logdir = logdir if is_chief else None
        self.save_summaries_secs = save_summaries_secs if is_chief else None
        self.save_model_secs = save_model_secs if is_chief else None
        self.save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self.summary_writer: Any = None
        if not is_chief:
            self._check_devices()
        elif summary_writer is not Supervisor.USE_DEFAULT:
            self.summary_writer = summary_writer
        else:
            with self._graph.as_default():
                self.summary_writer = writer_of(logdir)

    def _check_devices(self) -> None:
        """A worker's variables belong to parameter servers: one on no device would be its own."""
        for op in self._graph.get_operations():
            if op.type in VARIABLE_OP_TYPES and not op.device:
                raise ValueError(
                    f"When using replicas, all Variables must have their device set: {op}"
                )

    # ---- sessions --------------------------------------------------------------------------

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A context with a session that is ready for use; at its end the threads are stopped.

        Args:
          master: the session's target.
          config: the session's `ConfigProto`.
          start_standard_services: whether to save and write summaries in threads.
          close_summary_writer: whether to close the writer at the end.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    sess.close()

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        *,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """Makes a session: the chief's initializes or restores, the others wait for that.

        Args:
          master: the session's target.
          config: the session's `ConfigProto`.
          max_wait_secs: how long the others wait, in seconds.
          start_standard_services: whether to save and write summaries in threads.
        """
        self.coord.clear_stop()
        parts = self._scaffold
        if self.summary_writer is not None:
            self.summary_writer.reopen()
        if not self.is_chief:
            sess = scaffold.awaited_session(
                parts, self._graph, master, config, max_wait_secs, self._recovery_wait_secs
            )
        else:
            sess = scaffold.prepared_session(parts, self._graph, master, config, self._logdir)
            if self._logdir:
                write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
            if start_standard_services:
                logging.info("Starting standard services.")
                self.start_standard_services(sess)
        if start_standard_services:
            logging.info("Starting queue runners.")
            self.start_queue_runners(sess)
        return sess

    def start_standard_services(self, sess: Session) -> list[Thread] | None:
        """Starts the threads that save, write summaries and count steps.

        Raises:
          RuntimeError: when this is not the chief.
        """
        if not self.is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors "
                "can write events."
            )
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        self._log(sess, "START")
        services: list[tuple[float, Callable[[], None]]] = []
        if self.save_summaries_secs and self.summary_writer is not None:
            if self.summary_op is not None:
                services.append((self.save_summaries_secs, lambda: self._write_summaries(sess)))
            if self.global_step is not None:
                services.append((self.save_summaries_secs, self._speed_service(sess)))
        if self.saver is not None and self.save_model_secs:
            services.append((self.save_model_secs, lambda: self._save(sess)))
        return [LooperThread.loop(self.coord, every, service) for every, service in services]

    def _speed_service(self, sess: Session) -> Callable[[], None]:
        """What writes how many steps were made in a second since it was called last."""
        timer = SecondOrStepTimer(every_steps=1)
        timer.update_last_triggered_step(training_util.global_step(sess, self.global_step))

        def write() -> None:
            step = training_util.global_step(sess, self.global_step)
            seconds, steps = timer.update_last_triggered_step(step)
            speed = (steps or 0) / max(seconds or 0.0, 1e-9)
            write_speed(self.summary_writer, self.global_step, speed, step)

        return write

    def _write_summaries(self, sess: Session) -> None:
        self.summary_computed(sess, sess.run(self.summary_op))

    def _save(self, sess: Session) -> None:
        logging.info("Saving checkpoint to path %s", self.save_path)
        self.saver.save(sess, self.save_path, global_step=self.global_step)
        self._log(sess, "CHECKPOINT", self.save_path or "")

    def _log(self, sess: Session, status: str, path: str = "") -> None:
        """Notes what happened at the step that is reached."""
        if self.summary_writer is not None and self.global_step is not None:
            step = training_util.global_step(sess, self.global_step)
            self.summary_writer.add_session_log(session_log(status, path), step)

    def start_queue_runners(
        self, sess: Session, queue_runners: Sequence[Any] | None = None
    ) -> list[Thread]:
        """Starts the threads of queue runners; those of the graph by default."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[Thread] = []
        for runner in queue_runners:
            threads += runner.create_threads(sess, coord=self.coord, daemon=True, start=True)
        return threads

    def summary_computed(self, sess: Session, summary: Any, global_step: Any = None) -> None:
        """Writes a summary that the program has computed.

        Raises:
          TypeError: when `summary` is no text.
          RuntimeError: when there is no writer.
        """
        if not self.summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            global_step = training_util.global_step(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    # ---- the end ---------------------------------------------------------------------------

    def should_stop(self) -> bool:
        """Whether someone asked for the end."""
        return self.coord.should_stop()

    def request_stop(self, ex: Any = None) -> None:
        """Asks for the end, because of an exception when one is given."""
        self.coord.request_stop(ex=ex)

    def stop(
        self,
        threads: Sequence[Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ends the threads, and raises what one of them raised.

        Args:
          threads: further threads to wait for.
          close_summary_writer: whether to close the writer.
          ignore_live_threads: whether a thread that does not end is no error.
        """
        self.coord.request_stop()
        try:
            self.coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self.summary_writer is not None:
                self.summary_writer.add_session_log(session_log("STOP"))
                self.summary_writer.close()


def _given(value: Any, collection: str, make: Callable[[], Any]) -> Any:
    """What was given, else the first of a collection, else what is made and added there."""
    return scaffold.found_or_made(collection, make) if value is Supervisor.USE_DEFAULT else value


def _default_saver() -> Saver | None:
    return Saver() if global_variables() else None
