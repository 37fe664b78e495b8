"""Layers of Keras: what they compute with the same weights, their gradients, their configurations."""

from ..case import Case, programs

PRELUDE = """
import json
keras = tf.keras; L = keras.layers; K = keras.backend
def wave(*shape):
    return tf.reshape(tf.sin(tf.range(float(np.prod(shape))) * 1.3), shape)
x = wave(3, 4); x2 = tf.cos(wave(3, 4)); seq = wave(2, 5, 3); im = wave(2, 5, 6, 2); ids = tf.constant([[1, 2, 0], [3, 0, 0]])
mask = tf.constant([[True, True, False, True, False], [False, True, True, True, True]]); h = wave(2, 4); c = tf.cos(wave(2, 4)); film = wave(1, 3, 4, 4, 2)
def clean(value):
    if isinstance(value, dict):
        new = ("module", "registered_name", "build_config", "groups", "sparse", "keepdims", "ragged", "score_mode", "dtype")
        kept = {k: clean(v) for k, v in value.items() if k not in new}
        if kept.get("class_name") in ("L1", "L2", "L1L2"):
            return sorted(v for v in kept["config"].values() if v)
        apart = {"use_scale": "dropout causal", "noise_shape": "data_format", "function": "function function_type output_shape output_shape_module output_shape_type mask module",
            "pointwise_initializer": "kernel_initializer kernel_regularizer kernel_constraint"}
        for key in [key for mark, keys in apart.items() if mark in kept for key in keys.split()]:
            kept.pop(key, None)
        return {k: kept[k] for k in ("class_name", "config")} if "class_name" in kept else kept
    return [clean(v) for v in value] if isinstance(value, (list, tuple)) else value
def go(layer, *inputs, **options):
    y = layer(inputs[0] if len(inputs) == 1 else list(inputs), **options)
    weights = layer.weights
    run(tf.constant(0.))
    for i, w in enumerate(weights):
        n = int(np.prod(w.shape.as_list()))
        session().run(w.assign(tf.constant((.3 + .25 * np.cos(1.7 * np.arange(n) + i)).reshape(w.shape.as_list()).astype(w.dtype.base_dtype.as_numpy_dtype))))
    outputs = y if isinstance(y, list) else [y]
    show([o.shape for o in outputs], [o.dtype for o in outputs], [w.shape for w in weights], len(layer.trainable_weights), run(outputs))
    total = tf.add_n([tf.reduce_sum(tf.square(tf.cast(o, tf.float32) - .3)) for o in outputs])
    sources = [i for i in inputs if i.dtype.is_floating] + [w + 0. if False else w for w in layer.trainable_weights]
    found = tf.gradients(total, sources) if sources else []
    show([g is None for g in found], run([tf.convert_to_tensor(g) for g in found if g is not None]))
    show([loss.shape for loss in layer.losses], run([tf.convert_to_tensor(loss) for loss in layer.losses]))
    config = layer.get_config()
    config.pop("name"); config.pop("dtype", None)
    show(json.dumps(clean(config), sort_keys=True, default=lambda v: v.tolist() if hasattr(v, "tolist") else list(v)))
"""

