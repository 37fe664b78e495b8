"""Steps that a program's own model computes: `train_step`, of releases after 2.1.

    class Net(tf.keras.Model):
        def train_step(self, data):       fit --batch--> data: x, (x, y) or (x, y, weights)
            x, y = data
            with tf.GradientTape() as tape: ...
            return {"loss": loss}         --> what callbacks and the history see of the last batch

They run at once, under eager execution only; a graph's models have the usual step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine import user_data
from minitf.library.keras.metrics.base import Mean


class OwnSteps:
    """The part of a model that a program overrides to compute steps itself."""

    losses: Any
    metrics: Any
    optimizer: Any
    trainable_weights: Any
    _compiled: Any
    _finish_compiling: Callable[[Sequence[Any]], None]
    #: the names of what the last step returned
    _own_names: Sequence[str] = ()
    #: how the flat values of a batch are put together
    _own_form: Any = None
    _loss_tracker: Mean | None = None

    def train_step(self, data: Any) -> dict[str, Any]:
        """One step of training: the usual one, here.

        Args:
          data: what `fit` got of a batch: x, (x, y) or (x, y, sample_weight).

        Returns: what is reported, by name.
        """
        x, y, weight = _parts(data)
        with GradientTape() as tape:
            outputs = self(x, training=True)  # type: ignore[operator]
            loss = self.compiled_loss(y, outputs, weight, self.losses)
            to_lower = self.optimizer._scaled(loss)
        weights = list(self.trainable_weights)
        found = self.optimizer._clipped(tape.gradient(to_lower, weights))
        self.optimizer.apply_gradients(zip(found, weights, strict=True))
        return self._counted(y, outputs, weight)

    def test_step(self, data: Any) -> dict[str, Any]:
        """One step of `evaluate`; see `train_step`."""
        x, y, weight = _parts(data)
        outputs = self(x, training=False)  # type: ignore[operator]
        self.compiled_loss(y, outputs, weight, self.losses)
        return self._counted(y, outputs, weight)

    def predict_step(self, data: Any) -> Any:
        """One step of `predict`: the outputs for a batch."""
        return self(_parts(data)[0], training=False)  # type: ignore[operator]

    def _counted(self, y: Any, outputs: Any, weight: Any) -> dict[str, Any]:
        self.compiled_metrics.update_state(y, outputs, weight)
        return {metric.name: metric.result() for metric in self.metrics}

    @property
    def compiled_loss(self) -> Callable[..., Any]:
        """The loss that `compile` was given: of labels, outputs, weights and further losses."""
        return self._loss_of

    @property
    def compiled_metrics(self) -> CompiledMetrics:
        """The metrics that `compile` was given."""
        return CompiledMetrics(self)

    def _loss_of(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        regularization_losses: Any = None,
    ) -> Tensor:
        outputs, labels, weights = self._by_output(y_true, y_pred, sample_weight)
        loss, _ = self._compiled.total(outputs, labels, weights, list(regularization_losses or []))
        if self._loss_tracker is None:
            object.__setattr__(self, "_loss_tracker", Mean(name="loss"))
        self._loss_tracker.update_state(loss, shape_of(outputs[0])[0])  # type: ignore[union-attr]
        return loss

    def _by_output(self, y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[list, list, list]:
        outputs, labels = nest.flatten(y_pred), nest.flatten(y_true)
        if self._compiled is None:
            self._finish_compiling(outputs)
        weights = nest.flatten(sample_weight)
        return outputs, labels, weights * len(labels) if len(weights) == 1 else weights

    # ---- how fit finds them --------------------------------------------------------------------

    def _computes(self, mode: str) -> bool:
        """Whether operations run at once, and a program's class overrides the step of a mode.

        With one of `train_step` and `test_step` the other is computed here, too.
        """
        if not stacks.outermost().runs_at_once:
            return False
        names = ["predict_step"] if mode == "predict" else ["train_step", "test_step"]
        return any(getattr(type(self), name) is not getattr(OwnSteps, name) for name in names)

    def _own_values(self, x: Any, y: Any, sample_weight: Any) -> tuple[list[Any], list[bool]]:
        """The values of a batch, flat, as the step gets them; their form is noted."""
        given = [user_data.plain(part) for part in (x, y, sample_weight)]
        while given and given[-1] is None:
            given.pop()
        alone = len(given) == 1 and not nest.is_nested(given[0])
        form = nest.map_structure(lambda each: each is not None, given)
        object.__setattr__(self, "_own_form", form[0] if alone else tuple(form))
        values = [np.asarray(each) for each in nest.flatten(given) if each is not None]
        return [each.astype("float32") if each.dtype == "float64" else each for each in values], []


class CompiledMetrics:
    """What `model.compiled_metrics` is: counts a batch in the metrics of a model."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts a batch.

        Args:
          y_true, y_pred, sample_weight: labels, outputs and weights, in the model's structure.
        """
        outputs, labels, weights = self._model._by_output(y_true, y_pred, sample_weight)
        self._model._compiled.results(outputs, labels, weights, [])


class OwnStep:
    """A step that the model computes; see `GraphStep`."""

    def __init__(self, model: Any, mode: str) -> None:
        self._model, self._mode = model, mode

    def bound(self) -> Callable[[Sequence[Any]], list[Any]]:
        """The step itself."""
        model, mode = self._model, self._mode

        def step(values: Sequence[Any]) -> list[Any]:
            tensors = iter([convert_to_tensor(value) for value in values])
            form = model._own_form
            data = nest.map_structure(lambda there: next(tensors) if there else None, form)
            with backend.learning_phase_scope(int(mode == "train")):
                results = getattr(model, f"{mode}_step")(data)
            if mode == "predict":
                return [np.asarray(out) for out in nest.flatten(results)]
            object.__setattr__(model, "_own_names", list(results))
            arrays = [np.asarray(value) for value in results.values()]
            return [array if array.ndim else array.item() for array in arrays]

        return step


def _parts(data: Any) -> tuple[Any, Any, Any]:
    """x, y and weights of what a step gets."""
    parts = data if isinstance(data, tuple) else (data,)
    return (*parts, None, None)[:3]
