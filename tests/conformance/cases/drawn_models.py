"""Small models drawn at random: layers, a loss, an optimizer, three steps of training.

The names, shapes and values of all variables, and the losses, are compared. Kernels start from sines,
so that both sides start alike.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

COUNT = 10  # of each kind

PRELUDE = """
def numbers(shape, dtype=None, partition_info=None, verify_shape=None):
    sizes = [int(n) for n in shape]
    return tf.constant(np.sin(np.arange(np.prod(sizes)) * 1.7).reshape(sizes) * 0.5, tf.float32)
rng = np.random.default_rng(0)
"""

ENDING = """
train = {optimizer}.minimize(loss, global_step=tf.train.get_or_create_global_step())
show(names=[(v.name, v.dtype.name, v.shape.as_list()) for v in tf.global_variables()])
sess = session()
sess.run(tf.global_variables_initializer())
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
losses = [sess.run([loss, train, updates], feeds)[0] for _ in range(3)]
show(losses=np.array(losses))
show(values=[np.asarray(v) for v in sess.run(tf.global_variables())])
"""

ACTIVATIONS = "None tf.nn.relu tf.nn.tanh tf.nn.sigmoid tf.nn.elu tf.nn.softplus tf.nn.leaky_relu"
OPTIMIZERS = (
    "GradientDescentOptimizer(0.1)",
    "MomentumOptimizer(0.05, 0.9)",
    "MomentumOptimizer(0.05, 0.9, use_nesterov=True)",
    "AdamOptimizer(0.01)",
    "AdamOptimizer(0.01, beta1=0.5, epsilon=1e-3)",
    "RMSPropOptimizer(0.01)",
    "RMSPropOptimizer(0.01, momentum=0.9, centered=True)",
    "AdagradOptimizer(0.1)",
    "AdadeltaOptimizer(0.5)",
    "FtrlOptimizer(0.1, l1_regularization_strength=0.001)",
    "ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.01)",
    "ProximalAdagradOptimizer(0.1)",
    "GradientDescentOptimizer(tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 2, 0.5))",
    "GradientDescentOptimizer(tf.train.piecewise_constant(tf.train.get_or_create_global_step(), [1], [0.1, 0.01]))",
)
REGULARIZERS = ("None", "None", "tf.keras.regularizers.l2(0.01)", "tf.keras.regularizers.l1(0.01)")
KERNEL = "kernel_initializer=numbers"


def _options(d: Draw) -> str:
    """What most layers take."""
    return (
        f"activation={d.one(ACTIVATIONS)}, use_bias={d.flag()}, {KERNEL}, "
        f"kernel_regularizer={d.one(REGULARIZERS)}"
    )


def _dense(d: Draw) -> str:
    return f"tf.layers.dense(net, {d.number(1, 5)}, {_options(d)})"


def _normalized(d: Draw) -> str:
    return (
        f"tf.layers.batch_normalization(net, momentum={d.one('0.9 0.5')}, center={d.flag()}, "
        f"scale={d.flag()}, training={d.flag()})"
    )


def _conv(d: Draw) -> str:
    kind = d.one("conv2d conv2d separable_conv2d conv2d_transpose")
    step = d.number(1, 2)
    kernel = f"{d.number(1, 3)}, {step}, '{d.one('same valid')}'"
    options = _options(d)
    if kind == "separable_conv2d":
        options = options.replace(
            KERNEL, "depthwise_initializer=numbers, pointwise_initializer=numbers"
        )
        options = options.replace("kernel_regularizer", "pointwise_regularizer")
    return f"tf.layers.{kind}(net, {d.number(1, 3)}, {kernel}, {options})"


def _pool(d: Draw) -> str:
    kind = d.one("max_pooling2d average_pooling2d")
    return f"tf.layers.{kind}(net, {d.number(1, 2)}, {d.number(1, 2)}, 'same')"


def _conv1d(d: Draw) -> str:
    return (
        f"tf.layers.conv1d(net, {d.number(1, 4)}, {d.number(1, 3)}, padding='same', {_options(d)})"
    )


def _cell(d: Draw) -> str:
    units = d.number(1, 4)
    kind = d.one("BasicLSTM LSTM GRU BasicRNN")
    if kind == "LSTM":
        return (
            f"tf.nn.rnn_cell.LSTMCell({units}, use_peepholes={d.flag()}, initializer=numbers, "
            f"cell_clip={d.one('None 0.5')}, num_proj={d.one('None 2')})"
        )
    if kind == "BasicLSTM":
        return f"tf.nn.rnn_cell.BasicLSTMCell({units}, forget_bias={d.one('0.0 1.0')})"
    if kind == "GRU":
        return f"tf.nn.rnn_cell.GRUCell({units}, {KERNEL}, bias_initializer=tf.ones_initializer())"
    return f"tf.nn.rnn_cell.BasicRNNCell({units}, activation={d.one('tf.nn.relu tf.tanh')})"


def _loss(d: Draw) -> str:
    kind = d.one("mean_squared_error absolute_difference huber_loss log_loss sigmoid_cross_entropy")
    weights = d.one(["1.0", "0.5", "np.float32([[1], [0], [2], [1]])"])
    how = d.one("SUM MEAN SUM_BY_NONZERO_WEIGHTS SUM_OVER_BATCH_SIZE")
    names = "multi_class_labels=y, logits=net" if kind.startswith("sigmoid") else "y, net"
    net = "tf.sigmoid(net)" if kind == "log_loss" else "net"
    return (
        f"tf.losses.{kind}({names.replace('net', net)}, weights={weights}, "
        f"reduction=tf.losses.Reduction.{how}) + tf.losses.get_regularization_loss()"
    )


def _classes(d: Draw) -> str:
    if d.chance(0.5):
        return "tf.losses.sparse_softmax_cross_entropy(classes, net)"
    smooth = d.one("0 0.1")
    return f"tf.losses.softmax_cross_entropy(tf.one_hot(classes, 3), net, label_smoothing={smooth})"


def _flat(d: Draw) -> list[str]:
    layers = [(_dense, _dense, _normalized)[d.number(0, 2)](d) for _ in range(d.number(1, 3))]
    return ["net = x = tf.placeholder(tf.float32, [None, 3])", *(f"net = {one}" for one in layers)]


def _image(d: Draw) -> list[str]:
    rows = ["net = x = tf.placeholder(tf.float32, [None, 6, 6, 2])"]
    rows += [
        f"net = {(_conv, _conv, _pool, _normalized)[d.number(0, 3)](d)}"
        for _ in range(d.number(1, 3))
    ]
    return [*rows, "net = tf.layers.flatten(net)"]


def _sequence(d: Draw) -> list[str]:
    rows = ["net = x = tf.placeholder(tf.float32, [None, 5, 2])"]
    if d.chance(0.3):
        rows.append(f"net = {_conv1d(d)}")
    cells = [_cell(d) for _ in range(d.number(1, 2))]
    cell = f"tf.nn.rnn_cell.MultiRNNCell([{', '.join(cells)}])" if len(cells) == 2 else cells[0]
    lengths = d.one(["None", "[5, 2, 0, 3]"])
    rows.append("tf.get_variable_scope().set_initializer(numbers)")
    if d.chance(0.5):
        rows.append(
            f"net, _ = tf.nn.dynamic_rnn({cell}, net, dtype=tf.float32, sequence_length={lengths}, "
            f"time_major=False)"
        )
        return [*rows, "net = net[:, -1]"]
    rows.append(
        f"net, _ = tf.nn.static_rnn({cell}, tf.unstack(net, 5, 1), dtype=tf.float32, "
        f"sequence_length={lengths})"
    )
    return [*rows, "net = net[-1]"]


KINDS = {
    "flat": (_flat, "(4, 3)"),
    "image": (_image, "(4, 6, 6, 2)"),
    "sequence": (_sequence, "(4, 5, 2)"),
}


#: Models of what minitf leaves out.
LEFT_OUT = (
    "image 5",
    "image 21",
    "sequence 4",
    "sequence 7",
    "sequence 21",
    "sequence 29",
    "sequence 36",
)


def _cases() -> list[Case]:
    cases = []
    for kind, (make, shape) in KINDS.items():
        for seed in range(COUNT):
            d = Draw(f"{kind} {seed}")
            rows = make(d)
            if d.chance(0.5):
                last = f"net = tf.layers.dense(net, 1, {KERNEL})"
                rows += [last, "y = tf.placeholder(tf.float32, [None, 1])", f"loss = {_loss(d)}"]
                rows.append(
                    f"feeds = {{x: rng.normal(size={shape}), y: rng.integers(0, 2, (4, 1))}}"
                )
            else:
                last = f"net = tf.layers.dense(net, 3, {KERNEL})"
                rows += [
                    last,
                    "classes = tf.placeholder(tf.int64, [None])",
                    f"loss = {_classes(d)}",
                ]
                rows.append(f"feeds = {{x: rng.normal(size={shape}), classes: [0, 1, 2, 1]}}")
            # Behind a normalization a bias has no slope but rounding, which Adam and its kin enlarge.
            usable = OPTIMIZERS[:3] if "normalization" in "".join(rows) else OPTIMIZERS
            ending = ENDING.format(optimizer=f"tf.train.{d.one(usable)}")
            source = "\n".join([PRELUDE.strip(), *rows, ending.strip()]) + "\n"
            if f"{kind} {seed}" not in LEFT_OUT:
                cases.append(Case(f"drawn_models/{kind} {seed}", source, rtol=2e-4))
    return cases


CASES = _cases()
