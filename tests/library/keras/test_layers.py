"""Layers of Keras: what comparing with TensorFlow does not show."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.keras.engine.base_layer import LAYERS
from minitf.library.keras.layers import named  # noqa: F401  (makes all layers known)
from minitf.library.platform.namespaces import entries_of, stub_of

L = tf.keras.layers

#: what each class is made with, where it needs something
NEEDED = {
    "units": 3, "filters": 2, "kernel_size": 2, "rate": 0.5, "stddev": 0.5, "activation": "relu",
    "target_shape": (2, 2), "dims": (2, 1), "n": 2, "function": abs, "input_dim": 5,
    "output_dim": 2, "axes": 1, "l1": 0.1, "scale": 0.5, "height": 3, "width": 2,
    "equation": "ab,bc->ac", "output_shape": 4, "num_heads": 2, "key_dim": 3,
}  # fmt: skip
ABSTRACT = {"AbstractRNNCell", "Layer", "InputLayer", "DenseFeatures"}
CLASSES = sorted(
    {
        getattr(L, name)
        for name in entries_of(stub_of("minitf.keras.layers"))
        if name not in ABSTRACT
        and inspect.isclass(getattr(L, name))
        and issubclass(getattr(L, name), L.Layer)
    },
    key=lambda cls: cls.__name__,
)


def make(cls: type) -> L.Layer:
    """A layer with the least arguments."""
    if cls in (L.Wrapper, L.TimeDistributed):
        return cls(L.Dense(2))
    if cls is L.Bidirectional:
        return cls(L.GRU(2))
    if cls is L.RNN:
        return cls([L.LSTMCell(2), L.GRUCell(3)])
    if cls is L.StackedRNNCells:
        return cls([L.LSTMCell(2)])
    needed = [
        p.name
        for p in inspect.signature(cls).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    return cls(**{name: NEEDED[name] for name in needed})


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_layer_is_made_again_from_its_configuration(cls):
    assert LAYERS[cls.__name__] is cls
    layer = make(cls)
    with tf.keras.utils.custom_object_scope({"abs": abs}):
        again = L.deserialize(json.loads(json.dumps(L.serialize(layer))))
    assert type(again) is cls
    assert json.dumps(again.get_config(), default=str) == json.dumps(
        layer.get_config(), default=str
    )


def test_a_subclass_of_a_program_tells_what_its_base_takes():
    class Twice(L.Dense):
        def __init__(self, units, times=2, **kwargs):
            super().__init__(units, **kwargs)
            self.times = times

        def get_config(self):
            return {**super().get_config(), "times": self.times}

    config = Twice(4, times=3, activation="tanh").get_config()
    assert (config["units"], config["times"], config["activation"]) == (4, 3, "tanh")
    assert Twice.from_config(config).times == 3


def test_code_does_not_come_from_a_configuration():
    config = L.serialize(L.Lambda(lambda x: x + 1))
    read = json.loads(json.dumps(config))
    with pytest.raises(ValueError, match="Code in a configuration is not run"):
        L.deserialize(read)
    copy = L.deserialize(config)  # what never was text still has its function
    with tf.Session() as sess:
        assert sess.run(copy(tf.constant([1.0]))).tolist() == [2.0]


@pytest.mark.parametrize("cell", [tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.GRUCell])
def test_a_cell_of_tf_nn_runs_in_a_layer(cell):
    x = tf.ones([2, 4, 3])
    layer = L.RNN(cell(5), return_sequences=True)
    y = layer(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(y).shape == (2, 4, 5)


@pytest.mark.parametrize(
    ("cudnn", "plain", "split"),
    [
        (L.CuDNNLSTM(4), L.LSTM(4, recurrent_activation="sigmoid"), False),
        (L.CuDNNGRU(4), L.GRU(4, recurrent_activation="sigmoid", reset_after=True), True),
    ],
)
def test_layers_of_cudnn_do_the_plain_arithmetic(cudnn, plain, split):
    cudnn, plain = (type(x).from_config(x.get_config()) for x in (cudnn, plain))
    x = tf.constant(np.random.RandomState(1).rand(2, 3, 5).astype(np.float32))
    ours, theirs = cudnn(x), plain(x)
    kernel, recurrent, bias = (v.shape.as_list() for v in cudnn.weights)
    rng = np.random.RandomState(2)
    weights = [rng.rand(*shape).astype(np.float32) - 0.5 for shape in (kernel, recurrent, bias)]
    two = weights[2].reshape(2, -1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        cudnn.set_weights(weights)
        plain.set_weights([*weights[:2], two if split else two.sum(0)])
        np.testing.assert_allclose(*sess.run([ours, theirs]), rtol=1e-5)


def test_a_stateful_layer_goes_on_where_it_ended():
    model = tf.keras.Sequential([L.GRU(3, stateful=True, batch_input_shape=(2, 4, 1))])
    x = np.random.RandomState(1).rand(2, 8, 1).astype(np.float32)
    whole = L.GRU(3)
    y = whole(tf.constant(x))
    whole.set_weights(model.get_weights())
    model.predict(x[:, :4])
    np.testing.assert_allclose(
        model.predict(x[:, 4:]), tf.keras.backend.get_value(y), rtol=1e-4, atol=1e-6
    )
    first = model.predict(x[:, :4])
    model.reset_states()
    assert not np.allclose(model.predict(x[:, :4]), first)
    with pytest.raises(ValueError, match="State 0 is incompatible"):
        model.layers[0].reset_states(np.ones([1, 3]))


def test_layers_of_tf_layers_take_the_arguments_of_their_day():
    names = list(inspect.signature(tf.layers.Conv2DTranspose).parameters)
    assert names[:6] == [
        "filters",
        "kernel_size",
        "strides",
        "padding",
        "data_format",
        "activation",
    ]
    assert names[-3:] == ["trainable", "name", "kwargs"]
    with pytest.raises(TypeError, match="strides"):
        tf.layers.MaxPooling2D(2)
    assert tf.layers.Dense(3).kernel_initializer is None
    assert isinstance(tf.layers.Dense(3), L.Dense)


def test_configurations_of_later_releases_are_read_where_they_ask_for_nothing_new():
    config = {**L.Conv2D(2, 3).get_config(), "groups": 1}
    config["kernel_initializer"] = {"class_name": "HeNormal", "config": {"seed": 7}}
    layer = L.Conv2D.from_config(config)
    assert (layer.kernel_initializer.scale, layer.kernel_initializer.seed) == (2.0, 7)
    assert L.GlobalMaxPooling2D.from_config({"keepdims": False}).name
    with pytest.raises(TypeError, match="groups"):
        L.Conv2D.from_config({**config, "groups": 2})


def test_arguments_of_old_releases():
    assert tf.keras.layers.SimpleRNN(3, implementation=2).units == 3


class _Counting(tf.keras.layers.Layer):
    """A cell of the user's, which no scope of custom objects knows."""

    state_size = output_size = 1

    def call(self, inputs, states):
        return states[0] + 1.0, [states[0] + 1.0]


