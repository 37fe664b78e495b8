"""The data of a model: what `fit` and its kin are given, brought into one form.

    x: an array, a list or a dict of them, a table of pandas ──> [array of each input,
    y, sample_weight, class_weight                                of each label, of each weight]

    arrays in memory ─────────────────────────> Source   cut into batches; samples are counted
    dataset, tensors, generator, `Sequence` ──> Source   batches as they come; steps are counted

Whatever does not fit the model is refused here, with TensorFlow's messages. A model that is a
class, or was told no input shape, is built for the first data that it meets.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, logging, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import argmax
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.iterators import EagerIterator, initializable
from minitf.library.input.data.iterators import Iterator as DatasetIterator
from minitf.library.input.data.whole_datasets import INFINITE_CARDINALITY, cardinality
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.session import floatx, int_shape
from minitf.library.keras.engine.compiled import Endpoint, check_keys
from minitf.library.keras.preprocessing import sequences

NOT_COMPILED = (
    "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`."
)
Batch = tuple[list[Any], int]  # the values, and how many samples are reported
Arranged = tuple[list[Any], Sequence[bool]]  # the values, and which outputs have weights


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of `fit`, `evaluate` or `predict`: the arguments, as `Model.fit` explains them.

    Attributes:
      mode: "train", "test" or "predict".
      shuffle: True for another order in each epoch, "batch" for another order of batches.
      shuffled: changes an order; of a generator that all workers have alike, if there are any.
      steps: batches of an epoch; `steps_name` is that of the argument.
    """

    mode: str
    x: Any = None
    y: Any = None
    sample_weight: Any = None
    class_weight: Any = None
    batch_size: int | None = None
    epochs: int = 1
    initial_epoch: int = 0
    verbose: int = 1
    callbacks: Any = None
    shuffle: Any = False
    shuffled: Callable[[Any], Any] = np.random.shuffle
    steps: int | None = None
    steps_name: str = "steps"
    validation_split: float = 0.0
    validation_data: Any = None
    validation_steps: int | None = None

    @classmethod
    def of(cls, mode: str, arguments: Mapping[str, Any]) -> Call:
        """The call of a method, from its local variables."""
        known = {field.name for field in dataclasses.fields(cls)}
        given = {name: value for name, value in arguments.items() if name in known}
        if mode == "train":
            given |= {"steps": arguments["steps_per_epoch"], "steps_name": "steps_per_epoch"}
        return cls(mode, **given)


# ---- batches -------------------------------------------------------------------------------------

_OUT_OF_DATA = (
    "Your {what} ran out of data; interrupting training. Make sure that your {what} can generate "
    "at least `{name} * epochs` batches (in this case, {batches} batches). You may need to use the "
    "repeat() function when building your dataset."
)


@dataclasses.dataclass
class Source:
    """Batches, epoch by epoch.

    Attributes:
      call: says how many steps an epoch has, if the program said so.
      begin: makes the iterator; called again for an epoch when there is no number of steps.
      what: the data, in words.
      steps: how many batches an epoch has; None where that is not known yet.
      counts: whether the samples of a batch are reported, not the batch.
      arrays: what is cut into batches, if it is in memory.
      batch_size: likewise, how many samples a batch has.
      weighted: for each trained output, whether its examples have weights.
      ended: whether there is nothing more, though another epoch was wanted.
    """

    call: Call
    begin: Callable[[], Iterator[Arranged]]
    what: str
    steps: int | None = None
    counts: bool = True
    arrays: Sequence[Any] = ()
    batch_size: int | None = None
    weighted: Sequence[bool] = ()
    ended: bool = False
    _iterator: Iterator[Arranged] | None = None

    def __post_init__(self) -> None:
        self.steps = self.steps if self.call.steps is None else self.call.steps

    @property
    def samples(self) -> int | None:
        """How many samples there are, where that is counted."""
        return int(self.arrays[0].shape[0]) if self.arrays else None

    def batches(self) -> Iterator[Batch]:
        """Those of one epoch: so many as steps were asked for, or as there are."""
        told = self.call.steps is not None
        if self._iterator is None or not told or self.call.mode != "train":
            self._iterator = self.begin()
        for step in itertools.count():
            if self.steps is not None and step >= self.steps:
                return
            try:
                values, self.weighted = next(self._iterator)
            except (StopIteration, errors.OutOfRangeError):
                self.ended = told
                if told:
                    name, batches = self.call.steps_name, (self.steps or 0) * self.call.epochs
                    text = _OUT_OF_DATA.format(what=self.what, name=name, batches=batches)
                    logging.warning(text)
                elif not self.arrays:
                    self.steps = step
                return
            yield values, int(values[0].shape[0]) if self.counts else 1


