"""Exporters: when `train_and_evaluate` exports the model, and which exports it keeps."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import logging


class Exporter(ABC):
    """Exports a model after evaluations; a subclass says which."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The directory of its exports, inside "export"."""

    @abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
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
        self,
        name: str,
        serving_input_receiver_fn: Callable | None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = None,
    ) -> None:
        self._name = name
        self._how = (serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = exports_to_keep

    @property
    def name(self) -> str:
        return self._name

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        return True

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
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
        self,
        name: str,
        serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
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
        self,
        name: str,
        serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        if is_the_final:
            logging.info("Performing the final export in the end of training.")
        return is_the_final
