"""The functions of `tf.keras.backend`, and activations, initializers, regularizers, constraints."""

from ..case import programs, table

PRELUDE = """
    K = tf.keras.backend; keras = tf.keras
    x = tf.constant([[1., -2., 3., .5], [0., 1., -1., 2.]], name="x"); x3 = tf.reshape(tf.sin(tf.range(24.)), [2, 3, 4])
    y3 = tf.reshape(tf.cos(tf.range(40.)), [2, 5, 4]); w = tf.reshape(tf.cos(tf.range(12.)), [4, 3])
    im = tf.reshape(tf.sin(tf.range(64.)), [2, 4, 4, 2]); k4 = tf.reshape(tf.cos(tf.range(24.)), [2, 2, 2, 3])
    vol = tf.reshape(tf.sin(tf.range(54.)), [1, 3, 3, 3, 2]); p = tf.constant([[.2, .7, .1], [.5, .25, .25]]); t = tf.constant([[0., 1., 0.], [1., 0., 0.]])
"""

ROWS = """
sum | K.sum(x3, axis=1) | x3
sum_all | K.sum(x3)
sum_keep | K.sum(x3, axis=[1, 2], keepdims=True) | x3
mean | K.mean(x3, axis=-1) | x3
mean_bool | K.mean(K.equal(K.round(x), x))
mean_keep | K.mean(x3, 1, True)
std | K.std(x3, axis=1) | x3
max | K.max(x3, axis=1)
argmax | K.argmax(x)
cumsum | K.cumsum(x, axis=1) | x
cumprod | K.cumprod(x3, axis=2)
abs | K.abs(x) | x
sqrt | K.sqrt(K.abs(x))
exp | K.exp(x) | x
log | K.log(K.square(x) + 1.) | x
pow | K.pow(x, 2) | x
clip | K.clip(x, -.5, 1.) | x
clip_crossed | K.clip(x, 1., -1.)
equal | K.equal(x, 1.)
greater | K.greater(x, x3[:, 0])
maximum | K.maximum(x, 0.) | x
concatenate | K.concatenate([x3, y3], axis=1) | x3 y3
concatenate_last | K.concatenate([x, x]) | x
reshape | K.reshape(x, (4, 2)) | x
transpose | K.transpose(x) | x
flatten | K.flatten(x3)
squeeze | K.squeeze(x3[:, :1], 1)
repeat | K.repeat(x, 3) | x
stack | K.stack([x, x], axis=1)
one_hot | K.one_hot(tf.constant([0, 2]), 3)
cast | K.cast(x, "int32")
cast_to_floatx | K.cast_to_floatx(tf.constant([1, 2]))
zeros_like | K.zeros_like(x)
ones_like | K.ones_like(x)
in_train | K.in_train_phase(x + 1., x, training=True)
relu | K.relu(x) | x
relu_all | K.relu(x, alpha=.1, max_value=2., threshold=.6) | x
relu_leaky | K.relu(x, alpha=.3) | x
relu_6 | K.relu(4. * x, max_value=6) | x
relu_max | K.relu(x, max_value=2.) | x
relu_threshold | K.relu(x, threshold=.75) | x
elu | K.elu(x, .5) | x
softmax | K.softmax(x) | x
softmax_axis | K.softmax(x3, axis=1) | x3
softplus | K.softplus(x) | x
hard_sigmoid | K.hard_sigmoid(x) | x
resize_images | K.resize_images(im, 2, 3, "channels_last") | im
resize_images_bilinear | K.resize_images(im, 2, 2, "channels_last", "bilinear") | im
resize_images_first | K.resize_images(im, 2, 3, "channels_first")
categorical | K.categorical_crossentropy(t, p) | p
categorical_logits | K.categorical_crossentropy(t, p, from_logits=True) | p
categorical_softmax | K.categorical_crossentropy(t, tf.nn.softmax(p)) | p
sparse_categorical | K.sparse_categorical_crossentropy(tf.constant([1, 0]), p) | p
sparse_categorical_logits | K.sparse_categorical_crossentropy(tf.constant([1., 0.]), p, from_logits=True) | p
sparse_categorical_3 | K.sparse_categorical_crossentropy(tf.constant([[1, 0, 2], [0, 1, 3]]), tf.nn.softmax(x3)) | x3
sparse_categorical_column | K.sparse_categorical_crossentropy(tf.constant([[1], [0]]), p) | p
binary | K.binary_crossentropy(t, p) | p
binary_logits | K.binary_crossentropy(t, p, from_logits=True) | p
binary_sigmoid | K.binary_crossentropy(t, tf.sigmoid(p)) | p
foldl | K.foldl(lambda a, b: a + b, x)
foldr | K.foldr(lambda a, b: a - b, x)
activation_relu | keras.activations.relu(x, alpha=.2) | x
activation_elu | keras.activations.elu(x) | x
activation_selu | keras.activations.get("selu")(x) | x
activation_exponential | keras.activations.exponential(x) | x
activation_softmax | keras.activations.softmax(x3, axis=1) | x3
activation_linear | keras.activations.get(None)(x)
activation_hard_sigmoid | keras.activations.get("hard_sigmoid")(x) | x
regularizer_l1 | keras.regularizers.l1(.5)(x) | x
regularizer_l2 | keras.regularizers.l2(.5)(x) | x
regularizer_l1_l2 | keras.regularizers.l1_l2(.5, .25)(x) | x
regularizer_get | keras.regularizers.get("l2")(x)
regularizer_config | keras.regularizers.get({"class_name": "L1L2", "config": {"l1": 1., "l2": 0.}})(x)
max_norm | keras.constraints.MaxNorm(1.)(x) | x
max_norm_axis | keras.constraints.max_norm(1., axis=[1, 2])(x3)
non_neg | keras.constraints.NonNeg()(x)
unit_norm | keras.constraints.UnitNorm()(x)
min_max_norm | keras.constraints.MinMaxNorm(.5, 1.5, rate=.5, axis=1)(x)
initializer_ones | keras.initializers.Ones()([2, 3])
initializer_constant | keras.initializers.get("constant")([2])
initializer_constant_config | keras.initializers.get({"class_name": "Constant", "config": {"value": 3.}})([2])
initializer_identity | keras.initializers.identity(2.)([3, 3])
"""