def _cut(call: Call, arrays: Sequence[Any], weighted: Sequence[bool], batch_size: int) -> Source:
    """Arrays, x, y and weights, whose first axis is cut into batches."""

    def begin() -> Iterator[Arranged]:
        count = arrays[0].shape[0]
        order: Any = np.arange(count) if call.shuffle else None
        if call.shuffle == "batch":
            call.shuffled(order[: count // batch_size * batch_size].reshape(-1, batch_size))
        elif call.shuffle:
            call.shuffled(order)
        for start in range(0, count, batch_size):
            rows: Any = slice(start, start + batch_size)
            rows = rows if order is None else order[rows]
            try:
                values = [a[rows] for a in arrays]
            except TypeError:  # h5py gives rows in their order alone
                raise TypeError(
                    "TypeError while preparing batch. If using HDF5 input data, pass "
                    'shuffle="batch".'
                ) from None
            yield [v.toarray() if hasattr(v, "toarray") else v for v in values], weighted

    return Source(call, begin, "data", arrays=arrays, batch_size=batch_size, weighted=weighted)


def _runs(
    tensors: list[Any], weighted: Sequence[bool], initializer: Any = None
) -> Iterator[Arranged]:
    """The values of tensors of a graph that have other values in each run."""
    session = backend.get_session()
    if initializer is not None:
        session.run(initializer)
    while True:
        yield session.run(tensors), weighted


# ---- for one model -------------------------------------------------------------------------------


class DataAdapter:
    """Brings data into the form of one model: flat lists of x, then y, then weights.

    Args:
      model: the model.

    Attributes:
      outputs: of a model that is a class: what came out for the first data.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._form: Any = None  # of a model that is a class: names, in the structure of the inputs
        self.outputs: list[Tensor] | None = None

    def _meet(self, x: Any) -> None:
        """Builds a model that is not built, for data such as these."""
        model = self._model
        if x is None or model.inputs is not None or self._form is not None:
            return
        if isinstance(x, (list, tuple)) and x and not hasattr(x[0], "shape"):
            x = np.asarray(x)
        flat = nest.flatten(x if isinstance(x, Mapping) else _plain(x))
        self._form = "input_1"
        if isinstance(x, Mapping):
            self._form = {name: name for name in x}
        elif isinstance(x, (list, tuple)):
            self._form = [f"input_{i + 1}" for i in range(len(x))]
        names = nest.flatten(self._form)
        if stacks.outermost().runs_at_once:
            sample = [convert_to_tensor(_with_axis(each[:1])) for each in flat]
            with backend.learning_phase_scope(0):
                self.outputs = nest.flatten(model(self._packed(self._typed(sample))))
            model.input_names = names
            return
        with stacks.name_scope(None):
            inputs = [_placeholder_for(each, name) for each, name in zip(flat, names)]
        takes = "training" in model._call_arguments
        model(self._packed(inputs), **({"training": backend.learning_phase()} if takes else {}))
        model.input_names = names

    def _packed(self, inputs: list[Any]) -> Any:
        """Inputs in the form in which the model takes them."""
        if self._model._is_graph_network or self._form is None:
            return inputs[0] if len(inputs) == 1 else inputs
        return nest.pack_sequence_as(self._form, inputs)

    def _typed(self, x: list[Tensor]) -> list[Tensor]:
        """The inputs in the types of the `Input`s, or floating ones in `floatx()`."""
        if self._model._is_graph_network:
            return [cast(t, i.dtype) for t, i in zip(x, self._model.inputs, strict=True)]
        return [cast(t, floatx()) if t.dtype.is_floating else t for t in x]

    def call(self, x: list[Tensor], mode: str) -> list[Tensor]:
        """The outputs of the model, called on tensors."""
        takes = "training" in self._model._call_arguments
        known = {"training": mode == "train"} if takes else {}
        return nest.flatten(self._model(self._packed(self._typed(x)), **known))

    @property
    def feeds(self) -> list[Tensor]:
        """In a graph: what is fed with x."""
        model = self._model
        if not model._is_graph_network:
            return list(model.inputs)
        return [x for x, each in zip(model.inputs, model._input_layers) if each.is_placeholder]

    def arranged(
        self, mode: str, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None
    ) -> Arranged:
        """The data as flat lists: x, y and weights; and which outputs have weights.

        Raises:
          ValueError: when they do not fit the model.
        """
        model = self._model
        self._meet(x)
        shapes = None
        if model._is_graph_network:
            layers = [layer for layer in model._input_layers if layer.is_placeholder]
            names = [layer.name for layer in layers]
            shapes = [None if each.sparse else int_shape(each.output) for each in layers]
        else:
            names = model.input_names
        xs = _as_arrays(x, names, shapes)
        if mode == "predict":
            return xs, []
        if model._arguments is None:
            raise RuntimeError(NOT_COMPILED)
        if model._compiled is None:
            model._finish_compiling(model.outputs or self.outputs)
        return self._with_labels(xs, y, sample_weight, class_weight)

    def _with_labels(
        self, xs: list[Any], y: Any, sample_weight: Any, class_weight: Any
    ) -> Arranged:
        trained = self._model._compiled.trained
        fed: list[Endpoint] = [e for e in trained if e.is_fed]
        names = [e.name for e in fed]
        ys = _as_arrays(y, names, None, "target")
        if any(labels is None for labels in ys):
            raise ValueError(
                "Error when checking model target: no data found, but the model expects labels "
                f"for {names}."
            )
        of_samples = _for_outputs(sample_weight, names, "sample_weight")
        of_classes = _for_outputs(class_weight, names, "class_weight")
        weights = list(map(_as_weights, ys, of_samples, of_classes))
        _check_lengths(xs, ys, weights)
        if self._model._is_graph_network:
            for endpoint, labels in zip(fed, ys):
                endpoint.check(labels)
        given = iter(weights)
        weighted = [e.is_fed and next(given) is not None for e in trained]
        return [*xs, *ys, *(w for w in weights if w is not None)], weighted

    # ---- sources -------------------------------------------------------------------------------

    def sources(self, call: Call) -> tuple[Source, Source | None]:
        """Where the batches of training and validation come from."""
        source, split = self.source(call), call.validation_split
        if call.validation_data is not None:
            return source, self._validation(call)
        if split and 0.0 < split < 1.0:
            if not source.arrays:
                raise ValueError(
                    "`validation_split` is only supported for arrays, not for datasets, generators "
                    "or tensors."
                )
            at = int((source.samples or 0) * (1.0 - split))
            first, last = [a[:at] for a in source.arrays], [a[at:] for a in source.arrays]
            rest = source.weighted, source.batch_size or 1
            in_order = dataclasses.replace(call, shuffle=False)
            return _cut(call, first, *rest), _cut(in_order, last, *rest)
        if call.validation_steps:
            raise ValueError(
                "`validation_steps` should not be specified if `validation_data` is None."
            )
        return source, None

    def _validation(self, call: Call) -> Source:
        data, steps = call.validation_data, call.validation_steps
        call = dataclasses.replace(
            call, mode="test", x=data, y=None, sample_weight=None, class_weight=None,
            shuffle=False, epochs=1, steps=steps, steps_name="validation_steps",
        )  # fmt: skip
        batches = (Dataset, DatasetIterator, EagerIterator, sequences.Sequence)
        if isinstance(data, batches) or not hasattr(data, "__len__"):
            return self.source(dataclasses.replace(call, batch_size=None))
        if len(data) not in (2, 3):
            raise ValueError(
                "When passing a `validation_data` argument, it must contain either 2 items (x_val, "
                "y_val), or 3 items (x_val, y_val, val_sample_weights), or alternatively it could "
                "be a dataset or a dataset or a dataset iterator. However we received "
                f"`validation_data={data}`"
            )
        x, y, weights = (*data, None)[:3]
        return self.source(dataclasses.replace(call, x=x, y=y, sample_weight=weights))

    def source(self, call: Call) -> Source:
        """Where the batches come from, whatever the data are."""
        x = call.x
        if isinstance(x, (Dataset, DatasetIterator, EagerIterator)):
            _refuse_beside("dataset", call)
            return self._dataset(call)
        if isinstance(x, sequences.Sequence) or hasattr(x, "__next__"):
            _refuse_beside("generator", call)
            if isinstance(x, sequences.Sequence) and call.steps is None:
                call = dataclasses.replace(call, steps=len(x))
            if call.steps is None:
                raise ValueError(
                    f"Please specify the number of steps via the `{call.steps_name}` argument."
                )
            arranged = map(self._arranger(call), sequences.rounds(x, bool(call.shuffle)))
            return Source(call, lambda: arranged, "dataset iterator")
        values, weighted = self.arranged(
            call.mode, x, call.y, call.sample_weight, call.class_weight
        )
        values = [v.numpy() if isinstance(v, Tensor) and v.has_value else v for v in values]  # type: ignore
        if any(isinstance(v, Tensor) for v in values) or not values:
            _need_steps("data tensors", call)
            return Source(call, lambda: _runs(values, weighted), "data", counts=False)
        if call.steps is not None:  # the same arrays in each step
            return Source(call, lambda: itertools.repeat((values, weighted)), "data")
        return _cut(call, values, weighted, self._batch_size(call, values))

    def _batch_size(self, call: Call, values: list[Any]) -> int:
        model = self._model
        known = model._input_layers[0]._batch_input_shape[:1] if model._is_graph_network else ()
        size = known[0] if known else None
        if size is not None and call.batch_size not in (None, size):
            raise ValueError(
                f"The `batch_size` argument value {call.batch_size} is incompatible with the "
                f"specified batch size of your Input Layer: {size}"
            )
        size = size or call.batch_size or 32
        if model._is_graph_network and model.stateful and values[0].shape[0] % size:
            raise ValueError(
                "In a stateful network, you should only pass inputs with a number of samples that "
                f"can be divided by the batch size. Found: {values[0].shape[0]} samples"
            )
        return size

    def _arranger(self, call: Call) -> Callable[[Any], Arranged]:
        """From an element of a generator or dataset to the values of a batch."""

        def arrange(element: Any) -> Arranged:
            parts = element if isinstance(element, tuple) else (element,)
            if len(parts) not in (1, 2, 3):
                raise ValueError(
                    "Output of generator should be a tuple of 1 or 2 or 3 elements: (input,) or "
                    "(input, target) or (input, target, sample_weights). Received "
                    f"{element}"
                )
            x, y, weights = (*parts, None, None)[:3]
            return self.arranged(call.mode, x, y, weights, call.class_weight)

        return arrange

    def _dataset(self, call: Call) -> Source:
        x, is_dataset = call.x, isinstance(call.x, Dataset)
        known = _known_steps(call) if is_dataset else None
        if stacks.outermost().runs_at_once:
            return Source(call, lambda: map(self._arranger(call), x), "dataset", known)
        if not is_dataset:
            _need_steps("a Dataset iterator", call)
        with stacks.name_scope(None):
            iterator = initializable(x) if is_dataset else x
            element = iterator.get_next()
            element = tuple(element) if isinstance(element, list) else element
            values, weighted = self._arranger(call)(element)
        starts = iterator.initializer if is_dataset else None
        begin = lambda: _runs(values, weighted, starts)  # noqa: E731
        return Source(call, begin, "dataset", known, counts=False)


def _placeholder_for(array: Any, name: str) -> Tensor:
    sizes = _sizes(array)[1:] or (1,)
    dtype = dtypes.as_dtype(array.dtype).base_dtype
    return placeholder(floatx() if dtype.is_floating else dtype, [None, *sizes], name=name)


def _need_steps(kind: str, call: Call) -> None:
    if call.steps is None:
        raise ValueError(
            f"When using {kind} as input to a model, you should specify the `{call.steps_name}` "
            "argument."
        )


def _known_steps(call: Call) -> int | None:
    """How many batches a dataset has; None where nobody knows.

    Raises:
      ValueError: when it never ends, and no number of steps was given.
    """
    size = int(backend.get_value(cardinality(call.x)))
    if size == INFINITE_CARDINALITY and call.steps is None:
        raise ValueError(
            "When passing an infinitely repeating dataset, you must specify the "
            f"`{call.steps_name}` argument."
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


def _refuse_beside(kind: str, call: Call) -> None:
    """Raises ValueError for what cannot be given beside batches."""
    if call.batch_size is not None and not isinstance(call.x, (DatasetIterator, EagerIterator)):
        raise ValueError(
            "The `batch_size` argument must not be specified for the given input type. Received "
            f"input: {call.x}, batch_size: {call.batch_size}"
        )
    for name in ("y", "sample_weight"):
        value = getattr(call, name)
        if value is not None:
            raise ValueError(_BESIDE[kind, name].format(x=call.x, value=value))


# ---- arrays --------------------------------------------------------------------------------------

_NOT_AS_LARGE = (
    "Error when checking model {kind}: the list of Numpy arrays that you are passing to your model "
    "is not the size the model expected. Expected to see {wanted} array(s), for inputs {names} but "
    "instead got the following list of {found} arrays: {data}..."
)


def _plain(data: Any) -> Any:
    """The array in a table or a column of pandas."""
    return data.values if type(data).__name__ in ("DataFrame", "Series") else data


def _with_axis(x: Any, shape: Any = None) -> Any:
    """A vector as a matrix of one column, unless a vector is meant."""
    if x is None or not hasattr(x, "shape"):
        if isinstance(x, int):
            raise ValueError(f"Expected an array data type but received an integer: {x}")
        return x
    if len(x.shape) != 1 or (shape is not None and len(shape) == 1):
        return x
    return expand_dims(x, 1) if isinstance(x, Tensor) else np.expand_dims(x, 1)


def _as_arrays(
    data: Any, names: Sequence[str], shapes: Sequence[Any] | None = None, kind: str = "input"
) -> list[Any]:
    """One array for each name.

    Args:
      data: an array, a list or a dict of them.
      names: of the inputs or outputs.
      shapes: what shapes they have, with None for open sizes; None leaves that open.
      kind: "input" or "target", for messages.

    Raises:
      ValueError: when their number or a shape does not fit.
    """
    if not names:
        if data is not None and len(data) and not isinstance(data, Mapping):
            raise ValueError(f"Error when checking model {kind}: expected no data, but got:", data)
        return []
    if data is None:
        return [None] * len(names)
    listed = _listed(data, names)
    wanted = [None] * len(names) if shapes is None else list(shapes)
    wanted += [None] * (len(listed) - len(wanted))
    listed = [_with_axis(x, shape) for x, shape in zip(listed, wanted)]
    if len(listed) != len(names):
        listed = _of_other_length(listed, names, kind)
    for name, x, shape in zip(names, listed, wanted):
        if shape is not None and hasattr(x, "shape"):
            _check_shape(kind, name, _sizes(x), tuple(shape))
    return listed


def _listed(data: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(data, Mapping):
        for name in names:
            if name not in data:
                raise ValueError(
                    f'No data provided for "{name}". Need data for each key in: {list(names)}'
                )
        return [_plain(data[name]) for name in names]
    if not isinstance(data, (list, tuple)) or not data:
        return [_plain(data)]
    if isinstance(data[0], (list, tuple)):
        rows = len(names) == 1 and len(data) > 1
        return [np.asarray(data)] if rows else [np.asarray(each) for each in data]
    if len(names) == 1 and isinstance(data[0], (float, int)):
        return [np.asarray(data)]
    return [_plain(each) for each in data]


def _of_other_length(data: list[Any], names: Sequence[str], kind: str) -> list[Any]:
    text = str(data)[:200]
    if data and hasattr(data[0], "shape"):
        raise ValueError(
            _NOT_AS_LARGE.format(
                kind=kind, wanted=len(names), names=list(names), found=len(data), data=text
            )
        )
    if len(names) > 1:
        raise ValueError(
            f"Error when checking model {kind}: you are passing a list as input to your model, but "
            f"the model expects a list of {len(names)} Numpy arrays instead. The list you passed "
            f"was: {text}"
        )
    return [np.asarray(data)]


def _sizes(x: Any) -> tuple[int | None, ...]:
    """The static shape of an array or a tensor."""
    shape = x.shape
    return tuple(shape.as_list()) if hasattr(shape, "as_list") else tuple(shape)


def _check_shape(kind: str, name: str, found: tuple, wanted: tuple) -> None:
    if len(found) != len(wanted):
        raise ValueError(
            f"Error when checking {kind}: expected {name} to have {len(wanted)} dimensions, but "
            f"got array with shape {found}"
        )
    for size, right in zip(found[1:], wanted[1:]):
        if right != size and right is not None and size is not None:
            raise ValueError(
                f"Error when checking {kind}: expected {name} to have shape {wanted[1:]} but got "
                f"array with shape {found[1:]}"
            )


def _for_outputs(given: Any, names: Sequence[str], kind: str) -> list[Any]:
    """What was given as `sample_weight` or `class_weight`, for each output.

    Raises:
      ValueError: when there are not as many as outputs, or a name is that of no output.
    """
    if given is None or (isinstance(given, (list, tuple)) and not given):
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(given, (list, tuple)) and len(given) == 1:
            return list(given)
        return [given[names[0]] if isinstance(given, dict) and names[0] in given else given]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(
                f"Provided `{kind}` was a list of {len(given)} elements, but the model has "
                f"{len(names)} outputs. You should provide one `{kind}`array per model output."
            )
        return list(given)
    if isinstance(given, Mapping):
        check_keys(kind, given, names)
        return [given.get(name) for name in names]
    raise TypeError(
        f"The model has multiple outputs, so `{kind}` should be either a list or a dict. Provided "
        f"`{kind}` type not understood: {given}"
    )


def _as_weights(y: Any, sample_weight: Any, class_weight: Any) -> Any:
    """What each example of one output counts; None where all count 1.

    Args:
      y: the labels.
      sample_weight: [samples].
      class_weight: a dict from classes to what their examples count.

    Raises:
      ValueError: when a shape does not fit, or the dict lacks a class.
    """
    weights = _plain(sample_weight)
    if isinstance(weights, (list, tuple)):
        weights = np.asarray(weights)
    if weights is not None:
        shape = _sizes(weights)
        if len(shape) != 1:
            raise ValueError(
                f"Found a sample_weight array with shape {shape}. Make sure your sample_weight "
                "array is 1D."
            )
        if not isinstance(weights, Tensor) and _sizes(y)[:1] != shape:
            raise ValueError(
                f"Found a sample_weight array with shape {shape} for an input with shape "
                f"{_sizes(y)}. sample_weight cannot be broadcast."
            )
    if isinstance(class_weight, Mapping):
        if len(y.shape) > 2:
            raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
        of_class = _of_classes(y, class_weight)
        return of_class if weights is None else of_class * weights
    return weights


def _of_classes(y: Any, class_weight: Mapping[Any, float]) -> Any:
    if isinstance(y, Tensor):
        table = np.full(max(class_weight) + 1, np.nan, floatx())
        table[list(class_weight)] = list(class_weight.values())
        wide = len(y.shape) == 2 and y.shape[1].value != 1
        places = argmax(y, 1) if wide else cast(reshape(y, [-1]), "int64")
        return gather(convert_to_tensor(table), places)
    classes = y
    if len(y.shape) == 2:
        classes = np.argmax(y, axis=1) if y.shape[1] > 1 else np.reshape(y, y.shape[0])
    missing = set(np.unique(classes).tolist()) - set(class_weight)
    if missing:
        raise ValueError(
            f"`class_weight` must contain all classes in the data. The classes {missing} exist in "
            "the data but not in `class_weight`."
        )
    return np.asarray([class_weight[each] for each in classes], floatx())


def _check_lengths(x: Sequence[Any], y: Sequence[Any], weights: Sequence[Any]) -> None:
    """Raises ValueError when not all arrays have as many samples."""

    def lengths(arrays: Sequence[Any], noun: str) -> set[int]:
        found = {a.shape[0] for a in arrays if a is not None and not isinstance(a, Tensor)}
        if len(found) > 1:
            raise ValueError(
                f"All {noun} should have the same number of samples. Got array shapes: "
                f"{[a.shape for a in arrays]}"
            )
        return found

    of_x, of_y = lengths(x, "input arrays (x)"), lengths(y, "target arrays (y)")
    of_w = lengths(weights, "sample_weight arrays")
    if of_x and of_y and of_x != of_y:
        raise ValueError(
            "Input arrays should have the same number of samples as target arrays. Found "
            f"{of_x.pop()} input samples and {of_y.pop()} target samples."
        )
    if of_y and of_w and of_y != of_w:
        raise ValueError(
            "Sample_weight arrays should have the same number of samples as target arrays. Got "
            f"{of_y.pop()} input samples and {of_w.pop()} target samples."
        )
