"""`Model`: layers that act as one and can be trained: `compile`, `fit`, `evaluate`, `predict`.

    data ──DataAdapter──> batches ──step──> loss and metrics ──> callbacks
            data.py                steps.py

The loop over the batches of an epoch is the same for all three, `_run`. Where steps come from
depends on the mode: in a graph a step is one `session.run`, eagerly a `tf.function`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import logging, nest, stacks
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.function import functions_run_eagerly
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.session import int_shape
from minitf.library.keras.callbacks.base import CallbackList, History, ProgbarLogger, configured
from minitf.library.keras.engine import steps
from minitf.library.keras.engine.base_layer import LAYERS
from minitf.library.keras.engine.compiled import Compiled
from minitf.library.keras.engine.data import NOT_COMPILED, Call, DataAdapter, Source
from minitf.library.keras.engine.network import Network
from minitf.library.keras.metrics.base import Metric
from minitf.library.keras.optimizers import optimizers
from minitf.library.keras.saving.models import save_model

_RUN_OPTIONS = ("options", "run_metadata")
_ADDED = (
    "`add_loss` and `add_metric` of a functional model are for training in a graph without a "
    "strategy, and not as a part of another model. Call `self.add_loss` or `self.add_metric` in "
    "the `call` of a layer."
)
_NO_OPTIONS = ("self", "generator", "options")


def _in_own_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that runs in the graph and the strategy of the model, whatever is in scope."""

    @functools.wraps(method)
    def wrapper(self: Model, *args: Any, **kwargs: Any) -> Any:
        with contextlib.ExitStack() as scopes:
            if not stacks.outermost().runs_at_once and self.inputs:
                scopes.enter_context(self.inputs[0].graph.as_default())
            if self._distribution_strategy is not None:
                scopes.enter_context(self._distribution_strategy.scope())
            return method(self, *args, **kwargs)

    return wrapper


