"""What `tf.contrib.learn` exports for servers: input functions, and strategies of an `Experiment`.

serving_input_fn() -> InputFnOps ──> Estimator.export_savedmodel(directory, serving_input_fn)
Experiment(export_strategies=[make_export_strategy(serving_input_fn)])    after evaluating
"""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minitf.library.estimator.export import ServingInputReceiver


class InputFnOps(NamedTuple):
    """What a server's input function returns; `ServingInputReceiver` followed it.

    Args:
      features: what the model gets.
      labels: None.
      default_inputs: the placeholders that a server feeds, by name.
    """

    features: Any
    labels: Any
    default_inputs: Any


def as_receiver(serving_input_fn: Callable[[], Any]) -> Callable[[], Any]:
    """The function, with a `ServingInputReceiver` in place of `InputFnOps`."""

    def receive() -> Any:
        given = serving_input_fn()
        if not isinstance(given, InputFnOps):
            return given
        return ServingInputReceiver(given.features, given.default_inputs)

    return receive


class ExportStrategy(NamedTuple):
    """A way to export: its name is that of a folder below `export` in the model's folder."""

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: bool | None = None

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str | None = None,
        eval_result: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Writes an export; `export_fn` gets of the arguments those that it takes.

        Returns: the export's folder.
        """
        takes = inspect.signature(self.export_fn).parameters
        given = {"checkpoint_path": checkpoint_path, "eval_result": eval_result, **kwargs}
        known = {name: value for name, value in given.items() if name in takes}
        return self.export_fn(estimator, export_path, **known)


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy that writes saved models and keeps the newest of them.

    Args:
      serving_input_fn: returns `InputFnOps` or a `ServingInputReceiver`.
      default_output_alternative_key, strip_default_attrs: accepted.
      assets_extra, as_text: see `Estimator.export_savedmodel`.
      exports_to_keep: how many; all when None.
    """

    def export_fn(estimator: Any, base: str, checkpoint_path: str | None = None) -> Any:
        made = estimator.export_savedmodel(
            base,
            as_receiver(serving_input_fn),
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )
        kept = sorted(filter(str.isdigit, os.listdir(base)), key=int)
        for old in kept[: -exports_to_keep if exports_to_keep else 0]:
            shutil.rmtree(os.path.join(base, old))
        return made

    return ExportStrategy("Servo", export_fn, strip_default_attrs)
