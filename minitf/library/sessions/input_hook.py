"""Checkpoints of input pipelines: a restarted training goes on with the elements that come next."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.library.input.data.iterators import ITERATORS
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.iterator_saveable import IteratorSaveable
from minitf.library.saving.saver import Saver
from minitf.library.sessions.saving_hooks import CheckpointSaverHook
from minitf.library.sessions.session_run_hook import SessionRunHook


class CheckpointInputPipelineHook(SessionRunHook):
    """Saves where the iterators of an Estimator's graph stand, as often as it saves its variables.

    Args:
      estimator: the Estimator.
      external_state_policy: accepted.
    """

    def __init__(self, estimator: Any, external_state_policy: Any = None) -> None:
        config = estimator.config
        prefix = "input"
        if config.num_worker_replicas > 1:
            prefix += f"_{config.task_type}_{config.task_id}"
        self._state_file = f"checkpoint_{prefix}"
        self._folder = estimator.model_dir
        self._hook = _Hook(
            estimator.model_dir,
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            checkpoint_basename=f"{prefix}.ckpt",
        )

    def begin(self) -> None:
        handles = stacks.get_collection(ITERATORS)
        saveables = [IteratorSaveable(handle, handle.name) for handle in handles]
        self._saver = _InputSaver(self._state_file, saveables)
        self._hook._saver = self._saver
        self._hook.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._first = True

    def before_run(self, run_context: Any) -> Any:
        if self._first:  # the iterators have been initialized by now
            self._first = False
            path = latest_checkpoint(self._folder, self._state_file)
            if path:
                self._saver.restore(run_context.session, path)
            else:
                self._hook.save_first(run_context.session)
        return self._hook.before_run(run_context)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._hook.after_run(run_context, run_values)

    def end(self, session: Any) -> None:
        self._hook.end(session)


class _Hook(CheckpointSaverHook):
    def save_first(self, session: Any) -> None:
        """Saves before the first step."""
        step = self._now(session)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)


class _InputSaver(Saver):
    """Keeps a list of checkpoints of its own."""

    def __init__(self, state_file: str, saveables: Any) -> None:
        super().__init__(saveables, sharded=True)
        self._state_file = state_file

    def save(self, sess: Any, save_path: Any, **options: Any) -> Any:  # type: ignore[override]
        return super().save(sess, save_path, **{"latest_filename": self._state_file, **options})
