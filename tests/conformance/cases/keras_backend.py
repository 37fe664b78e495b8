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
dot | K.dot(x, w) | x w
dot_3 | K.dot(x3, w) | x3 w
dot_3_3 | K.dot(x3, tf.reshape(y3, [2, 4, 5])) | x3 y3
batch_dot | K.batch_dot(x3, y3, axes=2) | x3 y3
batch_dot_pair | K.batch_dot(x3, tf.transpose(y3, [0, 2, 1]), axes=(2, 1)) | x3 y3
batch_dot_default | K.batch_dot(x3, tf.transpose(y3, [0, 2, 1])) | x3 y3
batch_dot_first | K.batch_dot(tf.transpose(x3, [0, 2, 1]), tf.transpose(y3, [0, 2, 1]), axes=1) | x3 y3
batch_dot_2 | K.batch_dot(x, x, axes=1) | x
batch_dot_2_3 | K.batch_dot(x, x3, axes=(1, 2)) | x x3
batch_dot_4 | K.batch_dot(tf.reshape(x3, [2, 3, 2, 2]), tf.reshape(y3, [2, 5, 2, 2]), axes=(2, 3)) | x3 y3
sum | K.sum(x3, axis=1) | x3
sum_all | K.sum(x3)
sum_keep | K.sum(x3, axis=[1, 2], keepdims=True) | x3
mean | K.mean(x3, axis=-1) | x3
mean_bool | K.mean(K.equal(K.round(x), x))
mean_keep | K.mean(x3, 1, True)
std | K.std(x3, axis=1) | x3
var | K.var(x3, axis=1) | x3
prod | K.prod(x, axis=1)
max | K.max(x3, axis=1)
min | K.min(x3)
any | K.any(x > 2., axis=1)
all | K.all(x, axis=1)
argmax | K.argmax(x)
argmin | K.argmin(x, axis=0)
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
permute | K.permute_dimensions(x3, (0, 2, 1)) | x3
transpose | K.transpose(x) | x
flatten | K.flatten(x3)
batch_flatten | K.batch_flatten(x3) | x3
expand | K.expand_dims(x)
squeeze | K.squeeze(x3[:, :1], 1)
reverse | K.reverse(x3, 1)
tile | K.tile(x, [2, 1])
repeat | K.repeat(x, 3) | x
repeat_elements | K.repeat_elements(x3, 2, axis=1) | x3
stack | K.stack([x, x], axis=1)
arange | K.arange(3)
arange_float | K.arange(1, 6, 2, dtype="float32")
one_hot | K.one_hot(tf.constant([0, 2]), 3)
gather | K.gather(w, tf.constant([0, 2])) | w
cast | K.cast(x, "int32")
cast_to_floatx | K.cast_to_floatx(tf.constant([1, 2]))
zeros_like | K.zeros_like(x)
ones_like | K.ones_like(x)
constant | K.constant([1, 2])
switch | K.switch(K.sum(x) > 0., x, -x) | x
switch_rows | K.switch(x > 0., x, -2. * x) | x
switch_broadcast | K.switch(x[:, :3] > 0., x3, -x3)
in_train | K.in_train_phase(x + 1., x, training=True)
in_test | K.in_test_phase(x + 1., x, training=True)
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
l2_normalize | K.l2_normalize(x, axis=1) | x
bias_add | K.bias_add(x, tf.constant([1., 2., 3., 4.]))
bias_add_3 | K.bias_add(x3, tf.ones([3, 4]))
bias_add_first | K.bias_add(x3, tf.constant([1., 2., 3.]), "channels_first")
bias_add_first_2 | K.bias_add(x3, tf.reshape(tf.range(12.), [4, 3]), "channels_first")
dropout | K.dropout(x, 0.)
conv1d | K.conv1d(x3, tf.reshape(k4, [2, 4, 3])) | x3 k4
conv1d_causal | K.conv1d(x3, tf.reshape(k4, [2, 4, 3]), padding="causal", dilation_rate=2) | x3
conv2d | K.conv2d(im, k4, strides=(2, 1), padding="same") | im k4
conv2d_dilated | K.conv2d(im, k4, dilation_rate=(2, 2)) | im
conv2d_transpose | K.conv2d_transpose(im, tf.reshape(k4, [2, 2, 3, 2]), (2, 8, 8, 3), (2, 2), "same") | im
conv3d | K.conv3d(vol, tf.reshape(tf.cos(tf.range(32.)), [2, 2, 2, 2, 2])) | vol
depthwise_conv2d | K.depthwise_conv2d(im, k4) | im
separable_conv2d | K.separable_conv2d(im, k4, tf.ones([1, 1, 6, 2])) | im
pool2d | K.pool2d(im, (2, 2)) | im
pool2d_avg | K.pool2d(im, (3, 2), (2, 2), "same", pool_mode="avg") | im
pool3d | K.pool3d(vol, (2, 2, 2)) | vol
local_conv1d | K.local_conv1d(x3, tf.reshape(tf.sin(tf.range(48.)), [2, 8, 3]), (2,), (1,)) | x3
local_conv2d | K.local_conv2d(im, tf.reshape(tf.sin(tf.range(64.)), [4, 8, 2]), (2, 2), (2, 2), (2, 2)) | im
temporal_padding | K.temporal_padding(x3, (1, 2)) | x3
spatial_2d_padding | K.spatial_2d_padding(im, ((1, 0), (2, 1)))
spatial_2d_padding_first | K.spatial_2d_padding(im, data_format="channels_first")
spatial_3d_padding | K.spatial_3d_padding(vol)
resize_images | K.resize_images(im, 2, 3, "channels_last") | im
resize_images_bilinear | K.resize_images(im, 2, 2, "channels_last", "bilinear") | im
resize_images_first | K.resize_images(im, 2, 3, "channels_first")
resize_volumes | K.resize_volumes(vol, 2, 1, 2, "channels_last")
batch_normalization | K.batch_normalization(x, tf.zeros([4]), tf.ones([4]), tf.ones([4]), 2. * tf.ones([4])) | x
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
ctc_batch_cost | K.ctc_batch_cost(tf.constant([[0, 1, 1], [2, 0, 0]]), tf.nn.softmax(tf.reshape(tf.sin(tf.range(48.)), [2, 6, 4])), tf.constant([[6], [5]]), tf.constant([[3], [1]]))
ctc_decode | K.ctc_decode(tf.nn.softmax(tf.reshape(4. * tf.sin(tf.range(48.)), [2, 6, 4])), tf.constant([6, 4]))[0][0]
ctc_decode_beam | K.ctc_decode(tf.nn.softmax(tf.reshape(4. * tf.sin(tf.range(48.)), [2, 6, 4])), tf.constant([6, 4]), greedy=False, beam_width=5, top_paths=2)[0][1]
foldl | K.foldl(lambda a, b: a + b, x)
foldr | K.foldr(lambda a, b: a - b, x)
map_fn | K.map_fn(lambda r: 2. * r, x)
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
radial_3 | keras.constraints.RadialConstraint()(tf.reshape(tf.range(54.), [3, 3, 2, 3]))
radial_5 | keras.constraints.RadialConstraint()(tf.reshape(tf.range(50.), [5, 5, 2, 1]))
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
            "asked": """
            K = tf.keras.backend
            x = tf.placeholder(tf.float32, [None, 3])
            show(K.int_shape(x), K.ndim(x), K.dtype(x), K.floatx(), K.epsilon(), K.image_data_format(), K.is_sparse(x))
            show(K.placeholder((2, None)), K.placeholder(ndim=2, dtype="int32", name="p"), K.is_sparse(K.placeholder((2, 3), sparse=True)))
            show(K.int_shape(K.variable([[1., 2.]])), K.dtype(K.variable([1, 2])), int(K.count_params(K.zeros((2, 3)))), K.int_shape(tf.placeholder(tf.float32)))
            show(K.get_uid("a"), K.get_uid("a"), K.get_uid("b"))
        """,
            "values": """
            K = tf.keras.backend
            v = K.variable([1., 2.], name="v"); u = K.ones((2,), name="u")
            show(K.get_value(v), K.eval(v + u), K.eval(K.eye(2)))
            K.set_value(v, [3., 4.]); K.batch_set_value([(u, [5., 6.])])
            show(K.batch_get_value([v, u]))
            x = K.placeholder((None, 2))
            f = K.function([x], [K.sum(x * v, axis=1), v + 0.], updates=[(u, u + 1.)])
            show(f([np.ones([3, 2])]), K.get_value(u), K.eval(K.update_add(v, [1., 1.])), K.get_value(v))
            g = K.gradients(K.sum(K.square(v)), [v])
            show(K.eval(g[0]))
        """,
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
            fails(lambda: K.batch_dot(tf.ones([2, 3]), tf.ones([3, 3]), axes=1))
            fails(lambda: K.batch_dot(tf.ones([2, 3]), tf.ones([2, 4]), axes=1))
            fails(lambda: K.batch_dot(tf.ones([2, 3]), tf.ones([2, 3]), axes=0))
            fails(lambda: K.set_learning_phase(2))
        """,
            "custom_objects": """
            keras = tf.keras
            def double(x):
                return 2. * x
            with keras.utils.custom_object_scope({"double": double}):
                show(run(keras.activations.get("double")(tf.constant(3.))))
            show("double" in keras.utils.get_custom_objects())
            keras.utils.get_custom_objects()["double"] = double
            show(run(keras.activations.get("double")(tf.constant(4.))))
            del keras.utils.get_custom_objects()["double"]
            @keras.utils.register_keras_serializable(package="mine")
            class Half(keras.regularizers.Regularizer):
                def __call__(self, x): return .5 * tf.reduce_sum(x)
                def get_config(self): return {}
            show(keras.utils.get_registered_name(Half), keras.utils.get_registered_object("mine>Half") is Half)
            del keras.utils.get_custom_objects()["mine>Half"]
        """,
        },
    ),
]