class Model(Network):
    """Layers between inputs and outputs, or a class of the program with a `call` of its own.

    Args:
      inputs: a tensor of an `Input`, or a nest of them; not for a class with a `call`.
      outputs: a tensor that comes from them, or a nest.
      name: "model" by default, made unique.

    Attributes:
      optimizer, loss, loss_weights: what `compile` was given.
      history: of the last `fit`.
      stop_training: set it in a callback to end `fit` after the batch.

    Raises:
      ValueError: when the outputs do not come from the inputs.
    Example:
      >>> x = tf.keras.Input((4,))
      >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
      >>> [layer.name for layer in model.layers]
      ['input_1', 'dense']
    """

    # What the training keeps is no part of the model.
    _TF_MODULE_IGNORED_PROPERTIES = Network._TF_MODULE_IGNORED_PROPERTIES | frozenset(
        "loss loss_weights _arguments _compiled_weights _compiled_updates _target_tensors".split()
    )
    optimizer: Any = None
    loss: Any = None
    loss_weights: Any = None
    history: Any = None
    stop_training = False
    _run_eagerly: bool | None = None
    _distribution_strategy: Any = None
    _run_options: Mapping[str, Any] = {}  # noqa: RUF012
    _arguments: Any = None  # losses, metrics and weights that `compile` was given
    _compiled: Compiled | None = None
    _graphs: dict[Any, Any]

    @functools.cached_property
    def _data(self) -> DataAdapter:
        return DataAdapter(self)

    @functools.cached_property
    def _made_steps(self) -> dict[Any, Any]:
        return {}

    # ---- compile -----------------------------------------------------------------------------

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        weighted_metrics: Any = None,
        target_tensors: Any = None,
        **kwargs: Any,
    ) -> None:
        """Says how the model is to be trained.

        Args:
          optimizer: its name, an optimizer of Keras or of `tf.train`.
          loss: the name of a loss, a function of `y_true` and `y_pred`, or a `Loss`; of several
            outputs a list, or a dict by their names.
          metrics: a list of names, functions and `Metric`s; of several outputs also a list of
            lists, or a dict.
          loss_weights: what the loss of each output counts, a list or a dict.
          weighted_metrics: metrics in which examples count what `sample_weight` says.
          target_tensors: a tensor or several that give the labels, in place of placeholders.
          run_eagerly: whether steps are Python, not a graph; under eager execution only.

        Raises:
          ValueError: when an argument is unknown, or does not fit the outputs.
        """
        self._run_eagerly = kwargs.pop("run_eagerly", None)
        _ = self.run_eagerly  # raises where that cannot be
        for ignored in ("experimental_run_tf_function", "cloning"):
            kwargs.pop(ignored, None)
        unknown = set(kwargs) - {*_RUN_OPTIONS}
        if unknown:
            raise TypeError(f"Invalid keyword argument(s) in `compile`: {unknown}")
        self._run_options = {k: kwargs[k] for k in _RUN_OPTIONS if k in kwargs}
        self._distribution_strategy = steps.strategy_of(self)
        if self._distribution_strategy is not None and self.built:
            steps.check_scope(self._distribution_strategy, self.weights)
        self.optimizer = optimizers.get(optimizer)
        self.loss, self.loss_weights = loss or {}, loss_weights
        self._arguments = (loss, metrics, weighted_metrics, loss_weights)
        alone = isinstance(target_tensors, Tensor)
        self._target_tensors = [target_tensors] if alone else target_tensors
        self._compiled, self._graphs = None, {}
        self._made_steps.clear()
        if self.outputs:
            self._finish_compiling(self.outputs)

    def _finish_compiling(self, outputs: Sequence[Any]) -> None:
        """Makes losses and metrics, now that the outputs are known."""
        names = self.output_names or [f"output_{i + 1}" for i in range(len(outputs))]
        shapes = [int_shape(out) for out in outputs]
        self._compiled = compiled = Compiled(names, shapes, *self._arguments)
        self._compiled_weights = list(self.trainable_weights)
        if stacks.outermost().runs_at_once:
            return
        own = {id(op) for m in self.metrics for op in m.updates}
        updates = steps.for_own_inputs(self, self.get_updates_for)
        self._compiled_updates = [op for op in updates if id(op) not in own]
        given = self._target_tensors or [None] * len(outputs)
        if len(given) != len(outputs):
            raise ValueError(
                "When passing a list as `target_tensors`, it should have one entry per model "
                f"output. The model has {len(outputs)} outputs, but you passed "
                f"target_tensors={given}"
            )
        for endpoint, output, target in zip(compiled.endpoints, outputs, given):
            if endpoint.loss is not None:
                endpoint.target = steps.target_of(endpoint, output, target)

    @property
    def run_eagerly(self) -> bool:
        """Whether steps are Python, not a graph.

        Raises:
          ValueError: when that was asked for without eager execution.
        """
        if self._run_eagerly is True and not stacks.outermost().runs_at_once:
            raise ValueError("You can only set `run_eagerly=True` if eager execution is enabled.")
        if self._run_eagerly is None:
            return functions_run_eagerly()
        return self._run_eagerly

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value

    def _all_metrics(self) -> list[Metric]:
        """In the order in which they are reported; found once the first step is made."""
        if self._compiled is not None and self._compiled.reported is not None:
            return self._compiled.reported
        of_outputs = self._compiled.loss_metrics if self._compiled else []
        return [*of_outputs, *self.metrics]

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that `compile` was given, and those that layers added."""
        compiled = self._compiled.metrics if self._compiled else []
        return [*compiled, *steps.layer_metrics(self)]

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` returns."""
        return ["loss", *(metric.name for metric in self._all_metrics())]

    @_in_own_graph
    def reset_metrics(self) -> None:
        """Lets all metrics begin anew."""
        for metric in self._all_metrics():
            metric.reset_states()

    # ---- the graph ---------------------------------------------------------------------------

    def _losses_in_graph(self, weighted: tuple[bool, ...]) -> tuple[Tensor, list, list]:
        """The loss, the results of the metrics, and the placeholders of the weights."""
        if weighted not in self._graphs:
            compiled = self._compiled
            assert compiled is not None
            with self.inputs[0].graph.as_default():
                weights = [
                    steps.weights_of(e) if has else None
                    for e, has in zip(compiled.trained, weighted)
                ]
                y = [e.target for e in compiled.trained]
                losses = steps.for_own_inputs(self, self.get_losses_for)
                total, of_outputs = compiled.total(self.outputs, y, weights, losses)
                results = compiled.results(self.outputs, y, weights, of_outputs)
            self._graphs[weighted] = total, results, weights
        return self._graphs[weighted]

    @property
    def total_loss(self) -> Tensor:
        """In a graph: the loss that is made smaller."""
        assert self._compiled is not None, NOT_COMPILED
        return self._losses_in_graph((False,) * len(self._compiled.trained))[0]

    def _step(self, mode: str, weighted: Sequence[bool]) -> steps.Step:
        key = (mode, *weighted)
        if key not in self._made_steps:
            if self._compiled is not None:
                self._compiled.reported = self._all_metrics()
            if mode == "train" and len(self.trainable_weights) != len(self._compiled_weights):
                text = (
                    "Discrepancy between trainable weights and collected trainable weights, did "
                    "you set `model.trainable` without calling `model.compile` after ?"
                )
                logging.log_first_n(logging.WARN, text, 1)
            traced = self._distribution_strategy is not None or stacks.outermost().runs_at_once
            has = [] if traced else steps.for_own_inputs(self, self.get_losses_for)
            parts = [x for x in (self, *self.layers) if getattr(x, "_is_graph_network", False)]
            lost = {loss for part in parts for loss, _, _ in part._losses} - set(has)
            if mode != "predict" and (lost or (traced and self in parts and self._metrics)):
                raise ValueError(_ADDED)
            made = steps.TracedStep if traced else steps.GraphStep
            with contextlib.nullcontext() if traced else self.inputs[0].graph.as_default():
                self._made_steps[key] = made(self, mode, weighted)
        return self._made_steps[key].bound()

    # ---- loops -------------------------------------------------------------------------------

    def _run(self, mode: str, source: Source, callbacks: CallbackList, progress: Any) -> list:
        """One pass over the data: the mean loss and the metrics, or the predictions."""
        begins = callbacks.hooks(f"on_{mode}_batch_begin")
        ends = callbacks.hooks(f"on_{mode}_batch_end")
        ends += [progress.on_batch_end] if progress is not None else []
        weighs = mode == "train" or source.samples is not None
        names: list[str] = []
        step, weighted, total, seen, kept = None, None, 0.0, 0, []
        for number, (values, size) in enumerate(source.batches()):
            if source.weighted != weighted or step is None:
                weighted = source.weighted
                step = self._step(mode, weighted)
                names = self.metrics_names if mode != "predict" else ["outputs"]
            for hook in begins:
                hook(number, {"batch": number, "size": size})
            results = step(values)
            if mode == "predict":
                kept.append(results)
            else:
                kept = results
                total += float(results[0]) * (size if weighs else 1)
            seen += size if weighs else 1
            if ends:
                shown = [results] if mode == "predict" else results
                logs = {"batch": number, "size": size, **dict(zip(names, shown))}
                for hook in ends:
                    hook(number, logs)
            if self.stop_training:
                break
        if not seen:
            raise ValueError("Empty training data.")
        if mode == "predict":
            return [np.concatenate(each) if len(each) > 1 else each[0] for each in zip(*kept)]
        return [total / seen, *kept[1:]]

    def _pass(self, call: Call) -> Any:
        """`evaluate` or `predict`: one pass, with its callbacks."""
        mode, source = call.mode, self._data.source(call)
        told, progress = self._told(call, call.callbacks, source, False)
        if mode == "test":
            self.reset_metrics()
        getattr(told, f"on_{mode}_begin")()
        if progress is not None:
            progress.on_epoch_begin(0)
        results = self._run(mode, source, told, progress)
        if progress is not None:
            named = dict(zip(self.metrics_names, results)) if mode == "test" else {}
            progress.on_epoch_end(0, named)
        getattr(told, f"on_{mode}_end")()
        return results[0] if len(results) == 1 else results

    def _told(
        self, call: Call, callbacks: Any, source: Source, validates: bool
    ) -> tuple[CallbackList, ProgbarLogger | None]:
        """Who is told of the progress: the callbacks, and the bar where one is shown."""
        names = self.metrics_names if call.mode != "predict" else []
        params = {
            "batch_size": source.batch_size or call.batch_size,
            "epochs": call.epochs,
            "steps": source.steps,
            "samples": source.steps if source.samples is None else source.samples,
            "verbose": call.verbose,
            "do_validation": validates,
            "metrics": [*names, *(f"val_{name}" for name in names if validates)],
        }
        told = configured(callbacks, self, params)
        if not call.verbose:
            return told, None
        counted = "steps" if source.samples is None else "samples"
        progress = ProgbarLogger(counted, self.metrics_names[1:])
        progress.set_params(params)
        return told, progress

    @_in_own_graph
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        **kwargs: Any,
    ) -> History:
        """Trains the model.

        Args:
          x: the examples: an array, or of several inputs a list or a dict of arrays; a
            `tf.data.Dataset`, a generator or a `Sequence` of batches `(x, y)` or `(x, y, weights)`;
            in a graph, tensors.
          y: the labels, in the same forms; not with batches.
          batch_size: how many examples make a step; 32 by default.
          epochs: the number of the last epoch.
          verbose: 0: prints nothing; 1: a progress bar; 2: a line for each epoch.
          callbacks: a list of `Callback`s.
          validation_split: the part of the arrays, at their end, that is used for validation.
          validation_data: (x, y) or (x, y, weights), or batches, to evaluate after each epoch.
          shuffle: whether each epoch has another order of examples, or with "batch" of batches.
          class_weight: a dict from classes to what their examples count.
          sample_weight: what each example counts.
          initial_epoch: the number of epochs that were made before.
          steps_per_epoch: how many batches make an epoch; needed for generators.
          validation_steps: the same for the validation.
          max_queue_size, workers, use_multiprocessing: accepted; no batch is made ahead.

        Returns: the `History`; its `history` is a dict of lists.
        Raises:
          RuntimeError: when the model is not compiled.
          ValueError: when the data do not fit the model.
        Example:
          >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
          >>> model.compile("sgd", "mse")
          >>> history = model.fit(np.ones([4, 2]), np.ones([4, 1]), epochs=3, verbose=0)
          >>> len(history.history["loss"])
          3
        """
        if "nb_epoch" in kwargs:
            logging.warning("The `nb_epoch` argument in `fit` has been renamed `epochs`.")
            epochs = kwargs.pop("nb_epoch")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        if self._arguments is None:
            raise RuntimeError(NOT_COMPILED)
        call = Call.of("train", locals())
        if steps.spans_workers(self._distribution_strategy):
            call = dataclasses.replace(call, shuffled=np.random.default_rng(0).shuffle)
        source, validation = self._data.sources(call)
        self.history = History()
        callbacks = [*nest.flatten(call.callbacks or []), self.history]
        told, progress = self._told(call, callbacks, source, validation is not None)
        if call.verbose:
            _say_how_much(source, validation)
        told.on_train_begin()
        for epoch in range(call.initial_epoch, call.epochs):
            if self.stop_training:
                break
            self.reset_metrics()
            told.on_epoch_begin(epoch)
            if progress is not None:
                progress.on_epoch_begin(epoch)
            results = self._run("train", source, told, progress)
            told.params["steps"] = source.steps
            logs = dict(zip(self.metrics_names, results))
            if source.ended:
                self.stop_training = True
            if validation is not None and not self.stop_training:
                self.reset_metrics()
                told.on_test_begin()
                results = self._run("test", validation, told, None)
                told.on_test_end()
                logs.update(zip([f"val_{name}" for name in self.metrics_names], results))
            told.on_epoch_end(epoch, logs=logs)
            if progress is not None:
                progress.on_epoch_end(epoch, logs)
        told.on_train_end()
        return self.history

    @_in_own_graph
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The loss and the metrics on data; the arguments are those of `fit`.

        Returns: the loss, or a list in the order of `metrics_names`.
        """
        if self._arguments is None:
            raise RuntimeError(NOT_COMPILED)
        return self._pass(Call.of("test", locals()))

    @_in_own_graph
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The outputs for examples, as arrays; the arguments are those of `fit`."""
        return self._pass(Call.of("predict", locals()))

    # ---- single batches ----------------------------------------------------------------------

    @_in_own_graph
    def _on_batch(self, mode: str, resets: bool, x: Any, *labels: Any) -> Any:
        """One step on a batch; tensors of a graph are computed first."""
        values, weighted = self._data.arranged(mode, x, *labels)
        if not stacks.outermost().runs_at_once:
            if any(isinstance(v, Tensor) for v in values):
                values = backend.get_session().run(values)
        results = self._step(mode, weighted)(values)
        if resets:
            self.reset_metrics()
        return results[0] if len(results) == 1 else results

    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
    ) -> Any:
        """One step of training on a batch.

        Args:
          x, y, sample_weight, class_weight: see `fit`.
          reset_metrics: whether the metrics are of this batch alone.

        Returns: the loss, or a list in the order of `metrics_names`.
        """
        return self._on_batch("train", reset_metrics, x, y, sample_weight, class_weight)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, reset_metrics: bool = True
    ) -> Any:
        """The loss and the metrics on a batch; the arguments are those of `train_on_batch`."""
        return self._on_batch("test", reset_metrics, x, y, sample_weight)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for a batch."""
        return self._on_batch("predict", False, x)

    # ---- older names -------------------------------------------------------------------------

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        **options: Any,
    ) -> History:
        """`fit` on a generator or a `Sequence`; the other arguments are those of `fit`."""
        options |= {key: each for key, each in locals().items() if key not in _NO_OPTIONS}
        return self.fit(generator, **options)

    def evaluate_generator(
        self, generator: Any, steps: int | None = None, verbose: int = 0, **options: Any
    ) -> Any:
        """`evaluate` on a generator or a `Sequence`."""
        return self.evaluate(generator, verbose=verbose, steps=steps, **options)

    def predict_generator(self, generator: Any, steps: int | None = None, **options: Any) -> Any:
        """`predict` on a generator or a `Sequence`."""
        return self.predict(generator, steps=steps, **options)

    # ---- files -------------------------------------------------------------------------------

    save = save_model


LAYERS["Functional"] = Model  # so later releases call a functional model


# ---- helpers -----------------------------------------------------------------------------------


def _say_how_much(source: Source, validation: Source | None) -> None:
    by_batch = source.samples is None and source.counts
    if by_batch and not stacks.outermost().runs_at_once:
        return
    counts = [each.samples or each.steps for each in (source, validation) if each is not None]
    unit = "steps" if source.samples is None else "samples"
    verb = "for" if stacks.outermost().runs_at_once and source.samples is None else "on"
    second = f", validate {verb} {counts[1]} {unit}" if counts[1:] and counts[1] else ""
    print(f"Train {verb} {counts[0]} {unit}{second}")
