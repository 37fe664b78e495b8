"""Keras drawn at random: single layers with every option, and training with everything `fit` takes.

A layer gets weights that its shapes give; output, static shape, mask, gradients, losses, configuration
and the copy made of it are compared. A training compares histories, weights, printed summaries and files.
"""

from collections.abc import Callable

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

PRELUDE = """
import json
K, L, B = tf.keras, tf.keras.layers, tf.keras.backend
def numbers(shape=None, dtype=None, partition_info=None):
    if shape is None: return numbers
    sizes = [int(n) for n in shape]
    return tf.constant(np.sin(np.arange(np.prod(sizes)) * 1.7).reshape(sizes) * 0.5, tf.float32)
K.utils.get_custom_objects()["numbers"] = numbers
def wave(shape, seed, kind="normal"):
    rng = np.random.default_rng(seed)
    if kind.isdigit(): return rng.integers(0, int(kind), shape).astype(np.int32)
    made = rng.normal(size=shape).astype(np.float32)
    if kind == "gaps": made[rng.random(shape[:-1]) < 0.3] = 0.0
    return made
def given(value, static):
    return tf.placeholder_with_default(value, static)
def plain(config):
    skip = ("name", "dtype", "groups", "keepdims", "sparse", "ragged", "module", "registered_name", "build_config", "score_mode")
    if isinstance(config, dict) and config.get("class_name") in ("L1", "L2", "L1L2"):
        return sorted(round(v, 6) for v in config["config"].values() if v)
    if isinstance(config, dict):
        skip += ("function", "function_type", "output_shape_type") if "arguments" in config else ()
        skip += ("kernel_initializer", "kernel_regularizer", "kernel_constraint") if "pointwise_initializer" in config else ()
        return {k: plain(v) for k, v in config.items() if k not in skip and not (v is None or callable(v))}
    return [plain(v) for v in config] if isinstance(config, (list, tuple)) else config
def kept(layer):
    return json.dumps(plain(layer.get_config()), sort_keys=True, default=lambda v: v.tolist() if hasattr(v, "tolist") else str(type(v)))
def fill(weights):
    for i, w in enumerate(weights):
        n = int(np.prod(w.shape.as_list()))
        B.set_value(w, (0.3 + 0.25 * np.cos(1.7 * np.arange(n) + i)).reshape(w.shape.as_list()).astype(w.dtype.base_dtype.as_numpy_dtype))
def use(layer, *inputs, **call):
    B.set_session(session())
    one = inputs[0] if len(inputs) == 1 else list(inputs)
    out = layer(one, **call)
    outs = tf.nest.flatten(out)
    run([])
    fill(layer.weights)
    names = [w.name for w in layer.weights]
    show(shapes=[(o.shape, o.dtype) for o in outs], weights=[w.shape for w in layer.weights], trainable=[w.name in [t.name for t in layer.trainable_weights] for w in layer.weights])
    show(values=session().run(outs), masks=[m if m is None else session().run(m) for m in [getattr(o, "_keras_mask", None) for o in outs]])
    floats = [o for o in outs if o.dtype.is_floating]
    sources = [i for i in inputs if i.dtype.is_floating] + list(layer.trainable_weights)
    found = tf.gradients([tf.reduce_sum(tf.square(o - 0.3)) for o in floats], sources)
    show(none=[g is None for g in found], slopes=session().run([tf.convert_to_tensor(g) for g in found if g is not None]))
    show(losses=session().run([tf.convert_to_tensor(l) for l in layer.losses]))
    show(updates=len(layer.updates))
    if layer.updates:
        session().run([u for u in layer.updates])
        show(updated=session().run([tf.identity(w) for w in layer.weights]))
    show(config=kept(layer))
    if "Attention" not in type(layer).__name__: show(computed=layer.compute_output_shape(tf.TensorShape(one.shape) if len(inputs) == 1 else [i.shape for i in inputs]))
    copy = type(layer).from_config(layer.get_config())
    again = tf.nest.flatten(copy(one, **call))
    run([])
    copy.set_weights(layer.get_weights())
    show(copied=session().run(again))
"""

