"""`tensorflow.python.keras.testing_utils`: checks of a layer, and small models of every kind.

testing_utils.layer_test(keras.layers.Dense, kwargs={"units": 3}, input_shape=(3, 2))

with testing_utils.model_type_scope("functional"):     "sequential", "subclass"
    model = testing_utils.get_small_mlp(10, 4, input_dim=3)
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.shapes import TensorShape
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.input_layer import Input, InputLayer
from minitf.library.keras.engine.model import Model
from minitf.library.keras.engine.sequential import Sequential
from minitf.library.keras.layers.core import Dense, Dropout
from minitf.library.keras.layers.normalization import BatchNormalization
from minitf.library.keras.optimizers.named import get as get_optimizer

# ---- what the tests that run now are about ----------------------------------------------------

_now: dict[str, Any] = {}


def _setting(name: str) -> tuple[Callable, Callable]:
    """A context in which a setting has a value, and the function that tells the value."""

    @contextlib.contextmanager
    def scope(value: Any) -> Iterator[Any]:
        before = dict(_now)
        _now[name] = value
        try:
            yield value
        finally:
            _now.clear()
            _now.update(before)

    def get() -> Any:
        if name not in _now:
            raise ValueError(f"There is no {name} outside of its scope or decorator.")
        return _now[name]

    scope.__doc__, get.__doc__ = f"Tests of one {name}.", f"The {name} that is tested."
    return scope, get


model_type_scope, get_model_type = _setting("model_type")
saved_model_format_scope, get_save_format = _setting("save_format")
run_eagerly_scope, _runs_eagerly = _setting("run_eagerly")
experimental_run_tf_function_scope, _runs_tf_function = _setting("run_tf_function")


def should_run_eagerly() -> bool:
    """Whether the models that are tested run layer by layer."""
    return _runs_eagerly() and stacks.executing_eagerly()


def should_run_tf_function() -> bool:
    """Whether the models that are tested run as functions."""
    return _runs_tf_function() and stacks.executing_eagerly()


# ---- layers -------------------------------------------------------------------------------------


def get_test_data(
    train_samples: int,
    test_samples: int,
    input_shape: tuple[int, ...],
    num_classes: int,
    random_seed: int | None = None,
) -> tuple:
    """Noisy copies of one pattern a class.

    Args:
      train_samples, test_samples: how many.
      input_shape: of one of them.
      num_classes: how many patterns.
      random_seed: of NumPy.
    Returns: (inputs, classes) to train with, and to test with.
    """
    if random_seed is not None:
        np.random.seed(random_seed)  # noqa: NPY002  (programs seed it)
    total = train_samples + test_samples
    patterns = 2 * num_classes * np.random.random((num_classes, *input_shape))  # noqa: NPY002
    classes = np.random.randint(0, num_classes, size=(total,))  # noqa: NPY002
    noise = np.random.normal(size=(total, *input_shape))  # noqa: NPY002
    inputs = (patterns[classes] + noise).astype(np.float32)
    cut = train_samples
    return (inputs[:cut], classes[:cut]), (inputs[cut:], classes[cut:])


def layer_test(
    layer_cls: type[Layer],
    kwargs: dict[str, Any] | None = None,
    input_shape: Sequence[int | None] | None = None,
    input_dtype: Any = None,
    input_data: Any = None,
    expected_output: Any = None,
    expected_output_dtype: Any = None,
    expected_output_shape: Any = None,
    validate_training: bool = True,
    **_: Any,
) -> np.ndarray:
    """Puts a layer of one input and one output through all that every layer can do.

    Its weights are read and set; its dtype and shape are those it tells; models with it, made with
    functions and in sequence, predict the same before and after they went through their configs;
    one of them trains.

    Args:
      layer_cls: its class.
      kwargs: the arguments it is made with.
      input_shape, input_dtype: of the input; sizes that are None are chosen by chance.
      input_data: an array; random when None.
      expected_output, expected_output_dtype, expected_output_shape: what must come out.
      validate_training: whether it can be trained.
    Returns: what came out.
    Raises:
      AssertionError: when something is otherwise.
    """
    data, shape, dtype = _input_of(input_shape, input_dtype, input_data)
    kwargs = dict(kwargs or {})
    layer = layer_cls(**kwargs)
    weights = layer.get_weights()
    layer.set_weights(weights)
    if "weights" in inspect.signature(layer_cls).parameters:
        kwargs["weights"] = weights
        layer = layer_cls(**kwargs)
    x = Input(shape=shape[1:], dtype=dtype)
    y = layer(x)
    about = f"{layer_cls.__name__} of {x} with {kwargs}"
    wanted = dtypes.as_dtype(expected_output_dtype or dtype)
    if y.dtype.base_dtype != wanted:
        raise AssertionError(f"{about}: found output dtype {y.dtype.name}, not {wanted.name}")
    if expected_output_shape is not None:
        _check_shape(about, expected_output_shape, y.shape)
    model = Model(x, y)
    told = TensorShape(layer.compute_output_shape(TensorShape(shape)))
    actual = model.predict(data)
    _check_shape(about, told, actual.shape)
    _check_values(expected_output, actual)
    _check_copy(model, actual, data)
    if validate_training:
        model = Model(x, layer(x))
        options = {"run_eagerly": should_run_eagerly()} if "run_eagerly" in _now else {}
        model.compile("rmsprop", "mse", weighted_metrics=["acc"], **options)
        model.train_on_batch(data, actual)
    again = layer_cls.from_config({**layer.get_config(), "batch_input_shape": tuple(shape)})
    model = Sequential([again])
    actual = model.predict(data)
    _check_shape(f"{about}, made again", told, actual.shape)
    _check_values(expected_output, actual)
    _check_copy(model, actual, data)
    return actual


def _input_of(shape: Any, dtype: Any, data: Any) -> tuple[np.ndarray, Any, Any]:
    if data is None:
        if shape is None:
            raise ValueError("input_shape is None")
        dtype = dtype or "float32"
        sizes = [np.random.randint(1, 4) if each is None else each for each in shape]  # noqa: NPY002
        data = 10 * np.random.random(sizes)  # noqa: NPY002
        data = (data - 0.5 if str(dtype).startswith("float") else data).astype(dtype)
    return data, data.shape if shape is None else shape, data.dtype if dtype is None else dtype


def _check_shape(about: str, expected: Any, actual: Any) -> None:
    expected, actual = TensorShape(expected), TensorShape(actual)
    pairs = zip(expected.as_list(), actual.as_list(), strict=False)
    if expected.ndims != actual.ndims or any(a is not None and a != b for a, b in pairs):
        raise AssertionError(f"{about}: found output shape {actual}, not {expected}")


def _check_values(expected: Any, actual: Any) -> None:
    if expected is not None:
        np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-6)


def _check_copy(model: Any, output: Any, data: Any) -> None:
    """A model made from the config of another gives the same with the same weights."""
    copy = type(model).from_config(model.get_config())
    if model.weights:
        copy.set_weights(model.get_weights())
        _check_values(copy.predict(data), output)


class Bias(Layer):
    """Adds one number, which it learns."""

    def build(self, input_shape: Any) -> None:
        self.bias = self.add_variable("bias", (1,), initializer="zeros")

    def call(self, inputs: Any) -> Any:
        return inputs + self.bias


# ---- models -------------------------------------------------------------------------------------


def _last(num_classes: int) -> Dense:
    return Dense(num_classes, activation="sigmoid" if num_classes == 1 else "softmax")


def get_small_sequential_mlp(
    num_hidden: int, num_classes: int, input_dim: int | None = None
) -> Sequential:
    """Two dense layers in sequence."""
    given: dict[str, Any] = {"input_dim": input_dim} if input_dim else {}
    return Sequential([Dense(num_hidden, activation="relu", **given), _last(num_classes)])


def get_small_functional_mlp(num_hidden: int, num_classes: int, input_dim: int) -> Model:
    """Two dense layers, called one after the other."""
    inputs = Input(shape=(input_dim,))
    return Model(inputs, _last(num_classes)(Dense(num_hidden, activation="relu")(inputs)))


class SmallSubclassMLP(Model):
    """Two dense layers in a class, and layers that know training on request."""

    def __init__(
        self, num_hidden: int, num_classes: int, use_bn: bool = False, use_dp: bool = False
    ) -> None:
        super().__init__(name="test_model")
        self.use_bn, self.use_dp = use_bn, use_dp
        self.layer_a = Dense(num_hidden, activation="relu")
        self.layer_b = _last(num_classes)
        if use_dp:
            self.dp = Dropout(0.5)
        if use_bn:
            self.bn = BatchNormalization(axis=-1)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        x = self.layer_a(inputs)
        x = self.dp(x) if self.use_dp else x
        return self.layer_b(self.bn(x) if self.use_bn else x)


class _Chain(Model):
    """Layers in a row; a function gives them when the model is built, or a list before."""

    def __init__(self, layers: Any, name: str | None = None) -> None:
        super().__init__(name=name)
        self._make = layers if callable(layers) else None
        for i, layer in enumerate(() if callable(layers) else layers):
            setattr(self, f"layer{i}", layer)

    def build(self, input_shape: Any) -> None:
        if self._make is not None:
            for i, layer in enumerate(self._make()):
                setattr(self, f"layer{i}", layer)
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        x = inputs
        for layer in self.layers:
            x = layer(x)
        return x


def get_small_subclass_mlp(num_hidden: int, num_classes: int) -> Model:
    """Two dense layers in a class."""
    return SmallSubclassMLP(num_hidden, num_classes)


def get_small_subclass_mlp_with_custom_build(num_hidden: int, num_classes: int) -> Model:
    """Two dense layers in a class, made when the model is built."""
    return _Chain(lambda: [Dense(num_hidden, activation="relu"), _last(num_classes)])


def _by_type(**makers: Callable[[], Any]) -> Any:
    kind = get_model_type()
    if kind not in makers:
        raise ValueError(f"Unknown model type {kind}")
    return makers[kind]()


def get_small_mlp(num_hidden: int, num_classes: int, input_dim: int) -> Any:
    """Two dense layers, in a model of the type that is tested."""
    return _by_type(
        subclass=lambda: get_small_subclass_mlp(num_hidden, num_classes),
        subclass_custom_build=lambda: get_small_subclass_mlp_with_custom_build(
            num_hidden, num_classes
        ),
        sequential=lambda: get_small_sequential_mlp(num_hidden, num_classes, input_dim),
        functional=lambda: get_small_functional_mlp(num_hidden, num_classes, input_dim),
    )


def get_model_from_layers(
    layers: Sequence[Layer],
    input_shape: Any = None,
    input_dtype: Any = None,
    name: str | None = None,
    input_ragged: Any = None,
    input_sparse: Any = None,
) -> Any:
    """Layers one after the other, in a model of the type that is tested.

    Args:
      layers: the layers.
      input_shape: of one input, without the batch.
      input_dtype, input_ragged, input_sparse: of the input.
      name: of the model.
    """
    given = {"dtype": input_dtype}
    for key, value in (("ragged", input_ragged), ("sparse", input_sparse)):
        if value:
            given[key] = value

    def sequential() -> Sequential:
        start = [InputLayer(input_shape=input_shape, **given)] if input_shape else []
        return Sequential([*start, *layers], name=name)

    def functional() -> Model:
        if not input_shape:
            raise ValueError("Cannot create a functional model from layers with no input shape.")
        x = inputs = Input(shape=input_shape, **given)
        for layer in layers:
            x = layer(x)
        return Model(inputs, x, name=name)

    return _by_type(
        subclass=lambda: _Chain(layers, name),
        subclass_custom_build=lambda: _Chain(lambda: layers, name),
        sequential=sequential,
        functional=functional,
    )


def _branches(a: Any, b: Any, before: Any, after: Any, inputs: Any) -> Any:
    """Two rows of layers, perhaps with layers before they part and after they meet."""
    x = inputs
    for layer in before or ():
        x = layer(x)
    left, right = (x, x) if before else x
    for layer in a:
        left = layer(left)
    for layer in b:
        right = layer(right)
    outputs: Any = [left, right]
    for layer in after or ():
        outputs = layer(outputs)
    return outputs


class _TwoBranches(Model):
    def __init__(self, a: Any, b: Any, before: Any, after: Any) -> None:
        super().__init__()
        self._branch_a, self._branch_b = list(a), list(b)
        self._before, self._after = list(before or ()), list(after or ())

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return _branches(self._branch_a, self._branch_b, self._before, self._after, inputs)


def get_multi_io_model(
    branch_a: Sequence[Any],
    branch_b: Sequence[Any],
    shared_input_branch: Sequence[Any] | None = None,
    shared_output_branch: Sequence[Any] | None = None,
) -> Any:
    """Two rows of layers side by side, in a model of the type that is tested.

    Args:
      branch_a, branch_b: the layers; the first of each is an `Input`, unless they share one.
      shared_input_branch: an `Input` and layers in front of both.
      shared_output_branch: layers behind both; the first takes the two outputs.
    """
    if shared_input_branch:
        inputs, before, a, b = shared_input_branch[0], shared_input_branch[1:], branch_a, branch_b
    else:
        inputs, before = [branch_a[0], branch_b[0]], None
        a, b = branch_a[1:], branch_b[1:]
    if get_model_type() == "functional":
        shared = before if before or not shared_input_branch else [lambda x: x]
        return Model(inputs, _branches(a, b, shared, shared_output_branch, inputs))
    if get_model_type() == "sequential":
        raise ValueError("Cannot use `get_multi_io_model` to construct sequential models")
    return _TwoBranches(a, b, before, shared_output_branch)


# ---- the rest -----------------------------------------------------------------------------------


def get_v2_optimizer(name: str, **kwargs: Any) -> Any:
    """An optimizer of Keras by its name."""
    return get_optimizer({"class_name": name, "config": kwargs})


def get_expected_metric_variable_names(var_names: Sequence[str], name_suffix: str = "") -> list:
    """The names that variables of metrics have: a suffix tells those of one graph apart."""
    suffix = "" if stacks.executing_eagerly() else name_suffix
    return [f"{name}{suffix}:0" for name in var_names]


def enable_v2_dtype_behavior(fn: Callable) -> Callable:
    """Would let layers cast their inputs; they take them as they are."""
    return fn


disable_v2_dtype_behavior = enable_v2_dtype_behavior
