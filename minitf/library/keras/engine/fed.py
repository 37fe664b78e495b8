"""`Fed`: what a model makes of the data that it is given: batches for its steps.

    arrays ───────────────────────────> Arrays
    dataset, iterator, tensors ───────> Tensors      in a graph
    dataset, generator, `Sequence` ───> Generated

A model that is a class, or was told no input shape, is built for the first data that it meets.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.variables.variables import Variable
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.iterators import EagerIterator, Iterator, initializable
from minitf.library.input.data.whole_datasets import INFINITE_CARDINALITY, cardinality
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.config import floatx
from minitf.library.keras.backend.values import int_shape
from minitf.library.keras.engine import user_data
from minitf.library.keras.engine.compiled import Compiled, Endpoint
from minitf.library.keras.engine.sources import Arrays, Generated, Source, Tensors
from minitf.library.keras.utils.feeding import Sequence as BatchSequence

NOT_COMPILED = (
    "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`."
)


@dataclass(frozen=True)
class Wish:
    """How the data are to come.

    Attributes:
      batch_size: samples of a batch, for arrays.
      steps: batches of an epoch; `name` is that of the argument.
      epochs: how many there will be.
      shuffle: whether each epoch has another order; "batch": of batches.
      class_weight: see `fit`.
      predicts: whether there are no labels.
      max_queue_size, workers, use_multiprocessing: of generators.
    """

    batch_size: int | None = None
    steps: int | None = None
    name: str = "steps"
    epochs: int = 1
    shuffle: Any = False
    class_weight: Any = None
    predicts: bool = False
    max_queue_size: int = 10
    workers: int = 1
    use_multiprocessing: bool = False


class Fed:
    """The part of a model that takes data."""

    inputs: Any
    outputs: Any
    _is_graph_network: bool
    _input_layers: list[Any]
    _call_arguments: Any
    _arguments: Any = None  # what `compile` was given
    _compiled: Compiled | None = None
    _computes: Any
    _own_values: Any
    #: of a model that is a class: what it was called on first, in the form in which it came
    _first_input: Any = None
    _first_outputs: Any = None

    def _finish_compiling(self, outputs: Sequence[Any]) -> None:
        raise NotImplementedError

    # ---- inputs --------------------------------------------------------------------------------

    def _meet(self, x: Any) -> None:
        """Builds a model that is not built, for data such as these."""
        if x is None or self.inputs is not None or self._first_input is not None:
            return
        several = isinstance(x, (list, tuple, Mapping))
        if isinstance(x, (list, tuple)) and x and not hasattr(x[0], "shape"):
            x, several = np.asarray(x), False
        x = x if several else user_data.plain(x)
        object.__setattr__(self, "_first_input", Form(x))
        if stacks.outermost().runs_at_once:
            sample = [convert_to_tensor(user_data.with_axis(each[:1])) for each in nest.flatten(x)]
            with backend.learning_phase_scope(0):
                outputs = self(self._packed(self._in_own_types(sample)))  # type: ignore[operator]
            object.__setattr__(self, "_first_outputs", nest.flatten(outputs))
            return
        names = self._input_names_now()
        with stacks.name_scope(None):
            flat = zip(nest.flatten(x), names)
            inputs = [_placeholder_for(each, name) for each, name in flat]
        takes = "training" in self._call_arguments
        phase = {"training": backend.learning_phase()} if takes else {}
        self(self._packed(inputs), **phase)  # type: ignore[operator]
        self.input_names = names

    def _input_names_now(self) -> list[str]:
        form = self._first_input
        names = form.names if form is not None else None
        if names is None:
            count = form.count if form is not None else len(self.inputs)
            names = [f"input_{i + 1}" for i in range(count)]
        return names

    def _packed(self, inputs: list[Any]) -> Any:
        """Inputs in the form in which the model takes them."""
        if self._is_graph_network or self._first_input is None:
            return inputs[0] if len(inputs) == 1 else inputs
        return self._first_input.packed(inputs)

    def _in_own_types(self, x: list[Tensor]) -> list[Tensor]:
        """The inputs in the types of the `Input`s, or floating ones in `floatx()`."""
        if self._is_graph_network:
            return [user_data.cast(t, i.dtype) for t, i in zip(x, self.inputs, strict=True)]
        return [user_data.cast(t, floatx()) if t.dtype.is_floating else t for t in x]

    @property
    def _fed_layers(self) -> list[Any]:
        return [layer for layer in self._input_layers if layer.is_placeholder]

    @property
    def _feed_inputs(self) -> list[Tensor]:
        if not self._is_graph_network:
            return list(self.inputs)
        return [x for x, layer in zip(self.inputs, self._input_layers) if layer.is_placeholder]

    def _arranged(
        self, x: Any, y: Any, sample_weight: Any, class_weight: Any, predicts: bool
    ) -> tuple[list[Any], list[bool]]:
        """The data as flat lists: x, y and weights; and which outputs have weights.

        Raises:
          ValueError: when they do not fit the model.
        """
        x, y, sample_weight = map(_read, (x, y, sample_weight))
        if self._computes("predict" if predicts else "train"):
            return self._own_values(x, y, sample_weight)
        self._meet(x)
        shapes = None
        if not self._is_graph_network:
            names = self._input_names_now()
        else:
            names = [layer.name for layer in self._fed_layers]
            shapes = [None if e.sparse else int_shape(e.output) for e in self._fed_layers]
        xs = user_data.as_arrays(x, names, shapes)
        if predicts:
            return xs, []
        if self._arguments is None:
            raise RuntimeError(NOT_COMPILED)
        if self._compiled is None:
            self._finish_compiling(self.outputs or self._first_outputs)
        assert self._compiled is not None
        fed = [e for e in self._compiled.trained if e.is_fed]
        return self._with_labels(xs, y, sample_weight, class_weight, fed)

    def _with_labels(
        self, xs: list[Any], y: Any, sample_weight: Any, class_weight: Any, fed: list[Endpoint]
    ) -> tuple[list[Any], list[bool]]:
        names = [e.name for e in fed]
        ys = user_data.as_arrays(y, names, None, "target")
        if any(labels is None for labels in ys):
            raise ValueError(
                "Error when checking model target: no data found, but the model expects labels "
                f"for {names}."
            )
        of_samples = user_data.for_outputs(sample_weight, names, "sample_weight")
        of_classes = user_data.for_outputs(class_weight, names, "class_weight")
        weights = [
            user_data.as_weights(labels, w, c, endpoint.mode)
            for labels, w, c, endpoint in zip(ys, of_samples, of_classes, fed)
        ]
        user_data.check_lengths(xs, ys, weights)
        if self._is_graph_network:
            user_data.check_targets(ys, [e.loss for e in fed], [e.shape for e in fed])
        given = iter(weights)
        trained = self._compiled.trained if self._compiled else []
        weighted = [e.is_fed and next(given) is not None for e in trained]
        return [*xs, *ys, *(w for w in weights if w is not None)], weighted

    # ---- sources -------------------------------------------------------------------------------

    def _source(self, x: Any, y: Any, sample_weight: Any, wish: Wish) -> Source:
        """Where the batches come from, whatever the data are."""
        rest = (wish.steps, wish.name, wish.epochs)
        if isinstance(x, (Dataset, Iterator, EagerIterator)):
            _refuse_beside("dataset", x, y, sample_weight, wish.batch_size)
            return self._dataset(x, wish)
        if isinstance(x, BatchSequence) or hasattr(x, "__next__"):
            _refuse_beside("generator", x, y, sample_weight, wish.batch_size)
            if isinstance(x, BatchSequence) and wish.steps is None:
                rest = (len(x), *rest[1:])
            if rest[0] is None:
                raise ValueError(
                    f"Please specify the number of steps via the `{wish.name}` argument."
                )
            workers = (wish.workers, wish.max_queue_size, wish.use_multiprocessing)
            arrange = self._arranger(wish)
            return Generated.of(x, arrange, workers, bool(wish.shuffle), *rest, "dataset iterator")
        values, weighted = self._arranged(x, y, sample_weight, wish.class_weight, wish.predicts)
        values = [_on_host(v) for v in values]
        if any(isinstance(v, Tensor) for v in values) or not values:
            _need_steps("data tensors", wish)
            return Tensors(values, weighted, None, *rest, "data")
        if wish.steps is not None:  # the same arrays in each step
            return Generated(itertools.count, lambda _: (values, weighted), *rest, "data")
        known = self._input_layers[0]._batch_input_shape[:1] if self._is_graph_network else ()
        size = known[0] if known else None
        if size is not None and wish.batch_size not in (None, size):
            raise ValueError(
                f"The `batch_size` argument value {wish.batch_size} is incompatible with the "
                f"specified batch size of your Input Layer: {size}"
            )
        size = size or wish.batch_size or 32
        if self._is_graph_network and self.stateful and values[0].shape[0] % size:  # type: ignore
            raise ValueError(
                "In a stateful network, you should only pass inputs with a number of samples that "
                f"can be divided by the batch size. Found: {values[0].shape[0]} samples"
            )
        return Arrays(values, weighted, size, wish.shuffle)

    def _arranger(self, wish: Wish) -> Any:
        """From an element of a generator or dataset to the values of a batch."""

        def arrange(element: Any) -> tuple[list[Any], list[bool]]:
            parts = element if isinstance(element, tuple) else (element,)
            if len(parts) not in (1, 2, 3):
                raise ValueError(
                    "Output of generator should be a tuple of 1 or 2 or 3 elements: (input,) or "
                    "(input, target) or (input, target, sample_weights). Received "
                    f"{element}"
                )
            x, y, weights = (*parts, None, None)[:3]
            return self._arranged(x, y, weights, wish.class_weight, wish.predicts)

        return arrange

    def _dataset(self, x: Any, wish: Wish) -> Source:
        rest = (wish.steps, wish.name, wish.epochs, "dataset")
        known = _known_steps(x, wish) if isinstance(x, Dataset) else None
        if stacks.outermost().runs_at_once:
            begin = x.__iter__ if isinstance(x, Dataset) else lambda: x
            return Generated(begin, self._arranger(wish), *rest, known)
        if not isinstance(x, Dataset):
            _need_steps("a Dataset iterator", wish)
        with stacks.name_scope(None):
            iterator = initializable(x) if isinstance(x, Dataset) else x
            element = iterator.get_next()
            element = tuple(element) if isinstance(element, list) else element
            values, weighted = self._arranger(wish)(element)
        starts = iterator.initializer if isinstance(x, Dataset) else None
        return Tensors(values, weighted, starts, *rest, known)

    def _validation(self, data: Any, batch_size: int | None, wish: Wish) -> Source:
        """The source of `validation_data`: arrays, or batches.

        Raises:
          ValueError: when it is neither.
        """
        wish = replace(wish, shuffle=False, class_weight=None, epochs=1)
        if isinstance(data, (Dataset, Iterator, EagerIterator, BatchSequence)) or not hasattr(
            data, "__len__"
        ):
            return self._source(data, None, None, replace(wish, batch_size=None))
        if len(data) not in (2, 3):
            raise ValueError(
                "When passing a `validation_data` argument, it must contain either 2 items (x_val, "
                "y_val), or 3 items (x_val, y_val, val_sample_weights), or alternatively it could "
                "be a dataset or a dataset or a dataset iterator. However we received "
                f"`validation_data={data}`"
            )
        x, y, weights = (*data, None)[:3]
        return self._source(x, y, weights, replace(wish, batch_size=batch_size))


class Form:
    """How the inputs of a model came: one, a list, or a dict of them."""

    def __init__(self, x: Any) -> None:
        self.names = sorted(x) if isinstance(x, Mapping) else None
        self.is_list = isinstance(x, (list, tuple))
        self.count = len(x) if isinstance(x, (list, tuple, Mapping)) else 1

    def packed(self, inputs: list[Any]) -> Any:
        """A flat list in this form."""
        if self.names is not None:
            return dict(zip(self.names, inputs))
        return inputs if self.is_list else inputs[0]


def _read(value: Any) -> Any:
    """Variables, also those in a list or dict, as the tensors that they stand for."""
    if isinstance(value, (list, tuple)) and any(isinstance(v, Variable) for v in value):
        return [_read(v) for v in value]
    if isinstance(value, Mapping):
        return {key: _read(v) for key, v in value.items()}
    return value._as_tensor() if isinstance(value, Variable) else value


def _on_host(value: Any) -> Any:
    """A tensor that has a value, as an array; others as they are."""
    return value.numpy() if isinstance(value, Tensor) and value.has_value else value  # type: ignore


def _placeholder_for(array: Any, name: str) -> Tensor:
    sizes = user_data.sizes(array)[1:] or (1,)
    dtype = dtypes.as_dtype(array.dtype).base_dtype
    return placeholder(floatx() if dtype.is_floating else dtype, [None, *sizes], name=name)


def _need_steps(kind: str, wish: Wish) -> None:
    if wish.steps is None:
        raise ValueError(
            f"When using {kind} as input to a model, you should specify the `{wish.name}` argument."
        )


def _known_steps(dataset: Dataset, wish: Wish) -> int | None:
    """How many batches a dataset has; None where nobody knows.

    Raises:
      ValueError: when it never ends, and no number of steps was given.
    """
    size = int(backend.get_value(cardinality(dataset)))
    if size == INFINITE_CARDINALITY and wish.steps is None:
        raise ValueError(
            "When passing an infinitely repeating dataset, you must specify the "
            f"`{wish.name}` argument."
        )
    return size if size >= 0 else None


_BESIDE = {
    ("dataset", "y"): (
        "You passed a dataset or dataset iterator ({x}) as input `x` to your model. In that case, "
        "you should not specify a target (`y`) argument, since the dataset or dataset iterator "
        "generates both input data and target data. Received: {value}"
    ),
    ("dataset", "sample_weight"): (
        "`sample_weight` argument is not supported when input `x` is a dataset or a dataset "
        "iterator. Instead, youcan provide sample_weight as the third element  of yourdataset, "
        "i.e. (inputs, targets, sample_weight). Received: x={x}, sample_weight={value}"
    ),
    ("generator", "y"): (
        "`y` argument is not supported when data isa generator or Sequence instance. Instead pass "
        "targets as the second element of the generator."
    ),
    ("generator", "sample_weight"): (
        "`sample_weight` argument is not supported when data isa generator or Sequence instance. "
        "Instead pass sample weights as the third element of the generator."
    ),
}


def _refuse_beside(kind: str, x: Any, y: Any, sample_weight: Any, batch_size: Any) -> None:
    """Raises ValueError for what cannot be given beside batches."""
    if batch_size is not None and not isinstance(x, (Iterator, EagerIterator)):
        raise ValueError(
            "The `batch_size` argument must not be specified for the given input type. Received "
            f"input: {x}, batch_size: {batch_size}"
        )
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            raise ValueError(_BESIDE[kind, name].format(x=x, value=value))