ROWS = """
dense | L.Dense(3) | x
dense_relu | L.Dense(3, activation="relu") | x
dense_rank_3 | L.Dense(4, "tanh", use_bias=False) | seq
dense_regularized | L.Dense(2, kernel_regularizer=keras.regularizers.l2(.1), bias_regularizer="l1", activity_regularizer=keras.regularizers.l1(.5)) | x
dense_constraints | L.Dense(2, kernel_constraint="max_norm", bias_initializer="ones", kernel_initializer="orthogonal") | x
dense_input_shape | L.Dense(2, input_shape=(4,)) | x
activation | L.Activation("relu") | x
activation_function | L.Activation(tf.tanh) | x
activation_softmax | L.Activation("softmax") | seq
dropout | L.Dropout(.5) | x
dropout_noise | L.Dropout(.5, noise_shape=(None, 1), seed=3) | x
flatten | L.Flatten() | im
flatten_first | L.Flatten(data_format="channels_first") | im
reshape | L.Reshape((5, 12)) | im
reshape_open | L.Reshape((-1, 4)) | im
repeat_vector | L.RepeatVector(3) | x
lambda_ | L.Lambda(lambda v: v ** 2) | x
masking | L.Masking(mask_value=0.) | seq
conv1d | L.Conv1D(3, 2) | seq
conv1d_causal | L.Conv1D(3, 2, padding="causal", dilation_rate=2, activation="relu") | seq
conv1d_same | L.Conv1D(2, 3, strides=2, padding="same") | seq
conv2d | L.Conv2D(3, 2) | im
conv2d_tuple | L.Conv2D(3, (2, 3), (2, 1), "same", activation="relu") | im
conv2d_dilated | L.Conv2D(2, 2, dilation_rate=(2, 1), use_bias=False) | im
conv2d_regularized | L.Conv2D(2, 2, kernel_regularizer=keras.regularizers.l1_l2(.1, .2)) | im
conv2d_valid | L.Convolution2D(2, (3, 3), padding="valid", kernel_initializer="random_normal") | im
conv2d_transpose | L.Conv2DTranspose(3, 3, strides=2, padding="same") | im
conv2d_transpose_valid | L.Conv2DTranspose(2, (2, 3), (2, 3), activation="tanh") | im
conv2d_transpose_more | L.Conv2DTranspose(2, 3, 2, "same", output_padding=1) | im
conv2d_transpose_less | L.Conv2DTranspose(2, 3, 2, "valid", output_padding=0) | im
depthwise | L.DepthwiseConv2D(2) | im
depthwise_many | L.DepthwiseConv2D((2, 3), strides=(1, 1), padding="same", depth_multiplier=2, activation="relu") | im
depthwise_strides | L.DepthwiseConv2D(3, 2, use_bias=False) | im
separable_1d | L.SeparableConv1D(3, 2) | seq
separable_1d_same | L.SeparableConv1D(3, 2, padding="same", depth_multiplier=2) | seq
separable_2d | L.SeparableConv2D(3, 2) | im
separable_2d_same | L.SeparableConv2D(2, (3, 2), strides=2, padding="same", depth_multiplier=2, activation="relu") | im
up_sampling_2d | L.UpSampling2D() | im
up_sampling_2d_bilinear | L.UpSampling2D((2, 3), interpolation="bilinear") | im
zero_padding_2d | L.ZeroPadding2D() | im
zero_padding_2d_pairs | L.ZeroPadding2D(((1, 0), (0, 2))) | im
zero_padding_2d_first | L.ZeroPadding2D((1, 2), data_format="channels_first") | im
max_pooling_1d | L.MaxPooling1D() | seq
max_pooling_1d_same | L.MaxPool1D(3, strides=1, padding="same") | seq
max_pooling_2d | L.MaxPooling2D() | im
max_pooling_2d_strides | L.MaxPooling2D(pool_size=(3, 2), strides=(1, 2), padding="same") | im
average_pooling_1d | L.AveragePooling1D(2) | seq
average_pooling_2d | L.AveragePooling2D((2, 2), padding="same") | im
global_max_1d | L.GlobalMaxPooling1D() | seq
global_max_2d | L.GlobalMaxPooling2D() | im
global_max_2d_first | L.GlobalMaxPool2D(data_format="channels_first") | im
global_average_1d | L.GlobalAveragePooling1D() | seq
global_average_1d_mask | L.GlobalAveragePooling1D() | seq | mask=mask
global_average_2d | L.GlobalAveragePooling2D() | im
batch_normalization | L.BatchNormalization() | x
batch_normalization_training | L.BatchNormalization() | x | training=True
batch_normalization_image | L.BatchNormalization(momentum=.9, epsilon=.01) | im | training=True
batch_normalization_axis | L.BatchNormalization(axis=1, scale=False) | seq | training=True
batch_normalization_plain | L.BatchNormalization(center=False, scale=False, fused=False) | im | training=True
layer_normalization | L.LayerNormalization() | x
layer_normalization_axes | L.LayerNormalization(axis=[1, 2], epsilon=.01) | seq
layer_normalization_axis | L.LayerNormalization(axis=1, center=False) | seq
gaussian_noise | L.GaussianNoise(.5) | x
gaussian_dropout | L.GaussianDropout(.5) | x
alpha_dropout | L.AlphaDropout(.5) | x
embedding | L.Embedding(5, 3) | ids
embedding_length | L.Embedding(5, 2, input_length=3, embeddings_regularizer="l2", mask_zero=True) | ids
embedding_float | L.Embedding(5, 2) | tf.cast(ids,tf.float32)
simple_rnn | L.SimpleRNN(4) | seq
simple_rnn_sequences | L.SimpleRNN(4, activation="relu", return_sequences=True, use_bias=False) | seq
simple_rnn_state | L.SimpleRNN(4, return_state=True, go_backwards=True) | seq
simple_rnn_mask | L.SimpleRNN(4, return_sequences=True) | seq | mask=mask
simple_rnn_unroll | L.SimpleRNN(4, unroll=True, return_sequences=True) | seq | mask=mask
simple_rnn_initial | L.SimpleRNN(4) | seq | initial_state=h
lstm | L.LSTM(4) | seq
lstm_sequences | L.LSTM(4, return_sequences=True) | seq
lstm_state | L.LSTM(4, return_sequences=True, return_state=True) | seq
lstm_sigmoid | L.LSTM(4, recurrent_activation="sigmoid", unit_forget_bias=False) | seq
lstm_backwards | L.LSTM(4, go_backwards=True, return_sequences=True) | seq
lstm_mask | L.LSTM(4) | seq | mask=mask
lstm_mask_state | L.LSTM(4, return_sequences=True, return_state=True) | seq | mask=mask
lstm_unroll | L.LSTM(4, unroll=True) | seq
lstm_unroll_mask | L.LSTM(4, unroll=True, return_state=True) | seq | mask=mask
lstm_initial | L.LSTM(4, return_state=True) | seq | initial_state=[h,c]
lstm_regularized | L.LSTM(4, kernel_regularizer="l2", recurrent_regularizer="l1", activity_regularizer="l2") | seq
lstm_no_bias | L.LSTM(4, use_bias=False, activation="relu") | seq
lstm_implementation | L.LSTM(4, implementation=2) | seq
gru | L.GRU(4) | seq
gru_sequences | L.GRU(4, return_sequences=True, recurrent_activation="sigmoid") | seq
gru_reset_after | L.GRU(4, reset_after=True) | seq
gru_mask | L.GRU(4, return_state=True) | seq | mask=mask
gru_backwards | L.GRU(4, go_backwards=True) | seq
gru_unroll | L.GRU(4, unroll=True, return_sequences=True) | seq
gru_initial | L.GRU(4) | seq | initial_state=h
gru_no_bias | L.GRU(4, use_bias=False, reset_after=True) | seq
rnn_cells | L.RNN([L.LSTMCell(3), L.GRUCell(4)], return_state=False) | seq
rnn_cells_sequences | L.RNN([L.SimpleRNNCell(3), L.SimpleRNNCell(4)], return_sequences=True, go_backwards=True) | seq
rnn_cell | L.RNN(L.LSTMCell(4), return_sequences=True, unroll=True) | seq
rnn_time_major | L.RNN(L.GRUCell(4), time_major=True, return_sequences=True) | seq
stacked | L.RNN(L.StackedRNNCells([L.LSTMCell(3), L.LSTMCell(2)]), return_state=False) | seq
bidirectional | L.Bidirectional(L.LSTM(4)) | seq
bidirectional_sequences | L.Bidirectional(L.LSTM(4, return_sequences=True)) | seq
bidirectional_sum | L.Bidirectional(L.GRU(4), merge_mode="sum") | seq
bidirectional_mul | L.Bidirectional(L.SimpleRNN(4, return_sequences=True), merge_mode="mul") | seq
bidirectional_ave | L.Bidirectional(L.SimpleRNN(4), merge_mode="ave") | seq
bidirectional_none | L.Bidirectional(L.LSTM(4), merge_mode=None) | seq
bidirectional_mask | L.Bidirectional(L.LSTM(4, return_sequences=True)) | seq | mask=mask
bidirectional_state | L.Bidirectional(L.LSTM(4, return_state=True)) | seq
bidirectional_initial | L.Bidirectional(L.GRU(4)) | seq | initial_state=[h,c]
time_distributed | L.TimeDistributed(L.Dense(4)) | seq
time_distributed_conv | L.TimeDistributed(L.Conv2D(3, 2)) | film
time_distributed_pool | L.TimeDistributed(L.MaxPooling2D()) | film
time_distributed_flatten | L.TimeDistributed(L.Flatten()) | film
add | L.Add() | x x2
add_broadcast | L.Add() | seq tf.reduce_sum(seq,2,True)
subtract | L.Subtract() | x x2
multiply | L.Multiply() | x x2 x
average | L.Average() | x x2 x2
maximum | L.Maximum() | x x2
minimum | L.Minimum() | x x2
concatenate | L.Concatenate() | x x2
concatenate_axis | L.Concatenate(axis=1) | seq seq
leaky_relu | L.LeakyReLU() | x
leaky_relu_alpha | L.LeakyReLU(alpha=.1) | x
elu | L.ELU(.5) | x
softmax | L.Softmax() | x
softmax_axis | L.Softmax(axis=1) | seq
relu | L.ReLU() | x
relu_all | L.ReLU(max_value=.8, negative_slope=.1, threshold=.2) | x
"""


