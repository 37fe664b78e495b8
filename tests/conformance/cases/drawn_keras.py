"""Models of Keras drawn at random: layers, compile, fit, evaluate, predict; weights before and after.

Kernels start from sines, so that both sides start alike; batches are not shuffled.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

COUNT = 60  # of each kind

PRELUDE = """
import re
K, L = tf.keras, tf.keras.layers
def numbers(shape=None, dtype=None, partition_info=None):
    if shape is None: return numbers  # made again from its name, as a class would be
    sizes = [int(n) for n in shape]
    return tf.constant(np.sin(np.arange(np.prod(sizes)) * 1.7).reshape(sizes) * 0.5, tf.float32)
K.utils.get_custom_objects()["numbers"] = numbers
rng = np.random.default_rng(0)
"""

ENDING = """
model.compile({optimizer}, {loss}, metrics={metrics})
show(names=[(re.sub("[a-z_]*_cell/", "", w.name), w.shape.as_list()) for w in model.weights], shape=model.output_shape, params=model.count_params())
kept = model.fit(x, y, batch_size={batch}, epochs=2, verbose=0, shuffle=False, validation_split={split}{more})
show(history={{k: np.array(v, np.float32) for k, v in kept.history.items()}})
show(evaluated=np.array(model.evaluate(x, y, verbose=0, batch_size={batch})), predicted=model.predict(x, batch_size=4), on_batch=np.array(model.train_on_batch(x, y)))
show(weights=model.get_weights())
copy = type(model).from_config(model.get_config())
copy.set_weights(model.get_weights())
show(copied=copy.predict(x))
"""

START = "kernel_initializer=numbers"
ACTIVATIONS = "None 'relu' 'tanh' 'sigmoid' 'elu' 'softplus' 'softsign' 'selu' 'linear'"
REGULARIZERS = ("None", "None", "K.regularizers.l2(0.01)", "K.regularizers.l1(0.01)")
CONSTRAINTS = ("None", "None", "None", "K.constraints.max_norm(1.0)", "K.constraints.non_neg()")
OPTIMIZERS = (
    "'sgd'",
    "K.optimizers.SGD(0.05, momentum=0.9)",
    "K.optimizers.SGD(0.05, momentum=0.9, nesterov=True)",
    "K.optimizers.SGD(0.1, clipnorm=0.5)",
    "K.optimizers.RMSprop(0.01)",
    "K.optimizers.Adam(0.01)",
    "K.optimizers.Adagrad(0.1)",
    "K.optimizers.Adadelta(0.5)",
    "K.optimizers.Adamax(0.01)",
    "tf.train.AdamOptimizer(0.01)",
)


def _common(d: Draw) -> str:
    return (
        f"activation={d.one(ACTIVATIONS)}, use_bias={d.flag()}, {START}, "
        f"kernel_regularizer={d.one(REGULARIZERS)}, kernel_constraint={d.one(CONSTRAINTS)}"
    )


def _dense(d: Draw) -> str:
    return f"L.Dense({d.number(1, 5)}, {_common(d)})"


def _plain(d: Draw) -> str:
    """A layer without weights, for any shape."""
    return d.one(
        [
            f"L.Activation({d.one(ACTIVATIONS.removeprefix('None '))})",
            "L.LeakyReLU(0.2)",
            "L.ELU(0.7)",
            "L.ThresholdedReLU(0.1)",
            "L.Dropout(0.0)",
            "L.ReLU(max_value=2.0)",
            "L.ActivityRegularization(l2=0.01)",
            "L.BatchNormalization(momentum=0.8)",
            "L.PReLU(alpha_initializer='ones')",
        ]
    )


def _image(d: Draw) -> str:
    step = d.number(1, 2)
    size = d.number(step, 3)  # TensorFlow's process ends where a window is smaller than its step
    how = f"{size}, strides={step}, padding='{d.one('same valid')}'"
    return d.one(
        [
            f"L.Conv2D({d.number(1, 3)}, {how}, {_common(d)})",
            f"L.Conv2DTranspose({d.number(1, 3)}, {how}, {START})",
            f"L.SeparableConv2D({d.number(1, 3)}, {how}, depthwise_initializer=numbers, pointwise_initializer=numbers)",
            f"L.DepthwiseConv2D({how}, depth_multiplier={d.number(1, 2)}, depthwise_initializer=numbers)",
            f"L.MaxPooling2D({d.number(1, 2)}, padding='same')",
            f"L.AveragePooling2D({d.number(1, 2)}, padding='same')",
            f"L.UpSampling2D({d.number(1, 2)})",
            f"L.ZeroPadding2D({d.number(0, 2)})",
            "L.Cropping2D(((0, 1), (1, 0)))",
            "L.Permute((2, 1, 3))",
        ]
    )


def _sequence(d: Draw) -> str:
    units = d.number(1, 4)
    more = f"{START}, recurrent_initializer=numbers"
    turned = f", go_backwards={d.flag()}" if d.chance(0.4) else ""
    cell = d.one(
        [
            f"L.LSTM({units}, return_sequences=True, unit_forget_bias={d.flag()}, {more}{turned})",
            f"L.GRU({units}, return_sequences=True, reset_after={d.flag()}, {more}{turned})",
            f"L.SimpleRNN({units}, return_sequences=True, activation='relu', {more}{turned})",
        ]
    )
    return d.one(
        [
            cell,
            cell,
            f"L.Bidirectional({cell.replace(turned, '') if turned else cell}, merge_mode='{d.one('concat sum mul ave')}')",
            f"L.TimeDistributed(L.Dense({units}, {START}))",
            f"L.Conv1D({units}, {d.number(1, 3)}, padding='{d.one('same causal')}', {START})",
            "L.MaxPooling1D(2, padding='same')",
            "L.Masking(0.0)",
        ]
    )


def _sequential(d: Draw) -> tuple[list[str], str]:
    kind = d.one("flat image sequence")
    if kind == "flat":
        layers, shape = [d.pick((_dense, _plain))(d) for _ in range(d.number(1, 4))], "(3,)"
    elif kind == "image":
        layers, shape = (
            [d.pick((_image, _image, _plain))(d) for _ in range(d.number(1, 3))],
            "(5, 6, 2)",
        )
        layers.append(
            d.one(["L.Flatten()", "L.GlobalAveragePooling2D()", "L.GlobalMaxPooling2D()"])
        )
    else:
        layers, shape = [_sequence(d) for _ in range(d.number(1, 2))], "(4, 2)"
        layers.append(
            d.one(
                [
                    "L.Flatten()",
                    "L.GlobalAveragePooling1D()",
                    f"L.GRU(2, {START}, recurrent_initializer=numbers)",
                ]
            )
        )
        if "Masking" in "".join(layers):
            layers[-1] = f"L.LSTM(2, {START}, recurrent_initializer=numbers)"
    rows = [f"x = rng.normal(size=(6, *{shape})).astype(np.float32)", "model = K.Sequential()"]
    rows += [f"model.add(L.InputLayer({shape}))", *(f"model.add({layer})" for layer in layers)]
    return rows, "model.add({last})"


def _functional(d: Draw) -> tuple[list[str], str]:
    """Two ways through layers, which meet."""
    rows = [
        "x = rng.normal(size=(6, 3)).astype(np.float32)",
        "start = K.Input((3,))",
        f"one = L.Dense(4, {_common(d)})(start)",
        f"two = L.Dense(4, {_common(d)})({d.one('start one')})",
    ]
    for _ in range(d.number(0, 2)):
        way = d.one("one two")
        rows.append(f"{way} = {_plain(d)}({way})")
    if d.chance(0.3):
        rows.append(f"shared = L.Dense(4, {START}); one, two = shared(one), shared(two)")
    join = d.one("Add Subtract Multiply Average Maximum Minimum Concatenate Dot")
    end = "L.Dot(1)" if join == "Dot" else f"L.{join}()"
    rows.append(f"net = {end}([one, two])")
    return rows, "model = K.Model(start, {last}(net))"


def _cases() -> list[Case]:
    cases = []
    for kind, make in (("sequential", _sequential), ("functional", _functional)):
        for seed in range(COUNT):
            d = Draw(f"keras {kind} {seed}")
            rows, end = make(d)
            goal = d.number(0, 2)
            last = (f"L.Dense(1, {START})", f"L.Dense(3, activation='softmax', {START})",
                    f"L.Dense(1, activation='sigmoid', {START})")[goal]  # fmt: skip
            rows.append(end.format(last=last))
            if goal == 0:
                rows.append("y = rng.normal(size=(6, 1)).astype(np.float32)")
                loss = d.one(["'mse'", "'mae'", "'logcosh'", "K.losses.Huber()", "'mape'"])
                metrics = d.one(
                    ["['mae']", "[K.metrics.RootMeanSquaredError()]", "None", "['mse', 'mae']"]
                )
            elif goal == 1 and d.chance(0.5):
                rows.append("y = np.array([0, 1, 2, 2, 1, 0])")
                loss = d.one(
                    [
                        "'sparse_categorical_crossentropy'",
                        "K.losses.SparseCategoricalCrossentropy()",
                    ]
                )
                metrics = d.one(
                    ["['accuracy']", "['acc']", "['sparse_categorical_accuracy']", "None"]
                )
            elif goal == 1:
                rows.append("y = np.eye(3, dtype=np.float32)[[0, 1, 2, 2, 1, 0]]")
                loss = d.one(
                    [
                        "'categorical_crossentropy'",
                        "'kullback_leibler_divergence'",
                        "'categorical_hinge'",
                    ]
                )
                metrics = d.one(
                    [
                        "['accuracy']",
                        "[K.metrics.TopKCategoricalAccuracy(2)]",
                        "['categorical_accuracy']",
                    ]
                )
            else:
                rows.append("y = np.array([[0], [1], [1], [0], [1], [0]], np.float32)")
                loss = d.one(["'binary_crossentropy'", "'hinge'", "'squared_hinge'", "'poisson'"])
                metrics = d.one(
                    [
                        "['accuracy']",
                        "[K.metrics.AUC(), K.metrics.Precision()]",
                        "[K.metrics.Recall()]",
                    ]
                )
            more = d.one(["", ", class_weight={0: 1.0, 1: 2.0, 2: 0.5}" if goal else "",
                          ", sample_weight=np.linspace(0.5, 1.5, 6)", ""])  # fmt: skip
            usable = OPTIMIZERS
            if "BatchNorm" in "".join(rows):  # a bias before it has no slope but rounding
                usable = OPTIMIZERS[:2]
                more = ""  # TensorFlow's `train_on_batch` then forgets that it trains
            text = ENDING.format(
                optimizer=d.one(usable), loss=loss, metrics=metrics, batch=d.number(2, 6),
                split=d.one("0.0 0.0 0.34"), more=more,
            )  # fmt: skip
            source = "\n".join([PRELUDE.strip(), *rows, text.strip()]) + "\n"
            cases.append(Case(f"drawn_keras/{kind} {seed}", source, rtol=2e-4))
    return cases


CASES = _cases()
