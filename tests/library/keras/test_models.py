"""Functional models, sequential ones, and those that a program writes as a class."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

L, Input, Model, Sequential = tf.keras.layers, tf.keras.Input, tf.keras.Model, tf.keras.Sequential
ONES = {"kernel_initializer": "ones"}


def test_an_output_must_come_from_the_inputs():
    with pytest.raises(ValueError, match="Graph disconnected: cannot obtain value for tensor"):
        Model(Input((4,)), L.Dense(3)(Input((4,))))


def test_operations_on_the_way_are_layers():
    x = Input((2,))
    model = Model(x, tf.nn.relu(x * [1.0, -1.0]) + tf.reduce_sum(x, axis=1, keepdims=True))
    names = sorted(layer.name for layer in model.layers)
    assert names == ["input_1", "tf_op_layer_Relu", "tf_op_layer_Sum", "tf_op_layer_add",
                     "tf_op_layer_mul"]  # fmt: skip


def test_layers_of_a_deep_model_run_in_order():
    x = Input((2,))
    h = x
    for _ in range(1200):  # deeper than Python recurses
        h = L.Flatten()(h)
    model = Model(x, h)
    assert len(model.layers) == 1201
    assert model(tf.ones([3, 2])).shape.as_list() == [3, 2]


def test_arguments_that_are_tensors_of_the_model_are_computed_anew():
    class Shifted(L.Layer):
        def call(self, inputs, by=None):
            return inputs + by

    a, b = Input((1,)), Input((1,))
    model = Model([a, b], Shifted()(a, by=L.Flatten()(b)))
    with tf.Session() as sess:
        assert sess.run(model([tf.ones([1, 1]), tf.fill([1, 1], 5.0)])) == [[6.0]]


def test_a_sequential_model_is_built_when_its_inputs_are_known():
    model = Sequential([L.Dense(3, **ONES)])
    assert not model.built and model.inputs is None
    model.add(L.Dense(1, **ONES))
    with pytest.raises(ValueError, match="This model has not yet been built"):
        model.summary()
    model(tf.ones([2, 4]))
    assert model.built and len(model.weights) == 4
    with pytest.raises(TypeError, match="must be an instance of class Layer"):
        model.add("dense")


def printed(model):
    lines = []
    model.summary(print_fn=lines.append)
    return lines


def test_the_summary_of_a_sequence():
    lines = printed(Sequential([L.Dense(3, input_shape=(4,)), L.Dropout(0.5)]))
    assert lines == [
        'Model: "sequential"',
        "_" * 65,
        "Layer (type)                 Output Shape              Param #   ",
        "=" * 65,
        "dense (Dense)                (None, 3)                 15        ",
        "_" * 65,
        "dropout (Dropout)            (None, 3)                 0         ",
        "=" * 65,
        "Total params: 15",
        "Trainable params: 15",
        "Non-trainable params: 0",
        "_" * 65,
    ]


def test_the_summary_of_a_graph_shows_what_is_joined():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    shared = L.Dense(3, name="shared")
    lines = printed(Model([a, b], shared(a) + shared(b)))
    assert lines[2].split() == "Layer (type) Output Shape Param # Connected to".split()
    rows = [line for line in lines if "shared" in line]
    columns = "shared (Dense)                  (None, 3)            15          a[0][0]"
    assert rows[0] == columns.ljust(98)
    assert [row.split()[-1] for row in rows[1:]] == ["shared[0][0]", "shared[1][0]"]
    assert "a (InputLayer)                  [(None, 4)]          0" in lines[4]


def test_a_class_needs_super_first_and_a_call():
    class Early(Model):
        def __init__(self):
            self.dense = L.Dense(1)

    with pytest.raises(RuntimeError, match="forgot to call `super"):
        Early()
    with pytest.raises(NotImplementedError, match="you should implement a `call` method"):
        Model()(tf.ones([1]))


def test_variables_beside_layers_are_constants_of_a_functional_model():
    with eager_mode():
        x = Input((2,))
        model = Model(x, x * tf.Variable([2.0, 3.0]))
        assert model(np.ones([1, 2], np.float32)).numpy().tolist() == [[2.0, 3.0]]


def test_a_built_layer_takes_floats_of_another_type_eagerly():
    with eager_mode():
        model = Sequential([L.Dense(1, input_shape=(2,), **ONES)])
        assert model(np.ones([1, 2])).numpy().tolist() == [[2.0]]


def test_averages_of_a_frozen_layer_stay():
    with eager_mode():
        layer = L.BatchNormalization()
        layer(tf.ones([2, 3]), training=True)
        moved = layer.moving_mean.numpy()
        layer.trainable = False
        layer(tf.ones([2, 3]), training=True)
        assert moved[0] > 0 and layer.moving_mean.numpy().tolist() == moved.tolist()


def test_variables_in_attributes_are_initialized_with_those_of_layers():
    class Scaled(Model):
        def __init__(self):
            super().__init__()
            self.factor = tf.Variable(3.0)

        def call(self, inputs):
            return inputs * self.factor

    model = Scaled()
    y = model(tf.ones([2]))
    assert tf.keras.backend.get_session().run(y).tolist() == [3.0, 3.0]


def test_texts_that_are_no_models_are_refused():
    from_json = tf.keras.models.model_from_json
    with pytest.raises(ValueError, match="Unknown layer: Evil"):
        from_json('{"class_name": "Evil", "config": {}}')
    with pytest.raises(ValueError, match="Improperly formatted config of a Model: KeyError"):
        from_json('{"class_name": "Model", "config": {"name": "m"}}')
    with pytest.raises(ValueError, match="Improperly formatted model config"):
        from_json(
            '{"class_name": "Model", "config": {"name": "m", "layers": [{"name": "a", "class_name":'
            ' "Flatten", "config": {}, "inbound_nodes": [[["a", 0, 0, {}]]]}], "input_layers": [],'
            ' "output_layers": []}}'
        )
    with pytest.raises(TypeError, match="expects a dictionary, not a list"):
        tf.keras.models.model_from_config([])


def test_weights_loaded_before_build_arrive_when_it_builds(tmp_path):
    with eager_mode():
        first, second = (tf.keras.Sequential([tf.keras.layers.Dense(2)]) for _ in range(2))
        first.build((None, 3))
        first.save_weights(str(tmp_path / "w"))
        second.load_weights(str(tmp_path / "w"))
        second.build((None, 3))
        np.testing.assert_array_equal(second.get_weights()[0], first.get_weights()[0])


def test_a_model_in_sequence_has_no_weights_before_its_inputs_are_known() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    for name in ("weights", "trainable_weights", "non_trainable_weights", "variables"):
        with pytest.raises(ValueError, match="Weights for model .* have not yet been created"):
            getattr(model, name)
    model.build((None, 2))
    assert len(model.weights) == 2


def test_a_layer_that_is_added_after_training() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    for _ in range(2):
        model.compile("sgd", "mse")
        model.fit(np.ones([1, 3]), np.ones([1, 3]), verbose=0)
        model.add(tf.keras.layers.Dense(3))
    model.build((None, 3))
    assert [w.shape.as_list() for w in model.weights] == [[3, 3], [3]] * 3


def test_layers_of_two_outputs_stand_in_no_sequence() -> None:
    class Two(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs, inputs

    for layers in ([Two(input_shape=(3,))], [tf.keras.layers.Dense(1, input_shape=(3,)), Two()]):
        with pytest.raises(ValueError, match="should have a single output tensor"):
            tf.keras.Sequential(layers)
    with pytest.raises(ValueError, match="should have a single output tensor"):
        tf.keras.Sequential([Two()])(tf.ones([2, 3]))
