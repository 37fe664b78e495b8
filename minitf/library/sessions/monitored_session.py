"""`MonitoredSession`: a session that initializes, saves, recovers and stops by itself.

    ChiefSessionCreator    initializes the variables, or reads the newest checkpoint
    WorkerSessionCreator   waits until the chief has done that

    MonitoredSession       starts a session with its threads, and another when that one is lost;
                           each run: hooks before it, Session.run, hooks after it

A lost worker or parameter server shows as `AbortedError` or `UnavailableError`. The session that
met it is given up: variables come from the last checkpoint, and the run is made once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.stacks import GraphKeys
from minitf.core.runtime.session.config import RunMetadata, RunOptions
from minitf.library.input.queues.runner import Coordinator, start_queue_runners
from minitf.library.sessions import saving_hooks
from minitf.library.sessions.basic_hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from minitf.library.sessions.scaffold import Scaffold, awaited_session, prepared_session

USE_DEFAULT = object()
# How long a worker waits until it looks again whether the chief is done, in seconds.
_LOOK_AGAIN = 1.0
_PREEMPTION = (errors.AbortedError, errors.UnavailableError)
_NO_OPTIONS, _NO_METADATA = RunOptions(), RunMetadata()  # of a run that nobody asked to trace


# ---- who makes the session ---------------------------------------------------------------


class SessionCreator:
    """Makes sessions: the first one, and another after each failure."""

    def create_session(self) -> Any:
        """Makes a session that is ready for use."""
        raise NotImplementedError(f"create_session is not implemented for {type(self).__name__}.")


@dataclass(eq=False)
class ChiefSessionCreator(SessionCreator):
    """Makes sessions for the chief, which initializes or restores the variables.

    Args:
      scaffold: the pieces of the training; a new `Scaffold` by default.
      master: the session's target.
      config: the session's `ConfigProto`.
      checkpoint_dir: where the newest checkpoint is read from.
      checkpoint_filename_with_path: the checkpoint, in place of a directory.
    """

    scaffold: Scaffold | None = None
    master: str = ""
    config: Any = None
    checkpoint_dir: str | None = None
    checkpoint_filename_with_path: str | None = None

    def create_session(self) -> Any:
        self.scaffold = (self.scaffold or Scaffold()).finalize()
        return prepared_session(
            self.scaffold,
            stacks.get_default_graph(),
            self.master,
            self.config,
            self.checkpoint_dir,
            self.checkpoint_filename_with_path,
        )


@dataclass(eq=False)
class WorkerSessionCreator(SessionCreator):
    """Makes sessions for the other workers, which wait until the chief is done.

    Args:
      scaffold: the pieces of the training; a new `Scaffold` by default.
      master: the session's target.
      config: the session's `ConfigProto`.
      max_wait_secs: how long to wait, in seconds.
    """

    scaffold: Scaffold | None = None
    master: str = ""
    config: Any = None
    max_wait_secs: float = 30 * 60

    def create_session(self) -> Any:
        self.scaffold = (self.scaffold or Scaffold()).finalize()
        graph, wait_secs = stacks.get_default_graph(), self.max_wait_secs
        return awaited_session(
            self.scaffold, graph, self.master, self.config, wait_secs, _LOOK_AGAIN
        )


# ---- the session -------------------------------------------------------------------------


class _MonitoredSession:
    """What `MonitoredSession` and `SingularMonitoredSession` share.

    Args:
      session_creator: makes the sessions.
      hooks: `SessionRunHook`s.
      recovers: whether it goes on with a new session when a worker or parameter server was lost.
      stop_grace_period_secs: how long threads may take to end, in seconds.
    """

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        recovers: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph_was_finalized = stacks.get_default_graph().finalized
        self._hooks = list(hooks or [])
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._recovers = recovers
        self._stop_grace_period_secs = stop_grace_period_secs
        self._sess: Any = None  # until it starts, and once it is closed
        self._coord: Coordinator | None = None  # of the session's threads; None when it was lost
        self._start()

    @property
    def graph(self) -> Any:
        """The graph; None once the session is closed."""
        return getattr(self._sess, "graph", None)

    def _tf_sess(self) -> Any:
        """The session, without hooks; programs ask for it, for want of a public name."""
        return self._sess

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Computes `fetches` as `Session.run` does, with the hooks round it."""
        self._check_open()
        while True:
            try:
                if self._coord is None:
                    self._start()
                return self._run_once(fetches, feed_dict, options, run_metadata)
            except _PREEMPTION as error:
                if not self._recovers:
                    raise
                self._give_up(error)

    def should_stop(self) -> bool:
        """Whether a hook or a thread asked for the end, or the session is closed."""
        if self._coord is None:
            return True
        try:
            self._coord.raise_requested_exception()
            return self._coord.should_stop() or self._stop_requested
        except Exception as error:
            if not self._recovers:
                raise
            if isinstance(error, _PREEMPTION):
                self._give_up(error)
                self._start()
            return not isinstance(error, _PREEMPTION)

    def close(self) -> None:
        """Calls the hooks' `end`, ends the threads and closes the session."""
        self._close(None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, value: Any, traceback: Any) -> bool:
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None  # the data came to its end
        self._close(exception_type)
        return exception_type is None

    def _close(self, exception_type: Any) -> None:
        try:
            if exception_type is None:
                for hook in self._hooks:
                    hook.end(self._sess)
        finally:
            try:
                self._check_open()
                self._end_session()
            finally:
                self._sess = self._coord = None
                if not self._graph_was_finalized:
                    stacks.get_default_graph()._unsafe_unfinalize()

    def _check_open(self) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")

    # ---- one session after the other ------------------------------------------------------

    def _start(self) -> None:
        """Makes a session and its threads, and tells the hooks."""
        while True:
            try:
                self._sess = self._creator.create_session()
                coord = Coordinator(clean_stop_exception_types=[])
                if stacks.get_collection(GraphKeys.QUEUE_RUNNERS):
                    start_queue_runners(sess=self._sess, coord=coord)
                for hook in self._hooks:
                    hook.after_create_session(self._sess, coord)
            except _PREEMPTION as error:
                if not self._recovers:
                    raise
                logging.info(
                    "An error was raised while a session was being created. This may be due to a "
                    "preemption of a connected worker or parameter server. A new session will be "
                    "created. Error: %s",
                    error,
                )
            else:
                self._coord, self._stop_requested = coord, False
                return

    def _give_up(self, error: BaseException) -> None:
        logging.info(
            "An error was raised. This may be due to a preemption in a connected worker or "
            "parameter server. The current session will be closed and a new session will be "
            "created. Error: %s",
            error,
        )
        self._end_session()

    def _end_session(self) -> None:
        """Ends the threads that belong to the session, and closes it."""
        coord, self._coord = self._coord, None
        if coord is None:
            return
        try:
            coord.request_stop()
            try:
                coord.join(
                    stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
                )
            finally:
                self._sess.close()
        except _PREEMPTION as error:
            if not self._recovers:
                raise
            logging.error("An error occurred when attempting to close the session: %s", error)

    # ---- one run --------------------------------------------------------------------------

    def _run_once(self, *args: Any) -> Any:
        """Runs; where a thread found before that the session is lost, that is what is raised."""
        assert self._coord is not None
        try:
            return self._run_with_hooks(*args)
        except Exception as error:
            if not isinstance(error, _PREEMPTION):
                try:
                    self._coord.raise_requested_exception()
                except _PREEMPTION:
                    raise
                except Exception:  # noqa: S110  (the run's own error tells more)
                    pass
            raise

    def _run_with_hooks(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        if self._stop_requested:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        feeds: dict = {}
        asked: list[tuple[SessionRunHook, Any]] = []
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                asked.append((hook, request.fetches))
            if request.feed_dict:
                _check_apart(feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                feeds.update(request.feed_dict)
            if request.options:
                options = _merged(options, request.options)
        if feeds and feed_dict:
            _check_apart(feeds, feed_dict, "Same tensor is fed by a SessionRunHook and user.")
            feeds.update(feed_dict)
        feeds = feeds or feed_dict
        if options is not None and run_metadata is None:
            run_metadata = RunMetadata()
        # One flat tuple: the session finds its step by it, without a look into nested structures.
        kind = type(fetches) if type(fetches) in (list, tuple) else None
        own = fetches if kind else (fetches,)
        hooks_own = [each for _, each in asked]
        values = self._sess.run(
            (*own, *hooks_own), feed_dict=feeds, options=options, run_metadata=run_metadata
        )
        result = kind(values[: len(own)]) if kind else values[0]
        results = {hook: value for (hook, _), value in zip(asked, values[len(own) :], strict=True)}
        options, run_metadata = options or _NO_OPTIONS, run_metadata or _NO_METADATA
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(results.get(hook), options, run_metadata))
        self._stop_requested = self._stop_requested or context.stop_requested
        return result


def _check_apart(feeds: dict, more: dict, message: str) -> None:
    both = set(feeds) & set(more)
    if both:
        raise RuntimeError(f"{message} Conflict(s): {both}")


def _merged(options: Any, more: Any) -> Any:
    """Options that ask for what either asks for."""
    if options is None:
        return more
    merged = RunOptions()
    merged.__dict__.update(options.__dict__)
    for name in ("trace_level", "timeout_in_ms", "output_partition_graphs"):
        setattr(merged, name, max(getattr(options, name), getattr(more, name)))
    return merged


class MonitoredSession(_MonitoredSession):
    """A session that initializes, calls hooks, and goes on after a worker was lost.

    Used in a `with` block it ends quietly when the data came to its end (`OutOfRangeError`).

    Args:
      session_creator: makes the sessions; a `ChiefSessionCreator` by default.
      hooks: `SessionRunHook`s.
      stop_grace_period_secs: how long threads may take to end, in seconds.

    Example:
      >>> train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
      >>> with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(3)]) as sess:
      ...     while not sess.should_stop():
      ...         print(sess.run(train_op))
      1
      2
      3
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A `MonitoredSession` that does not go on after a failure, and lets one get at its session.

    Args:
      hooks: `SessionRunHook`s.
      scaffold: the pieces of the training.
      master: the session's target.
      config: the session's `ConfigProto`.
      checkpoint_dir: where the newest checkpoint is read from.
      stop_grace_period_secs: how long threads may take to end, in seconds.
      checkpoint_filename_with_path: the checkpoint, in place of a directory.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
) -> MonitoredSession:
    """Makes a `MonitoredSession` with the hooks that training needs.

    Args:
      master: the session's target.
      is_chief: whether this process initializes, saves and writes summaries.
      checkpoint_dir: where checkpoints are read from and written to.
      scaffold: the pieces of the training.
      hooks: `SessionRunHook`s.
      chief_only_hooks: more of them, of the chief alone.
      save_checkpoint_secs, save_checkpoint_steps: how often to save, in seconds or in steps; every
        600 seconds by default; None and 0 never save.
      save_summaries_steps, save_summaries_secs: how often to write summaries; every 100 steps by
        default.
      config: the session's `ConfigProto`.
      stop_grace_period_secs: how long threads may take to end, in seconds.
      log_step_count_steps: how often to tell the speed, in steps.
      max_wait_secs: how long workers wait for the chief, in seconds.
      summary_dir: where summaries go; `checkpoint_dir` by default.
    Example:
      >>> train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
      >>> hooks = [tf.train.StopAtStepHook(3)]
      >>> with tf.train.MonitoredTrainingSession(checkpoint_dir="/tmp/train", hooks=hooks) as sess:
      ...     while not sess.should_stop():
      ...         step = sess.run(train_op)
      >>> tf.train.latest_checkpoint("/tmp/train")
      '/tmp/train/model.ckpt-3'
    """
    summaries_steps, summaries_secs = _either(save_summaries_steps, save_summaries_secs, 100, None)
    checkpoint_steps, checkpoint_secs = _either(
        save_checkpoint_steps, save_checkpoint_secs, None, 600
    )
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    every = list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps:
            every.append(saving_hooks.StepCounterHook(log_step_count_steps, output_dir=summary_dir))
        if summaries_steps or summaries_secs:
            hook = saving_hooks.SummarySaverHook(
                summaries_steps, summaries_secs, output_dir=summary_dir, scaffold=scaffold
            )
            every.append(hook)
    if checkpoint_dir and (checkpoint_secs or checkpoint_steps):
        saving = {"save_secs": checkpoint_secs, "save_steps": checkpoint_steps}
        every.append(saving_hooks.CheckpointSaverHook(checkpoint_dir, scaffold=scaffold, **saving))
    return MonitoredSession(chief, [*every, *(hooks or [])], stop_grace_period_secs)


def _either(steps: Any, secs: Any, default_steps: Any, default_secs: Any) -> tuple[Any, Any]:
    """The interval in steps and in seconds; the defaults when neither is given."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default_steps, default_secs
    return (None if steps is USE_DEFAULT else steps, None if secs is USE_DEFAULT else secs)