ACTIVATIONS = "None 'relu' 'tanh' 'sigmoid' 'hard_sigmoid' 'elu' 'selu' 'softplus' 'softsign' 'softmax' 'exponential' 'linear'"


class Layers(Draw):
    """A draw whose `t` makes an input and remembers its text."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.lines: list[str] = []

    def t(self, *shape: int, kind: str = "normal", known: bool = False) -> str:
        static: list[int | None] = [None, *shape[1:]]
        if not known and self.chance(0.3):
            static = [None if self.chance(0.5) else n for n in static[:-1]] + static[-1:]
        self.lines.append(
            f"t{len(self.lines)} = given(wave({shape}, {self.number(0, 99)}, {kind!r}), {static})"
        )
        return f"t{len(self.lines) - 1}"

    def some(self, count: int, low: int, high: int) -> tuple[int, ...]:
        return tuple(self.number(low, high) for _ in range(count))


Row = Callable[[Layers], str]


def _common(d: Layers) -> str:
    return (
        f"activation={d.one(ACTIVATIONS)}, use_bias={d.flag()}, bias_initializer='{d.one('zeros ones')}', "
        f"kernel_regularizer={d.one(['None', 'K.regularizers.l2(0.01)', 'K.regularizers.l1_l2(0.01, 0.02)'])}, "
        f"activity_regularizer={d.one(['None', 'None', 'K.regularizers.l1(0.02)'])}, "
        f"kernel_constraint={d.one(['None', 'K.constraints.max_norm(1.0)', 'K.constraints.unit_norm(axis=0)'])}"
    )


def _space(d: Layers, rank: int) -> str:
    """An image of a rank, channels last."""
    return d.t(d.number(1, 2), *d.some(rank, 3, 6), d.number(1, 3))


def _steps(d: Layers, rank: int, most: int = 2) -> str:
    return d.one([d.number(1, most), d.some(rank, 1, most)])


def _conv(d: Layers) -> str:
    rank = d.number(1, 3)
    window = d.one([d.number(1, 3), d.some(rank, 1, 3)])
    pad = d.one("same valid causal" if rank == 1 else "same valid")
    step = f"strides={_steps(d, rank)}" if d.chance(0.5) else f"dilation_rate={_steps(d, rank)}"
    return f"use(L.Conv{rank}D({d.number(1, 3)}, {window}, padding='{pad}', {step}, {_common(d)}), {_space(d, rank)})"


def _conv_transposed(d: Layers) -> str:
    rank = d.number(2, 3)
    image = d.t(2, *d.some(rank, 2, 4), 2)
    step = d.number(1, 3)
    more = f", output_padding={d.number(0, step - 1)}" if d.chance(0.4) and step > 1 else ""
    return f"use(L.Conv{rank}DTranspose({d.number(1, 3)}, {d.number(max(1, step), 4)}, strides={step}, padding='{d.one('same valid')}'{more}, activation={d.one(ACTIVATIONS)}), {image})"


def _conv_apart(d: Layers) -> str:
    rank = d.number(1, 2)
    kind = d.one(f"SeparableConv{rank}D DepthwiseConv2D LocallyConnected{rank}D")
    if kind.startswith("Local"):
        return f"use(L.{kind}({d.number(1, 2)}, {d.number(1, 3)}, strides={d.number(1, 2)}, activation={d.one(ACTIVATIONS)}, use_bias={d.flag()}, implementation={d.number(1, 2)}), {d.t(2, *d.some(rank, 3, 5), 2, known=True)})"
    image = _space(d, 2 if kind.startswith("Depth") else rank)
    step = (
        f"strides={d.number(1, 2)}"
        if d.chance(0.5) or kind.startswith("Depth")
        else f"dilation_rate={d.number(1, 2)}"
    )
    filters = "" if kind.startswith("Depth") else f"{d.number(1, 3)}, "
    return f"use(L.{kind}({filters}{d.number(1, 3)}, padding='{d.one('same valid')}', {step}, depth_multiplier={d.number(1, 2)}, activation={d.one(ACTIVATIONS)}, use_bias={d.flag()}), {image})"


def _pool(d: Layers) -> str:
    rank = d.number(1, 3)
    image = _space(d, rank)
    kind = d.one(
        "MaxPooling AveragePooling GlobalMaxPooling GlobalAveragePooling UpSampling ZeroPadding Cropping"
    )
    if kind.startswith("Global"):
        return f"use(L.{kind}{rank}D(), {image})"
    if kind == "UpSampling":
        more = f", interpolation='{d.one('nearest bilinear')}'" if rank == 2 else ""
        return f"use(L.UpSampling{rank}D({d.number(1, 3) if rank == 1 else _steps(d, rank, 3)}{more}), {image})"
    if kind in ("ZeroPadding", "Cropping"):
        low = d.number(0, 1)
        sides = d.pick(
            [
                d.number(0, 1),
                d.some(rank, low, 1),
                tuple((d.number(0, 1), d.number(0, 1)) for _ in range(rank)),
            ]
        )
        if rank == 1:
            sides = d.pick([d.number(0, 1), (d.number(0, 1), 1)])
        return f"use(L.{kind}{rank}D({sides}), {image})"
    return f"use(L.{kind}{rank}D({_steps(d, rank, 3)}, strides={d.one(['None', _steps(d, rank, 2)])}, padding='{d.one('same valid')}'), {image})"


def _simple(d: Layers) -> str:
    shape = d.pick([(2, 3), (2, 3, 4), (1, 3, 2, 2)])
    a = d.t(*shape)
    rank = len(shape)
    size = 1
    for n in shape[1:]:
        size *= n
    axes = [i + 1 for i in d.order(rank - 1)]
    return d.one(
        [
            f"use(L.Dense({d.number(1, 4)}, {_common(d)}), {a})",
            f"use(L.Activation({d.one(ACTIVATIONS[5:])}), {a})",
            f"use(L.Flatten(), {a})",
            f"use(L.Reshape({d.one([(size,), (-1,), (1, size), (size, 1), (-1, 1), (1, -1, 1)])}), {a})",
            f"use(L.Permute({tuple(axes)}), {a})",
            f"use(L.RepeatVector({d.number(1, 3)}), {d.t(2, 3)})",
            f"use(L.LeakyReLU(alpha={d.one('0.0 0.3')}), {a})",
            f"use(L.PReLU(alpha_initializer='{d.one('ones zeros')}', shared_axes={d.one(['None', '[1]'])}), {d.t(*shape, known=True)})",
            f"use(L.ELU(alpha={d.one('1.0 0.4')}), {a})",
            f"use(L.ThresholdedReLU(theta={d.one('1.0 0.2')}), {a})",
            f"use(L.Softmax(axis={d.one([-1, 1])}), {a})",
            f"use(L.ReLU(max_value={d.one('None 1.0')}, negative_slope={d.one('0.0 0.1')}, threshold={d.one('0.0 0.3')}), {a})",
            f"use(L.{d.one('Dropout GaussianNoise GaussianDropout AlphaDropout')}(0.4), {a}{d.one(['', ', training=False'])})",
            f"use(L.Lambda(lambda v: v * 2.0 + 1.0), {a})",
            f"use(L.Lambda(lambda v, by=1.0: tf.reduce_sum(v, 1) * by, arguments={{'by': 3.0}}), {a})",
            f"use(L.ActivityRegularization(l1={d.one('0.0 0.1')}, l2={d.one('0.0 0.2')}), {a})",
            f"use(L.Masking({d.one('0.0 1.0')}), {d.t(2, 3, 2, kind='gaps')})",
            f"use(L.BatchNormalization(axis={d.one([-1, 1])}, momentum={d.one('0.99 0.5')}, epsilon={d.one('1e-3 0.1')}, center={d.flag()}, scale={d.flag()}), {a}, training={d.flag()})",
            f"use(L.LayerNormalization(axis={d.one([-1, 1])}, epsilon={d.one('1e-3 0.1')}, center={d.flag()}, scale={d.flag()}), {d.t(*shape, known=True)})",
            f"use(L.Embedding(6, {d.number(1, 3)}, mask_zero={d.flag()}, embeddings_regularizer={d.one(['None', repr('l2')])}, input_length={d.one('None 3')}), {d.t(2, 3, kind='6')})",
            f"use(L.SpatialDropout1D(0.3), {d.t(2, 3, 2)})",
            f"use(L.Attention(use_scale={d.flag()}), {d.t(2, 3, 2)}, {d.t(2, 4, 2)})",
            f"use(L.AdditiveAttention(use_scale={d.flag()}), {d.t(2, 3, 2, known=True)}, {d.t(2, 4, 2, known=True)})",
        ]
    )  # fmt: skip


def _merge(d: Layers) -> str:
    shape = d.pick([(2, 3), (2, 3, 4), (2, 2, 2, 3)])
    other = d.pick(
        [shape, shape, (*shape[:-1], 1), shape[:1] + shape[2:] if len(shape) > 2 else shape]
    )
    kind = d.one("Add Multiply Average Maximum Minimum Subtract Concatenate Dot")
    if kind == "Concatenate":
        axis = d.number(-1, len(shape) - 1)
        changed = list(shape)
        if axis:
            changed[axis] += d.number(0, 2)
        return f"use(L.Concatenate(axis={axis}), {d.t(*shape)}, {d.t(*changed)})"
    if kind == "Dot":
        a, b = d.t(2, 3, 4), d.t(2, 3, 4)
        return f"use(L.Dot(axes={d.one([1, 2, -1, (1, 1), (2, 2), (1, 2)])}, normalize={d.flag()}), {a}, {b})"
    many = [d.t(*shape), d.t(*other)] + (
        [d.t(*shape)] if d.chance(0.3) and kind != "Subtract" else []
    )
    return f"use(L.{kind}(), {', '.join(many)})"


def _cell(d: Layers, sequences: str) -> str:
    units = d.number(1, 3)
    more = f"return_sequences={sequences}, return_state={d.one('False False True')}, go_backwards={d.one('False False True')}, unroll={d.one('False False True')}"
    regular = f"recurrent_regularizer={d.one(['None', repr('l2')])}, bias_initializer='{d.one('zeros ones')}', use_bias={d.one('True True False')}"
    kind = d.one("LSTM GRU SimpleRNN LSTM GRU RNN")
    if kind == "LSTM":
        return f"L.LSTM({units}, implementation={d.number(1, 2)}, recurrent_activation='{d.one('hard_sigmoid sigmoid')}', unit_forget_bias={d.flag()}, {regular}, {more})"
    if kind == "GRU":
        return f"L.GRU({units}, implementation={d.number(1, 2)}, reset_after={d.flag()}, activation={d.one(ACTIVATIONS)}, {regular}, {more})"
    if kind == "SimpleRNN":
        return f"L.SimpleRNN({units}, activation={d.one(ACTIVATIONS)}, {regular}, {more})"
    cells = d.one(
        [
            f"[L.LSTMCell({units}), L.GRUCell(2)]",
            f"L.GRUCell({units})",
            f"[L.SimpleRNNCell({units})] * 1",
        ]
    )
    return f"L.RNN({cells}, {more})"


def _recurrent(d: Layers) -> str:
    d.lines.append("t0 = None")
    steps, width = d.number(2, 4), d.number(1, 3)
    inputs = d.t(2, steps, width, known="unroll" in "", kind="normal")
    d.lines[-1] = (
        f"t1 = given(wave((2, {steps}, {width}), {d.number(0, 99)}), [{d.one(['None', 2])}, {steps}, {width}])"
    )
    cell = _cell(d, d.flag())
    masked = (
        f", mask=given(np.array({[[d.chance(0.7) for _ in range(steps)] for _ in range(2)]}), [None, {steps}])"
        if d.chance(0.5)
        else ""
    )
    kind = d.one("plain plain both time masked conv stacked")
    if kind == "both":
        cell = cell.replace("return_state=True", "return_state=False").replace(
            "go_backwards=True", "go_backwards=False"
        )
        return f"use(L.Bidirectional({cell}, merge_mode={d.one(['None', repr('concat'), repr('sum'), repr('mul'), repr('ave')])}), {inputs}{masked})"
    if kind == "time":
        inner = d.one(
            [
                "L.Dense(2)",
                "L.Dropout(0.0)",
                "L.Dense(3, activation='relu', kernel_regularizer='l2')",
                "L.BatchNormalization()",
            ]
        )
        return f"use(L.TimeDistributed({inner}), {inputs}{masked})"
    if kind == "conv":
        film = d.t(1, 2, 3, 3, 2, known=True)
        return f"use(L.ConvLSTM2D(2, {d.number(1, 2)}, padding='{d.one('same valid')}', return_sequences={d.flag()}, strides={d.number(1, 2)}), {film})"
    return f"use({cell}, {inputs}{masked})"


# ---- whole models


def _hidden(d: Layers) -> tuple[list[str], str, str]:
    """Layers, the shape of one input, its kind."""
    kind = d.one("flat words series image")
    if kind == "flat":
        return (
            [
                d.one([f"L.Dense(4, {_common(d)})", "L.BatchNormalization()", "L.Dropout(0.0)"])
                for _ in range(d.number(1, 3))
            ],
            "(4,)",
            "normal",
        )
    if kind == "words":
        mask = d.flag()
        last = d.one(
            ["L.LSTM(3)", "L.GRU(3)", "L.SimpleRNN(2)", "L.Bidirectional(L.LSTM(2))"]
            + (
                ["L.Flatten()", "L.GlobalAveragePooling1D()"]
                if mask == "False"
                else ["L.GlobalAveragePooling1D()"]
            )
        )
        return [f"L.Embedding(7, 3, mask_zero={mask}, input_length=4)", last], "(4,)", "7"
    if kind == "series":
        return (
            [
                d.one(
                    [
                        "L.Masking()",
                        "L.Conv1D(3, 2, padding='causal')",
                        "L.TimeDistributed(L.Dense(3))",
                    ]
                ),
                d.one(
                    [
                        "L.LSTM(3, return_sequences=True)",
                        "L.GRU(2, return_sequences=True, go_backwards=True)",
                    ]
                ),
                d.one(["L.LSTM(2)", "L.SimpleRNN(3, activation='relu')"]),
            ],
            "(4, 2)",
            "gaps",
        )
    return (
        [
            f"L.Conv2D(2, {d.number(1, 3)}, {_common(d)})",
            d.one(
                [
                    "L.MaxPooling2D()",
                    "L.AveragePooling2D(2, padding='same')",
                    "L.BatchNormalization()",
                ]
            ),
            d.one(["L.Flatten()", "L.GlobalMaxPooling2D()"]),
        ],
        "(5, 5, 2)",
        "normal",
    )


def _training(d: Layers) -> str:
    layers, shape, kind = _hidden(d)
    goal = d.one("number number2 class onehot binary sequence")
    if goal == "sequence":
        layers, shape, kind = (
            ["L.Activation('tanh')", "L.LSTM(3, return_sequences=True)"],
            "(4, 2)",
            "gaps",
        )
    last, y, losses, metrics = {
        "number": ("L.Dense(1)", "wave((8, 1), 5)", "'mse' 'mae' K.losses.Huber(0.5) 'logcosh'", "['mae'] [K.metrics.MeanSquaredError(name='m')] [K.metrics.RootMeanSquaredError()] [K.metrics.MeanAbsolutePercentageError()]"),
        "number2": ("L.Dense(2)", "wave((8, 2), 5)", "'mse' 'msle' 'cosine_similarity' 'mape'", "['mse'] ['mae','cosine_similarity'] [K.metrics.CosineSimilarity(axis=1)] ['logcosh']"),
        "class": ("L.Dense(3,activation='softmax')", "wave((8,), 5, '3')", "'sparse_categorical_crossentropy' K.losses.SparseCategoricalCrossentropy()", "['accuracy'] ['sparse_top_k_categorical_accuracy'] [K.metrics.SparseCategoricalAccuracy()] [K.metrics.SparseCategoricalCrossentropy()]"),
        "onehot": ("L.Dense(3,activation='softmax')", "np.eye(3,dtype=np.float32)[wave((8,), 5, '3')]", "'categorical_crossentropy' 'kld' K.losses.CategoricalCrossentropy(label_smoothing=0.1) 'poisson'", "['acc'] [K.metrics.Precision(),K.metrics.Recall(class_id=1)] [K.metrics.TopKCategoricalAccuracy(2)] [K.metrics.AUC(num_thresholds=7)] [K.metrics.MeanIoU(3)] [K.metrics.KLDivergence()]"),
        "binary": ("L.Dense(1,activation='sigmoid')", "wave((8, 1), 5, '2')", "'binary_crossentropy' 'hinge' K.losses.BinaryCrossentropy(label_smoothing=0.2) 'squared_hinge'", "['accuracy'] [K.metrics.BinaryAccuracy(threshold=0.4)] [K.metrics.TruePositives(),K.metrics.FalseNegatives(thresholds=[0.3,0.5])] [K.metrics.SensitivityAtSpecificity(0.5)] ['binary_crossentropy']"),
        "sequence": ("L.TimeDistributed(L.Dense(2,activation='softmax'))", "wave((8, 4, 1), 5, '2')", "'sparse_categorical_crossentropy'", "['accuracy'] None"),
    }[goal]  # fmt: skip
    chosen = d.one(losses)
    optimizer = d.one(
        ["'sgd'", "'adam'", "K.optimizers.SGD(0.05, momentum=0.9, nesterov=True, decay=0.1)", "K.optimizers.RMSprop(0.01, rho=0.8)",
         "K.optimizers.RMSprop(0.01, momentum=0.5, centered=True)", "K.optimizers.Adam(0.01, amsgrad=True)", "K.optimizers.Adamax(0.01, decay=0.01)",
         "K.optimizers.Nadam(0.01)", "K.optimizers.Adadelta(1.0)", "K.optimizers.Adagrad(0.05)", "K.optimizers.Ftrl(0.05, l1_regularization_strength=0.01)",
         "K.optimizers.SGD(K.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))", "K.optimizers.Adam(0.02, clipnorm=0.3)", "K.optimizers.SGD(0.1, clipvalue=0.05)",
         "tf.train.MomentumOptimizer(0.05, 0.9)", "tf.train.RMSPropOptimizer(0.01)"]
    )  # fmt: skip
    if "BatchNorm" in "".join(layers):  # a bias before it has no slope but rounding
        optimizer = "K.optimizers.SGD(0.05, momentum=0.9)"
    weighing = ["", "", ", sample_weight=np.linspace(0.2, 1.6, 8)"] if goal != "sequence" else [""]
    if goal in ("class", "onehot", "binary"):
        weighing.append(", class_weight={0: 1.0, 1: 2.5, 2: 0.5}")
    metrics = d.one(metrics)
    kind_of = d.one("metrics weighted_metrics") if metrics != "None" else "metrics"
    functional = d.chance(0.4)
    rows = [f"x = wave((8, *{shape}), {d.number(0, 99)}, {kind!r})", f"y = {y}"]
    if functional:
        typed = ", dtype='int32'" if kind.isdigit() else ""
        rows.append(f"net = start = K.Input({shape}{typed})")
        rows += [f"net = {layer}(net)" for layer in [*layers, last]]
        rows.append("model = K.Model(start, net)")
    else:
        rows.append("model = K.Sequential()")
        rows.append(f"model.add({layers[0][:-1]}, input_shape={shape}))".replace("(, ", "("))
        rows += [f"model.add({layer})" for layer in [*layers[1:], last]]
    rows += [
        "B.set_session(session())",
        f"model.compile({optimizer}, {chosen}, {kind_of}={metrics})",
        "run([]); fill(model.weights)",
        "show(names=model.metrics_names, weights=[(w.name.split('/')[-1], w.shape.as_list()) for w in model.weights])",
        f"kept = model.fit(x, y, batch_size={d.number(2, 8)}, epochs=2, verbose=0, shuffle=False, validation_split={d.one('0.0 0.0 0.3')}{d.one(weighing)})",
        "show(history={k: np.array(v, np.float32) for k, v in kept.history.items()})",
        f"show(evaluated=np.array(model.evaluate(x, y, verbose=0, batch_size={d.number(2, 8)}), np.float32), predicted=model.predict(x, batch_size=3))",
        "show(values=model.get_weights())",
    ]
    way = d.one("none json weights clone config batch data")
    if way == "json":
        rows += [
            "copy = K.models.model_from_json(model.to_json()); copy.set_weights(model.get_weights()); show(copied=copy.predict(x))"
        ]
    elif way == "weights":
        rows += [
            "import os; os.makedirs(folder, exist_ok=True); model.save_weights(folder + '/w.h5'); model.set_weights([w * 0 for w in model.get_weights()]); model.load_weights(folder + '/w.h5'); show(loaded=model.predict(x))"
        ]
    elif way == "clone":
        rows += [
            "copy = K.models.clone_model(model); copy.set_weights(model.get_weights()); show(copied=copy.predict(x))"
        ]
    elif way == "config":
        rows += [
            "copy = type(model).from_config(model.get_config()); show(same=copy.count_params() == model.count_params(), layers=[type(l).__name__ for l in copy.layers])"
        ]
    elif way == "batch":
        rows += [
            "show(batch=np.array(model.train_on_batch(x[:4], y[:4]), np.float32), test=np.array(model.test_on_batch(x, y), np.float32))"
        ]
    elif way == "data":
        rows += [
            "kept = model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat(), epochs=2, steps_per_epoch=2, verbose=0); show(more={k: np.array(v, np.float32) for k, v in kept.history.items()})"
        ]
    return "\n    ".join(rows)


#: Each row, and how many of it are kept here.
ROWS: dict[str, tuple[Row, int]] = {
    "conv": (_conv, 3),
    "conv transposed": (_conv_transposed, 2),
    "conv apart": (_conv_apart, 3),
    "pool": (_pool, 3),
    "simple": (_simple, 7),
    "merge": (_merge, 3),
    "recurrent": (_recurrent, 4),
    "training": (_training, 4),
}


#: TensorFlow itself ends, or 2.15 words it otherwise.
LEFT_OUT = ("conv apart, 0", "conv apart, 2", "simple, 11", "training, 5")


def draw(name: str, seed: int) -> Case:
    """The program of one row and seed; what is refused is shown, too."""
    d = Layers(f"{name} {seed}")
    text = ROWS[name][0](d)
    lines = "".join(f"\n    {line}" for line in [*d.lines, text])
    source = f"{PRELUDE.lstrip()}try:{lines}\nexcept Exception as error:\n    show(error=error)\n"
    return Case(f"drawn_layers/{name}, {seed}", source, rtol=2e-4)


CASES = [
    draw(name, seed)
    for name, (_, count) in ROWS.items()
    for seed in range(count)
    if f"{name}, {seed}" not in LEFT_OUT
]