def test_both_directions_of_a_cell_of_ones_own() -> None:
    both = tf.keras.layers.Bidirectional(tf.keras.layers.RNN(_Counting(), return_sequences=True))
    with tf.Session() as session:
        given = session.run(both(tf.zeros([1, 3, 1])))
    np.testing.assert_array_equal(given[0], [[1, 3], [2, 2], [3, 1]])


class _Scaled(tf.keras.layers.Layer):
    """One's own, without `get_config`; it has a layer inside, an update and a loss."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.inner = tf.keras.layers.BatchNormalization()
        self.units = units

    def build(self, shape: Any) -> None:
        self.kernel = self.add_weight("kernel", [int(shape[-1]), self.units])
        super().build(shape)

    def call(self, x: Any) -> Any:
        self.add_loss(tf.reduce_sum(x), inputs=x)
        return self.inner(tf.matmul(x, self.kernel))


def test_the_output_shape_of_ones_own_layer_needs_no_configuration() -> None:
    with eager_mode():
        layer = _Scaled(3)
        assert layer.compute_output_shape([None, 4]).as_list() == [None, 3]
        kernel = layer.kernel
        assert layer(tf.ones([2, 4])).shape.as_list() == [2, 3] and layer.kernel is kernel
        assert layer.compute_output_shape((7, 4)).as_list() == [7, 3] and not layer.losses
        layer(tf.ones([2, 4]))
        assert [float(loss) for loss in layer.losses] == [8.0]
    with pytest.raises(NotImplementedError, match="must override `get_config`"):
        _Scaled(3).compute_output_shape([None, 4])


class _Doubled(tf.keras.layers.Layer):
    """One's own, with a layer that nobody named."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = tf.keras.layers.Dense(2)

    def call(self, x: Any) -> Any:
        return self.inner(x) * 2.0


def test_to_ask_for_an_output_shape_leaves_the_graph_alone() -> None:
    layers = tf.keras.layers
    with tf.Graph().as_default() as graph:
        model = tf.keras.Sequential([layers.Dense(2, input_shape=(4,))])
        made = graph.get_operations()
        flat, steps = (None, 4), (None, 5, 4)
        asked = {model: flat, layers.TimeDistributed(model): steps, _Doubled(): flat}
        for layer, shape in asked.items():
            assert layer.compute_output_shape(shape).as_list() == [*shape[:-1], 2]
        assert graph.get_operations() == made
        assert layers.Dense(1).name == "dense_2"


def test_the_shapes_of_what_a_function_makes_may_be_a_nest() -> None:
    other = tf.keras.layers.Lambda(lambda x: (x[1]["a"], {"b": x[0]}))
    found = other.compute_output_shape(((10, 20), {"a": (10, 5)}))
    assert found == ([10, 5], {"b": [10, 20]})
