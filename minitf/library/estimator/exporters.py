"""Exporters: when `train_and_evaluate` exports the model, and which exports it keeps."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import logging
from minitf.library.estimator.spec import argument_names
from minitf.library.formats.event_file import summary_iterator
from minitf.library.formats.file_io import glob

_COMPARED = ["best_eval_result", "current_eval_result"]


class Exporter(ABC):
    """Exports a model after evaluations; a subclass says which."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The directory of its exports, inside "export"."""

    @abstractmethod
    def export(
        self, estimator: Any, export_path: str, checkpoint_path: str,
        eval_result: Mapping[str, Any], is_the_final_export: bool,
    ) -> Any:  # fmt: skip
        """Is called after each evaluation.

        Args:
          estimator: the estimator.
          export_path: where its exports go.
          checkpoint_path: the checkpoint that was evaluated.
          eval_result: the metrics by name.
          is_the_final_export: whether the training is over.
        Returns: the path of the export; None when there was none.
        """


class _SavedModelExporter(Exporter):
    """What the three exporters share.

    Args:
      name: the directory of its exports.
      serving_input_receiver_fn: as for `Estimator.export_saved_model`.
      assets_extra: files to take along, by their path.
      as_text: write "saved_model.pbtxt".
      exports_to_keep: how many exports to keep; all when None.
    """

    def __init__(
        self, name: str, serving_input_receiver_fn: Callable | None,
        assets_extra: Mapping[str, str] | None = None, as_text: bool = False,
        exports_to_keep: int | None = None,
    ) -> None:  # fmt: skip
        self._name = name
        self._how = (serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = exports_to_keep

    @property
    def name(self) -> str:
        return self._name

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        return True

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: str,
        eval_result: Mapping[str, Any], is_the_final_export: bool,
    ) -> Any:  # fmt: skip
        if not self._is_due(estimator, eval_result, is_the_final_export):
            return None
        path = estimator.export_saved_model(export_path, *self._how, checkpoint_path)
        if self._exports_to_keep is not None:
            times = [name for name in os.listdir(export_path) if len(name) == 10 and name.isdigit()]
            for name in sorted(times)[: -self._exports_to_keep]:
                shutil.rmtree(os.path.join(export_path, name), ignore_errors=True)
        return path


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation.

    Args:
      name: the directory of its exports.
      serving_input_receiver_fn: as for `Estimator.export_saved_model`.
      assets_extra: files to take along, by their path.
      as_text: write "saved_model.pbtxt".
      exports_to_keep: how many exports to keep; all when None.

    Raises:
      ValueError: when `exports_to_keep` is not positive.
    """

    def __init__(
        self, name: str, serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None, as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:  # fmt: skip
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")


class FinalExporter(_SavedModelExporter):
    """Exports once, at the end of the training.

    Args:
      name: the directory of its export.
      serving_input_receiver_fn: as for `Estimator.export_saved_model`.
      assets_extra: files to take along, by their path.
      as_text: write "saved_model.pbtxt".
    """

    def __init__(
        self, name: str, serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None, as_text: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        if is_the_final:
            logging.info("Performing the final export in the end of training.")
        return is_the_final


def _loss_smaller(best_eval_result: Any, current_eval_result: Any) -> bool:
    """Whether the loss fell."""
    for name, result in (("best", best_eval_result), ("current", current_eval_result)):
        if not result or "loss" not in result:
            raise ValueError(f"{name}_eval_result cannot be empty or no loss is found in it.")
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestExporter(_SavedModelExporter):
    """Exports when an evaluation is better than all before.

    Args:
      name: the directory of its exports.
      serving_input_receiver_fn: as for `Estimator.export_saved_model`.
      event_file_pattern: where the events of earlier evaluations are, in the model_dir; None does
        not look for them.
      compare_fn: `compare_fn(best_eval_result, current_eval_result)` says whether the second is
        better; by default by a smaller loss.
      assets_extra: files to take along, by their path.
      as_text: write "saved_model.pbtxt".
      exports_to_keep: how many exports to keep; all when None.

    Raises:
      ValueError: when `compare_fn` has other arguments, or `exports_to_keep` is not positive.
    """

    def __init__(
        self, name: str = "best_exporter", serving_input_receiver_fn: Callable | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = _loss_smaller,
        assets_extra: Mapping[str, str] | None = None, as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:  # fmt: skip
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        names = argument_names(compare_fn)
        for each in _COMPARED:
            if each not in names:
                raise ValueError(f"compare_fn ({compare_fn}) must include {each} argument.")
        if others := [each for each in names if each not in _COMPARED]:
            raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {others}")
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(
                f"`exports_to_keep`, if provided, must be a positive number. Got {exports_to_keep}"
            )
        self._better = compare_fn
        self._event_file_pattern = event_file_pattern
        self._model_dir: str | None = None
        self._best: Mapping[str, Any] | None = None
        self._has_exported = False

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        folder = estimator.model_dir
        if self._model_dir != folder and self._event_file_pattern:
            logging.info("Loading best metric from event files.")
            self._model_dir = folder
            self._best = self._best_so_far(os.path.join(folder, self._event_file_pattern))
        known = self._has_exported and self._best is not None
        if known and not self._better(best_eval_result=self._best, current_eval_result=eval_result):
            return False
        logging.info("Performing best model export.")
        self._best, self._has_exported = eval_result, True
        return True

    def _best_so_far(self, pattern: str) -> Mapping[str, Any] | None:
        """The best result that earlier evaluations wrote."""
        best: Mapping[str, Any] | None = None
        for path in glob(pattern):
            for _, found in read_metrics(path):
                if best is None or self._better(best, found):
                    best = found
        return best


def read_metrics(event_file: str) -> list[tuple[int, dict[str, float]]]:
    """Returns (step, numbers by tag) for each summary of an event file that has any."""
    found = []
    for event in summary_iterator(event_file):
        if event.HasField("summary"):
            values = event.summary.value
            numbers = {v.tag: v.simple_value for v in values if v.HasField("simple_value")}
            if numbers:
                found.append((event.step, numbers))
    return found