CASES = [
    *table("keras_backend", PRELUDE, ROWS, word="value"),
    *programs(
        "keras_backend",
        {
            "learning_phase": """
            K = tf.keras.backend
            y = K.in_train_phase(tf.constant(1.), tf.constant(2.))
            phase = K.learning_phase()
            show(phase, run(y), run(y, {phase: True}))
            K.set_learning_phase(1)
            show(K.learning_phase(), run(K.in_train_phase(tf.constant(1.), lambda: tf.constant(2.))))
        """,
            "configurations": """
            keras = tf.keras
            for made in (keras.initializers.RandomNormal(seed=1), keras.initializers.RandomUniform(), keras.initializers.TruncatedNormal(stddev=1.),
                    keras.initializers.VarianceScaling(2.), keras.initializers.glorot_uniform(), keras.initializers.Orthogonal(), keras.initializers.Identity(2.),
                    keras.initializers.get("normal"), keras.initializers.get("uniform"), keras.initializers.get("glorot_normal"), keras.initializers.get("zero"),
                    keras.regularizers.l1_l2(.5, .25), keras.constraints.MaxNorm(3), keras.constraints.MinMaxNorm(), keras.constraints.UnitNorm(axis=1),
                    keras.constraints.get("non_neg")):
                show(sorted(made.get_config().items(), key=str))
                again = type(made).from_config(made.get_config())
                show(type(made).__name__ == type(again).__name__, again.get_config() == made.get_config())
            show(keras.activations.serialize(keras.activations.relu), keras.activations.get("tanh").__name__, keras.regularizers.get(None))
        """,
            "random_initializers": """
            keras = tf.keras
            for name in ("random_normal", "random_uniform", "truncated_normal", "he_normal", "lecun_uniform", "glorot_uniform"):
                moments(keras.initializers.get(name)([400, 100]))
        """,
            "refusals": """
            keras = tf.keras; K = keras.backend
            fails(lambda: keras.initializers.get(3)); fails(lambda: keras.regularizers.get(3))
            fails(lambda: K.set_learning_phase(2))
        """,
        },
    ),
]