def rows() -> list[Case]:
    """One case of each row `name | layer | inputs | further arguments`."""
    cases = []
    for row in ROWS.strip().splitlines():
        name, layer, inputs, *more = (part.strip() for part in row.split(" | "))
        arguments = ", ".join([layer, *inputs.split(), *more])
        cases.append(Case(f"keras_layers/{name}", f"{PRELUDE.strip()}\ngo({arguments})\n", 1e-4))
    return cases


CASES = [
    *rows(),
    *programs(
        "keras_layers",
        {
            "names": """
            L = tf.keras.layers
            x = tf.placeholder(tf.float32, [None, 8, 8, 3])
            show(L.Conv2D(4, 3, activation="relu")(x), L.Conv2D(4, 3)(x), L.MaxPooling2D()(x), L.Flatten()(x), L.BatchNormalization()(x))
            f = L.Flatten()(x)
            show(L.Dense(3)(f), L.Dense(3, activation="softmax")(f), L.Dense(3, name="out")(f))
            show([v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()])
            show(L.Dense(3).name, L.LSTM(3).name, L.TimeDistributed(L.Dense(2)).name, L.Bidirectional(L.LSTM(2)).name)
        """,
            "random_layers": """
            L = tf.keras.layers
            x = tf.ones([200, 50])
            for layer in (L.Dropout(.25), L.GaussianNoise(.5), L.GaussianDropout(.5), L.AlphaDropout(.5)):
                moments(tf.identity(layer(x, training=True)))
        """,
            "learning_phase": """
            K = tf.keras.backend; L = tf.keras.layers
            x = tf.ones([1000])
            y = L.Dropout(.5)(x); z = L.BatchNormalization()(tf.reshape(tf.range(6.), [3, 2]))
            show(run([y, z]), run(z, {K.learning_phase(): 1}), float(run(y, {K.learning_phase(): True}).max()))
        """,
            "masks": """
            L = tf.keras.layers
            x = L.Embedding(5, 3, mask_zero=True)(tf.constant([[1, 2, 0], [3, 0, 0]]))
            show(run(x._keras_mask))
            y = L.LSTM(2, return_sequences=True)(x)
            show(run(y._keras_mask), run(L.Dense(2)(y)._keras_mask), getattr(L.LSTM(2)(y), "_keras_mask", None))
            z = L.Masking(2.)(tf.constant([[[2., 2.], [1., 2.]]]))
            show(run(z), run(z._keras_mask), run(L.TimeDistributed(L.Dense(1))(z)._keras_mask))
            show(run(L.Concatenate()([x, x])._keras_mask), run(L.Add()([x, x])._keras_mask))
        """,
            "shapes": """
            L = tf.keras.layers
            for layer, shape in ((L.Dense(3), (None, 4)), (L.Conv2D(3, 2, padding="same"), (None, 5, 6, 2)), (L.Conv2DTranspose(3, 2, 2), (2, 5, 6, 2)), (L.Flatten(), (None, 2, 3)),
                    (L.Reshape((3, -1)), (None, 6)), (L.MaxPooling2D(), (None, 5, 6, 2)), (L.LSTM(3), (None, 4, 2)), (L.LSTM(3, return_sequences=True), (2, None, 2)),
                    (L.Bidirectional(L.LSTM(3)), (None, 4, 2)), (L.TimeDistributed(L.Dense(3)), (None, 4, 2)), (L.UpSampling2D(), (None, 2, 2, 1)), (L.Embedding(5, 3), (None, 7)),
                    (L.ZeroPadding2D(), (None, 2, None, 1)), (L.GlobalAveragePooling2D(), (None, 2, 2, 5)), (L.RepeatVector(3), (None, 5)),
                    (L.BatchNormalization(), (None, 3)), (L.DepthwiseConv2D(2), (None, 5, 5, 2)), (L.SeparableConv2D(4, 2), (None, 5, 5, 2))):
                show(layer.compute_output_shape(tf.TensorShape(shape)))
            show(L.Concatenate().compute_output_shape([tf.TensorShape([None, 2]), tf.TensorShape([None, 3])]), L.Add().compute_output_shape([tf.TensorShape([None, 2]), tf.TensorShape([None, 2])]))
        """,
            "refusals": """
            L = tf.keras.layers; x = tf.ones([2, 3]); im = tf.ones([2, 4, 4, 1])
            fails(lambda: L.Reshape((2, 2))(x))
            fails(lambda: L.LSTM(3, unroll=True)(tf.placeholder(tf.float32, [2, None, 3])))
            fails(lambda: L.Dense(3, units_=3))
        """,
            "stateful": """
            L = tf.keras.layers; K = tf.keras.backend
            layer = L.GRU(2, stateful=True, kernel_initializer="ones", recurrent_initializer="ones")
            x = tf.constant(np.ones([1, 2, 3], np.float32) * .1)
            y = layer(x)
            run(y)
            first = session().run(y)
            with tf.control_dependencies(layer.updates):
                both = tf.identity(y)
            a = session().run(both); b = session().run(both)
            show(first, a, b, len(layer.updates), [s.shape for s in layer.states])
        """,
            "dynamic_batch": """
            L = tf.keras.layers
            x = tf.placeholder(tf.float32, [None, None, 3])
            y = L.LSTM(2, return_sequences=True, kernel_initializer="ones", recurrent_initializer="ones")(x)
            z = L.Bidirectional(L.GRU(2, kernel_initializer="ones", recurrent_initializer="ones"))(x)
            d = L.TimeDistributed(L.Dense(2, kernel_initializer="ones"))(x)
            show(y, z.shape, d.shape, run([y, z, d], {x: np.arange(24.).reshape(2, 4, 3) / 9.}))
        """,
            "dropout_in_cells": """
            L = tf.keras.layers
            x = tf.ones([50, 4, 20])
            y = L.LSTM(10, dropout=.5, recurrent_dropout=.5, kernel_initializer="ones")(x, training=False)
            show(run(y)[:2])
            y = L.SimpleRNN(1, dropout=.5, activation=None, kernel_initializer="ones", recurrent_initializer="zeros", return_sequences=True)(x, training=True)
            values = run(y)[:, :, 0]
            show(bool((values == values[:, :1]).all()), bool(values.std() > 1.))
        """,
            "own_cell": """
            L = tf.keras.layers
            class Minimal(L.Layer):
                def __init__(self, units, **kwargs):
                    self.units = units
                    self.state_size = units
                    super().__init__(**kwargs)
                def build(self, input_shape):
                    self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="kernel")
                    self.built = True
                def call(self, inputs, states):
                    output = tf.matmul(inputs, self.kernel) + .5 * states[0]
                    return output, [output]
            x = tf.reshape(tf.range(12.), [2, 3, 2])
            show(run(L.RNN(Minimal(2))(x)), run(L.RNN([Minimal(2), Minimal(3)], return_sequences=True)(x)))
        """,
            "functions": """
            L = tf.keras.layers; x = tf.constant([[1., 2.]]); y = tf.constant([[3., -1.]])
            show(run([L.add([x, y]), L.subtract([x, y]), L.multiply([x, y]), L.average([x, y]), L.maximum([x, y]), L.minimum([x, y]), L.concatenate([x, y])]))
        """,
            "eager": """
            # eager
            L = tf.keras.layers
            x = tf.reshape(tf.sin(tf.range(30.)), [2, 5, 3]); im = tf.reshape(tf.sin(tf.range(64.)), [2, 4, 4, 2])
            for layer, given in ((L.Dense(3, kernel_initializer="ones"), x), (L.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones"), x), (L.Conv2D(2, 2, kernel_initializer="ones"), im),
                    (L.GRU(2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True), x), (L.BatchNormalization(), im), (L.MaxPooling2D(), im), (L.Flatten(), im),
                    (L.Bidirectional(L.SimpleRNN(2, kernel_initializer="ones", recurrent_initializer="ones")), x), (L.TimeDistributed(L.Dense(1, kernel_initializer="ones")), x),
                    (L.Dropout(.5), x), (L.LayerNormalization(), x), (L.LeakyReLU(), x), (L.GlobalAveragePooling2D(), im), (L.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", unroll=True), x)):
                with tf.GradientTape() as tape:
                    tape.watch(given)
                    y = layer(given)
                    loss = tf.reduce_sum(y * y)
                show(y.numpy(), tape.gradient(loss, given).numpy(), len(layer.weights))
        """,
            "strides_and_dilation": """
            K, T = tf.keras.layers, tf.layers; images = tf.ones([1, 8, 8, 3])
            for layer in (K.Conv1D, K.Conv2D, K.SeparableConv1D, K.SeparableConv2D, K.Conv2DTranspose, T.Conv1D, T.Conv2D, T.SeparableConv2D):
                fails(layer, 2, 3, strides=2, dilation_rate=2)
            fails(K.DepthwiseConv2D, 3, strides=(1, 2), dilation_rate=(2, 1)); fails(K.Conv2D, 2, 3, strides=(1, 2), dilation_rate=(2, 1)); fails(T.conv2d, images, 2, 3, strides=2, dilation_rate=2)
            show(K.Conv2D(2, 3, strides=2)(images).shape, K.Conv2D(2, 3, dilation_rate=2)(images).shape)
        """,
            "eager_batch_normalization": """
            # eager
            layer = tf.keras.layers.BatchNormalization(momentum=.5)
            x = tf.constant([[1., 2.], [3., 6.]])
            show(layer(x, training=True).numpy(), [w.numpy() for w in layer.weights], layer(x).numpy())
        """,
        },
        rtol=1e-4,
    ),
]
