"""Calls of the library drawn at random: losses, metrics, networks, images, texts, spectra and the rest.

Each row makes an expression out of tensors that it asks for on the way; their static shapes are known
in full, in part or not at all. Values, static shapes and gradients by all floating tensors are compared.
"""

from collections.abc import Callable, Sequence

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

PRELUDE = """
WORDS = [b"", b"a", b"Ab c", b"h\\xc3\\xa9llo", b"\\xe6\\x97\\xa5\\xe6\\x9c\\xac", b" 12 ", b"x,y,,z", b"a b  c", b"b"]
def x(kind, shape, seed, dtype=tf.float32, static="whole"):
    rng = np.random.default_rng(seed)
    made = {"normal": lambda: rng.normal(size=shape), "unit": lambda: rng.uniform(0.05, 0.95, shape),
            "positive": lambda: rng.uniform(0.2, 3.0, shape), "bool": lambda: rng.integers(0, 2, shape),
            "steps": lambda: rng.integers(-3, 4, shape) * 0.5, "byte": lambda: rng.integers(0, 256, shape),
            "complex": lambda: rng.normal(size=shape) + 1j * rng.normal(size=shape),
            "word": lambda: np.array([WORDS[i] for i in rng.integers(0, len(WORDS), int(np.prod(shape)))], object).reshape(shape)}
    numbers = made[kind]() if kind in made else rng.integers(0, int(kind), shape)
    value = tf.constant(numbers, tf.string) if kind == "word" else tf.constant(np.asarray(numbers).astype(dtype.as_numpy_dtype))
    return tf.identity(value) if static == "whole" else tf.placeholder_with_default(value, static)
def sparse(shape, seed, dtype=tf.float32):
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 9, shape) * (rng.random(shape) < 0.5)
    places = np.argwhere(dense).astype(np.int64).reshape(-1, len(shape))
    return tf.SparseTensor(places, dense[dense != 0].astype(dtype.as_numpy_dtype), shape)
def ragged(seed, kind="normal", dtype=tf.float32, rows=3, inner=()):
    sizes = np.random.default_rng(seed).integers(0, 4, rows)
    return tf.RaggedTensor.from_row_lengths(x(kind, (int(sizes.sum()), *inner), seed, dtype), sizes)
def parts(thing):
    if isinstance(thing, (tf.SparseTensor, tf.RaggedTensor)): return [p for q in ([thing.indices, thing.values, thing.dense_shape] if isinstance(thing, tf.SparseTensor) else [thing.flat_values, *thing.nested_row_splits]) for p in parts(q)]
    if isinstance(thing, dict): return [p for k in sorted(thing) for p in parts(thing[k])]
    if isinstance(thing, (list, tuple)): return [p for t in thing for p in parts(t)]
    return [thing]
def look(result, *inputs):
    found = parts(result)
    show(kinds=[(p.dtype, p.get_shape()) if isinstance(p, tf.Tensor) else p for p in found])
    tensors = [p for p in found if isinstance(p, tf.Tensor)]
    run([])
    session().run(tf.tables_initializer())
    values = session().run(tensors)
    show(values=values)
    floats = [(t, v) for t, v in zip(tensors, values) if t.dtype.is_floating]
    if not floats or not inputs: return
    ramps = [((np.arange(v.size) % 7 + 1) / 4.0).reshape(v.shape).astype(v.dtype) for _, v in floats]
    try: slopes = tf.gradients([t for t, _ in floats], list(inputs), ramps)
    except LookupError: slopes = [None] * len(inputs)  # TensorFlow refuses, minitf knows of none
    slopes = [None if s is None else tf.convert_to_tensor(s) for s in slopes]
    show(none=[s is None for s in slopes], slopes=session().run([s for s in slopes if s is not None]))
def metric(pair):
    one, two = parts(pair[0]), parts(pair[1])
    show(names=[(t.dtype, t.shape) for t in one + two], variables=[(v.name, v.shape.as_list()) for v in tf.local_variables()])
    run([])
    show(first=session().run(two), second=session().run(two), total=session().run(one))
"""


class Inputs(Draw):
    """A draw that names the tensors it hands out; the floating ones are those of the gradients."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.lines: list[str] = []
        self.slopes: list[str] = []

    def _kept(self, text: str) -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def t(self, *shape: int, kind: str = "normal", dtype: str = "", known: bool = False) -> str:
        """A tensor of a kind of numbers; `known`: with its whole static shape."""
        plain = {"bool": "bool", "byte": "uint8", "word": "string", "complex": "complex64"}
        dtype = dtype or plain.get(kind, "int32" if kind.isdigit() else "float32")
        static: object = "whole"
        if not known and self.chance(0.3):
            static = (
                None if self.chance(0.2) else [None if self.chance(0.4) else size for size in shape]
            )
        name = self._kept(f"x({kind!r}, {shape}, {self.number(0, 99)}, tf.{dtype}, {static!r})")
        if dtype.startswith("float"):
            self.slopes.append(name)
        return name

    def sparse(self, *shape: int, dtype: str = "float32") -> str:
        name = self._kept(f"sparse({shape}, {self.number(0, 99)}, tf.{dtype})")
        if dtype.startswith("float"):
            self.slopes.append(f"{name}.values")
        return name

    def ragged(
        self, kind: str = "normal", dtype: str = "float32", inner: Sequence[int] = ()
    ) -> str:
        name = self._kept(
            f"ragged({self.number(0, 99)}, {kind!r}, tf.{dtype}, {self.number(1, 4)}, {tuple(inner)})"
        )
        if dtype.startswith("float"):
            self.slopes.append(f"{name}.flat_values")
        return name

    def sizes_of(self, rank: int, low: int = 1, high: int = 4) -> tuple[int, ...]:
        return tuple(self.number(low, high) for _ in range(rank))


Row = Callable[[Inputs], str]


def program(family: str, name: str, seed: int, row: Row) -> Case:
    """The program that a row makes of a seed; what is refused is shown, too."""
    d = Inputs(f"{name} {seed}")
    text = row(d)
    call = text if text.startswith("metric(") else f"look([{text}], {', '.join(d.slopes)})"
    lines = "".join(f"\n    {line}" for line in [*d.lines, call])
    source = f"{PRELUDE.lstrip()}try:{lines}\nexcept Exception as error:\n    show(error=error)\n"
    return Case(f"{family}/{name}, {seed}", source, rtol=1e-4)


# ---- losses and metrics


def _weights(d: Inputs, n: int, k: int) -> str:
    shape = d.pick([None, (), (n,), (n, 1), (n, k), (1, k)])
    if shape is None:
        return d.one("1.0 0.5 0.0 2")
    return d.t(*shape, kind=d.one("positive 2"), dtype="float32")


def _reduced(d: Inputs) -> str:
    how = d.one("SUM MEAN SUM_BY_NONZERO_WEIGHTS SUM_OVER_BATCH_SIZE NONE SUM_OVER_NONZERO_WEIGHTS")
    return f"reduction=tf.losses.Reduction.{how}"


def _loss(d: Inputs) -> str:
    n, k = d.number(1, 4), d.number(1, 4)
    name = d.one(
        "absolute_difference mean_squared_error huber_loss log_loss hinge_loss cosine_distance "
        "mean_pairwise_squared_error sigmoid_cross_entropy softmax_cross_entropy compute_weighted_loss"
    )
    unit = name in ("log_loss", "hinge_loss") or name.endswith("entropy")
    y, p = d.t(n, k, kind="unit" if unit else "normal"), d.t(n, k, kind="unit")
    weights, more = _weights(d, n, k), _reduced(d)
    if name == "compute_weighted_loss":
        return f"tf.losses.{name}({p}, {weights}, {more})"
    if name == "mean_pairwise_squared_error":
        return f"tf.losses.{name}({y}, {p}, {d.one(['1.0', '0.5', d.t(n, 1, kind='positive')])})"
    extra = {
        "huber_loss": f"delta={d.one('0.3 1.0')}, ",
        "log_loss": f"epsilon={d.one('1e-7 0.1')}, ",
        "cosine_distance": f"axis={d.one('0 1 -1')}, ",
        "sigmoid_cross_entropy": f"label_smoothing={d.one('0 0.1')}, ",
        "softmax_cross_entropy": f"label_smoothing={d.one('0 0.2')}, ",
    }.get(name, "")
    if name == "softmax_cross_entropy":
        weights = d.one(["1.0", "0.3", d.t(n, kind="positive")])
    return f"tf.losses.{name}({y}, {p}, {extra}weights={weights}, {more})"


def _sparse_loss(d: Inputs) -> str:
    n, k = d.number(1, 4), d.number(2, 4)
    shape = d.pick([(n,), (n, 1), (n, 2)])
    logits = d.t(*(shape[:-1] if shape[-1:] == (1,) and len(shape) > 1 else shape), k)
    labels = d.t(*shape, kind=str(k), dtype=d.one("int32 int64"))
    weights = d.one(["1.0", "0.5", d.t(*shape, kind="positive")])
    return f"tf.losses.sparse_softmax_cross_entropy({labels}, {logits}, {weights}, {_reduced(d)})"


def _metric(d: Inputs) -> str:
    n, k = d.number(1, 5), d.number(1, 3)
    shape = d.pick([(n,), (n, k)])
    weights = d.one(
        ["None", "None", d.t(*shape, kind=d.one("positive 2"), dtype="float32"), d.t(n, *[1] * (len(shape) - 1), kind="positive")]
    )  # fmt: skip
    name = d.one(
        "accuracy mean mean_absolute_error mean_squared_error root_mean_squared_error mean_relative_error "
        "mean_cosine_distance percentage_below true_positives false_positives true_negatives false_negatives "
        "precision recall auc auc mean_iou mean_per_class_accuracy mean_tensor precision_at_thresholds "
        "recall_at_thresholds true_positives_at_thresholds false_negatives_at_thresholds "
        "sensitivity_at_specificity specificity_at_sensitivity"
    )
    unit, other = d.t(*shape, kind="unit"), d.t(*shape, kind="unit")
    truth, guess = d.t(*shape, kind="bool"), d.t(*shape, kind="bool")
    classes, drawn = d.t(*shape, kind="3", dtype="int64"), d.t(*shape, kind="3", dtype="int64")
    some = d.one(["[0.5]", "[0.1, 0.5, 0.9]", "[0.0, 0.3]"])
    arguments = {
        "accuracy": f"{classes}, {drawn}, {weights}",
        "mean": f"{unit}, {weights}",
        "mean_tensor": f"{unit}, {weights}",
        "mean_relative_error": f"{unit}, {other}, {unit}, {weights}",
        "mean_cosine_distance": f"{unit}, {other}, {len(shape) - 1}, {weights.replace(weights, 'None')}",
        "percentage_below": f"{unit}, 0.5, {weights}",
        "auc": f"{truth}, {unit}, {weights}, num_thresholds={d.one('200 5 11')}, curve='{d.one('ROC PR')}', "
        f"summation_method='{d.one('trapezoidal careful_interpolation minoring majoring')}'",
        "mean_iou": f"{classes}, {drawn}, 3, {weights}",
        "mean_per_class_accuracy": f"{classes}, {drawn}, 4, {weights}",
        "sensitivity_at_specificity": f"{truth}, {unit}, 0.6, {weights}, num_thresholds={d.one('200 7')}",
        "specificity_at_sensitivity": f"{truth}, {unit}, 0.4, {weights}, num_thresholds={d.one('200 7')}",
    }
    if name.endswith("at_thresholds"):
        given = f"{truth}, {unit}, {some}, {weights}"
    elif name in ("precision", "recall") or name.endswith("tives"):
        given = f"{truth}, {guess}, {weights}"
    else:
        given = arguments.get(name, f"{unit}, {other}, {weights}")
    return f"metric(tf.metrics.{name}({given}))"


def _metric_at_k(d: Inputs) -> str:
    n, classes, k = d.number(1, 4), d.number(3, 5), d.number(1, 3)
    labels = d.t(n, d.number(1, 3), kind=str(classes), dtype="int64", known=True)
    scores = d.t(n, classes, known=True)
    weights = d.one(["None", d.t(n, kind="positive", known=True)])
    name = d.one("precision_at_k recall_at_k average_precision_at_k")
    if name.startswith("average"):
        return f"metric(tf.metrics.{name}({labels}, {scores}, {k}, weights={weights}))"
    one = d.one(["None", str(d.number(0, classes - 1))])
    return f"metric(tf.metrics.{name}({labels}, {scores}, {k}, class_id={one}, weights={weights}))"


# ---- networks


def _padding(d: Inputs) -> str:
    return f'"{d.one("SAME VALID")}"'


def _conv(d: Inputs) -> str:
    rank, c, out = d.number(1, 3), d.number(1, 3), d.number(1, 3)
    # TensorFlow begins elsewhere in a volume whose windows do not touch.
    space, window = d.sizes_of(rank, 4, 6), d.sizes_of(rank, 2 if rank == 3 else 1, 3)
    image = d.t(d.number(1, 2), *space, c)
    filters = d.t(*window, c, out)
    how = d.one("plain rate")
    if how == "plain":
        strides = list(d.sizes_of(rank, 1, 2))
        return f"tf.nn.convolution({image}, {filters}, {_padding(d)}, strides={strides})"
    return f"tf.nn.convolution({image}, {filters}, {_padding(d)}, dilation_rate={list(d.sizes_of(rank, 1, 2))})"


def _conv_named(d: Inputs) -> str:
    c, out = d.number(1, 3), d.number(1, 3)
    h, w = d.sizes_of(2, 3, 6)
    kind = d.one(
        "conv2d conv3d conv1d atrous_conv2d separable_conv2d depthwise_conv2d dilation2d erosion2d explicit"
    )
    pad, (s1, s2), (r1, r2) = _padding(d), d.sizes_of(2, 1, 2), d.sizes_of(2, 1, 2)
    k1, k2 = d.sizes_of(2, 1, 3)
    image = d.t(d.number(1, 2), h, w, c) if kind not in ("conv3d", "conv1d") else ""
    if kind == "conv2d":
        strides, rates = ((s1, s2), (1, 1)) if d.chance(0.5) else ((1, 1), (r1, r2))
        return f"tf.nn.conv2d({image}, {d.t(k1, k2, c, out)}, [1, {strides[0]}, {strides[1]}, 1], {pad}, dilations=[1, {rates[0]}, {rates[1]}, 1])"
    if kind == "explicit":
        sides = [[d.number(0, 2), d.number(0, 2)] for _ in range(2)]
        return f"tf.nn.conv2d({image}, {d.t(k1, k2, c, out)}, [1, {s1}, {s2}, 1], [[0, 0], {sides[0]}, {sides[1]}, [0, 0]])"
    if kind == "conv3d":
        return f"tf.nn.conv3d({d.t(1, 3, h, w, c)}, {d.t(d.number(1, 2), k1, k2, c, out)}, [1, {s1}, {s2}, 1, 1], {pad})"
    if kind == "conv1d":
        return f"tf.nn.conv1d({d.t(2, h + 2, c)}, {d.t(k1, c, out)}, {s1}, {pad}, dilations={d.one([1, 1, r1]) if s1 == 1 else 1})"
    if kind == "atrous_conv2d":
        return f"tf.nn.atrous_conv2d({image}, {d.t(k1, k2, c, out)}, {d.number(1, 3)}, {pad})"
    if kind == "separable_conv2d":
        m = d.number(1, 2)
        rate = f", rate=[{r1}, {r2}]" if s1 == 1 else ""
        return f"tf.nn.separable_conv2d({image}, {d.t(k1, k2, c, m)}, {d.t(1, 1, c * m, out)}, [1, {s1}, {s1}, 1], {pad}{rate})"
    if kind == "depthwise_conv2d":
        rate = f", rate=[{r1}, {r2}]" if s1 == 1 else ""
        return f"tf.nn.depthwise_conv2d({image}, {d.t(k1, k2, c, out)}, [1, {s1}, {s1}, 1], {pad}{rate})"
    return f"tf.nn.{kind}({image}, {d.t(k1, k2, c)}, [1, {s1}, {s2}, 1], [1, {r1}, {r2}, 1], {pad})"


def _conv_transposed(d: Inputs) -> str:
    rank, c, out = d.number(1, 3), d.number(1, 3), d.number(1, 2)
    space, window = d.sizes_of(rank, 1, 4), d.sizes_of(rank, 2, 3)
    step = d.sizes_of(rank, 1, 2 if rank == 3 else 3)
    pad = d.one("SAME VALID")
    image, filters = d.t(2, *space, c, known=True), d.t(*window, out, c, known=True)
    size = [
        n * s - (d.number(0, s - 1) if pad == "SAME" else 0) + (max(k - s, 0) if pad == "VALID" else 0)
        for n, s, k in zip(space, step, window, strict=True)
    ]  # fmt: skip
    steps = step[0] if rank == 1 else [1, *step, 1]
    return f'tf.nn.conv{rank}d_transpose({image}, {filters}, [2, {", ".join(map(str, size))}, {out}], {steps}, "{pad}")'


def _pool(d: Inputs) -> str:
    rank = d.number(1, 3)
    image = d.t(d.number(1, 2), *d.sizes_of(rank, 3, 6), d.number(1, 2))
    window = list(d.sizes_of(rank, 1, 3))
    more = (
        f"strides={list(d.sizes_of(rank, 1, 3))}"
        if d.chance(0.6)
        else f"dilation_rate={list(d.sizes_of(rank, 1, 2))}"
    )
    return f'tf.nn.pool({image}, {window}, "{d.one("MAX AVG")}", {_padding(d)}, {more})'


def _pool_named(d: Inputs) -> str:
    kind = d.one(
        "max_pool3d avg_pool3d max_pool_with_argmax max_pool2d avg_pool1d max_pool1d max_pool avg_pool"
    )
    rank = {"max_pool3d": 3, "avg_pool3d": 3, "avg_pool1d": 1, "max_pool1d": 1}.get(kind, 2)
    image = d.t(d.number(1, 2), *d.sizes_of(rank, 3, 6), d.number(1, 2))
    window, step = [1, *d.sizes_of(rank, 1, 3), 1], [1, *d.sizes_of(rank, 1, 3), 1]
    if kind.endswith("argmax"):
        return f"tf.nn.{kind}({image}, {window}, {step}, {_padding(d)}, include_batch_in_index={d.flag()})"
    if d.chance(0.4):
        return f"tf.nn.{kind}({image}, {window[1:-1]}, {step[1]}, {_padding(d)})"
    return f"tf.nn.{kind}({image}, {window}, {step}, {_padding(d)})"


def _normalized(d: Inputs) -> str:
    c = d.number(1, 3)
    kind = d.one("fused fused batch moments weighted lrn l2 global")
    if kind == "fused":
        image = d.t(2, *d.sizes_of(2), c)
        head = f"tf.nn.fused_batch_norm({image}, {d.t(c, kind='positive')}, {d.t(c)}"
        eps = f"epsilon={d.one('0.001 0.1')}"
        if d.chance(0.5):
            return f"{head}, {eps}, is_training=True)[:3]"
        return f"{head}, mean={d.t(c)}, variance={d.t(c, kind='positive')}, {eps}, is_training=False)[:1]"
    if kind == "batch":
        return f"tf.nn.batch_normalization({d.t(2, 3, c)}, {d.t(c)}, {d.t(c, kind='positive')}, {d.one(['None', d.t(c)])}, {d.one(['None', d.t(c)])}, 0.01)"
    if kind == "moments":
        return f"tf.nn.moments({d.t(2, 3, c)}, {d.one([[0], [0, 1], [-1], [0, 1, 2]])}, keep_dims={d.flag()})"
    if kind == "weighted":
        return f"tf.nn.weighted_moments({d.t(2, 3, c)}, {d.one([[0], [0, 1], [2]])}, {d.t(*d.pick([(2, 3, c), (2, 3, 1), (1, 3, 1)]), kind='positive')}, keep_dims={d.flag()})"
    if kind == "lrn":
        return f"tf.nn.local_response_normalization({d.t(1, 2, 2, 5)}, {d.number(1, 3)}, 1.5, {d.one('0.3 1.0')}, {d.one('0.5 0.75')})"
    if kind == "l2":
        return f"tf.math.l2_normalize({d.t(2, 3, c)}, {d.one(['0', '-1', '[0, 1]', 'None'])}, epsilon={d.one('1e-12 2.0')})"
    return f"tf.clip_by_global_norm([{d.t(2, c)}, {d.t(3)}], {d.one('0.5 100.0')})"


def _ctc(d: Inputs) -> str:
    n, steps, classes = d.number(1, 3), d.number(4, 7), d.number(3, 5)
    logits = d.t(steps, n, classes, known=True)
    lengths = f"np.int32({[d.number(3, steps) for _ in range(n)]})"
    rows = [[d.number(0, classes - 2) for _ in range(d.number(1, 2))] for _ in range(n)]
    places = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    flat = [v for row in rows for v in row]
    labels = f"tf.SparseTensor({places}, np.int32({flat}), [{n}, {max(map(len, rows))}])"
    kind = d.one("loss loss loss_v2 greedy beam beam_v2")
    if kind == "loss":
        return f"tf.nn.ctc_loss({labels}, {logits}, {lengths}, preprocess_collapse_repeated={d.flag()}, ctc_merge_repeated={d.flag()}, ignore_longer_outputs_than_inputs=True)"
    if kind == "loss_v2":
        blank = d.number(-1, classes - 1)
        return f"tf.nn.ctc_loss_v2({labels}, {logits}, None, {lengths}, logits_time_major=True, blank_index={blank})"
    if kind == "greedy":
        return f"tf.nn.ctc_greedy_decoder({logits}, {lengths}, merge_repeated={d.flag()})"
    if kind == "beam":
        return f"tf.nn.ctc_beam_search_decoder({logits}, {lengths}, beam_width={d.number(2, 6)}, top_paths={d.number(1, 2)}, merge_repeated={d.flag()})"
    return f"tf.nn.ctc_beam_search_decoder_v2({logits}, {lengths}, beam_width={d.number(2, 6)}, top_paths=1)"


def _sampled(d: Inputs) -> str:
    n, k, classes, truths, drawn = (
        d.number(1, 3),
        d.number(1, 3),
        d.number(3, 6),
        d.number(1, 2),
        d.number(1, 4),
    )
    weights, biases, inputs = d.t(classes, k), d.t(classes), d.t(n, k, known=True)
    labels = d.t(n, truths, kind=str(classes), dtype="int64", known=True)
    values = f"({d.t(drawn, kind=str(classes), dtype='int64', known=True)}, {d.t(n, truths, kind='positive', known=True)}, {d.t(drawn, kind='positive', known=True)})"
    if d.chance(0.5):
        return f"tf.nn.nce_loss({weights}, {biases}, {labels}, {inputs}, {drawn}, {classes}, {truths}, {values}, {d.flag()})"
    return f"tf.nn.sampled_softmax_loss({weights}, {biases}, {labels}, {inputs}, {drawn}, {classes}, {truths}, {values}, {d.flag()})"


def _looked_up(d: Inputs) -> str:
    rows, k = d.number(3, 6), d.number(1, 3)
    table = d.t(rows, k, known=True)
    how = d.one("'mean' 'sum' 'sqrtn'")
    ids = f"tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], np.int64({[d.number(0, rows - 1) for _ in range(4)]}), [4, 3])"
    kind = d.one("sparse safe plain parts")
    weights = d.one(
        [
            "None",
            f"tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], {d.t(4, kind='positive', known=True)}, [4, 3])",
        ]
    )
    norm = d.one("None 0.5")
    if kind == "sparse":
        return f"tf.nn.embedding_lookup_sparse({table}, {ids}, {weights}, combiner={how}, max_norm={norm})"
    if kind == "safe":
        return f"tf.nn.safe_embedding_lookup_sparse({table}, {ids}, {weights}, combiner={how}, default_id={d.one('None 0')}, max_norm={norm})"
    if kind == "plain":
        return f"tf.nn.embedding_lookup({table}, {d.t(2, 2, kind=str(rows))}, max_norm={norm})"
    strategy = d.one("mod div")
    return f'tf.nn.embedding_lookup([{d.t(2, k, known=True)}, {d.t(2, k, known=True)}], {d.t(3, kind="4")}, partition_strategy="{strategy}", max_norm={norm})'


def _small_network(d: Inputs) -> str:
    return d.one(
        [
            f"tf.nn.weighted_cross_entropy_with_logits({d.t(2, 3, kind='unit')}, {d.t(2, 3)}, {d.one('0.5 2.0')})",
            f"tf.nn.log_poisson_loss({d.t(3, kind='positive')}, {d.t(3)}, compute_full_loss={d.flag()})",
            f"tf.nn.crelu({d.t(2, 3)}, axis={d.one('0 1 -1')})",
            f"tf.nn.relu_layer({d.t(2, 3)}, {d.t(3, 2)}, {d.t(2)})",
            f"tf.nn.xw_plus_b({d.t(2, 3)}, {d.t(3, 2)}, {d.t(2)})",
            f"tf.nn.zero_fraction({d.t(2, 3, kind='steps')})",
            f"tf.nn.l2_loss({d.t(2, 3)})",
            f"tf.nn.bias_add({d.t(2, 3, 4, 2)}, {d.t(2)})",
            f"tf.nn.bias_add({d.t(2, 3, 4, 2)}, {d.t(3)}, data_format='NCHW')",
            f"tf.nn.leaky_relu({d.t(2, 3)}, {d.one('0.1 0.9')})",
            f"tf.nn.softmax_cross_entropy_with_logits_v2(labels={d.t(3, 2, kind='unit')}, logits={d.t(3, 2)}, axis={d.one('0 1 -1')})",
            f"tf.nn.sufficient_statistics({d.t(2, 3)}, {d.one([[0], [1], [0, 1]])}, keep_dims={d.flag()})",
            f"tf.nn.quantized_relu_x is not None, tf.nn.relu6({d.t(2, 3)})",
            f"tf.nn.conv2d_backprop_input([1, 4, 4, 2], {d.t(2, 2, 2, 3, known=True)}, {d.t(1, 4, 4, 3, known=True)}, [1, 1, 1, 1], 'SAME')",
            f"tf.nn.conv2d_backprop_filter({d.t(1, 4, 4, 2, known=True)}, [2, 2, 2, 3], {d.t(1, 2, 2, 3, known=True)}, [1, 2, 2, 1], 'SAME')",
        ]
    )


CELLS = (
    "tf.nn.rnn_cell.BasicRNNCell({u})",
    "tf.nn.rnn_cell.GRUCell({u})",
    "tf.nn.rnn_cell.BasicLSTMCell({u}, state_is_tuple={f})",
    "tf.nn.rnn_cell.LSTMCell({u}, use_peepholes={f})",
    "tf.nn.rnn_cell.LSTMCell({u}, num_proj=2, proj_clip=0.1)",
    "tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell({u}), tf.nn.rnn_cell.BasicRNNCell(2)])",
    "tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(2))",
    "tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell({u}), 1.0, 1.0)",
)


def _recurrent(d: Inputs) -> str:
    d.lines.append(
        "tf.get_variable_scope().set_initializer(lambda shape, dtype=None, partition_info=None: "
        "tf.constant(np.sin(np.arange(np.prod([int(n) for n in shape])) * 1.7).reshape([int(n) for n in shape]), tf.float32))"
    )
    major = d.flag()
    shape = (4, 3, 2) if major == "True" else (3, 4, 2)
    inputs = d.t(*shape, known=True)
    one, two = (d.one(CELLS).format(u=d.number(1, 3), f=d.flag()) for _ in range(2))
    lengths = d.one(["None", "[4, 0, 2]", "[1, 4, 3]"])
    kind = d.one("dynamic dynamic both static both_static")
    if kind == "dynamic":
        return (
            f"tf.nn.dynamic_rnn({one}, {inputs}, {lengths}, dtype=tf.float32, time_major={major})"
        )
    if kind == "both":
        return f"tf.nn.bidirectional_dynamic_rnn({one}, {two}, {inputs}, {lengths}, dtype=tf.float32, time_major={major})"
    steps = f"tf.unstack({inputs}, axis={0 if major == 'True' else 1})"
    if kind == "static":
        return f"tf.nn.static_rnn({one}, {steps}, dtype=tf.float32, sequence_length={lengths})"
    return f"tf.nn.static_bidirectional_rnn({one}, {two}, {steps}, dtype=tf.float32, sequence_length={lengths})"


# ---- images


def _resized(d: Inputs) -> str:
    kind = d.one("bilinear nearest_neighbor bicubic")
    image = d.t(d.number(1, 2), *d.sizes_of(2, 1, 6), d.number(1, 3))
    centers = d.one(["align_corners=True", "half_pixel_centers=True", "align_corners=False"])
    return f"tf.image.resize_{kind}({image}, {list(d.sizes_of(2, 1, 8))}, {centers})"


def _resized_images(d: Inputs) -> str:
    shape = d.pick([(3, 5, 2), (1, 4, 4, 3), (2, 5, 3, 1)])
    image = d.t(*shape, kind=d.one("normal byte"), known=d.chance(0.7))
    method = d.one("BILINEAR NEAREST_NEIGHBOR BICUBIC AREA")
    return (
        f"tf.image.resize_images({image}, {list(d.sizes_of(2, 1, 7))}, tf.image.ResizeMethod.{method}, "
        f"align_corners={d.flag()}, preserve_aspect_ratio={d.flag()})"
    )


def _fitted(d: Inputs) -> str:
    image = d.t(*d.pick([(4, 5, 2), (2, 4, 5, 1)]), kind=d.one("normal byte unit"))
    size = d.sizes_of(2, 1, 8)
    return d.one(
        [
            f"tf.image.resize_image_with_crop_or_pad({image}, {size[0]}, {size[1]})",
            f"tf.image.resize_image_with_pad({image}, {size[0]}, {size[1]})",
            f"tf.image.pad_to_bounding_box({image}, {d.number(0, 2)}, {d.number(0, 2)}, {d.number(4, 8)}, {d.number(5, 8)})",
            f"tf.image.crop_to_bounding_box({image}, {d.number(0, 2)}, {d.number(0, 2)}, {d.number(1, 3)}, {d.number(1, 4)})",
            f"tf.image.central_crop({image}, {d.one('0.3 0.5 0.8 1.0')})",
            f"tf.image.rot90({image}, {d.number(-1, 5)})",
            f"tf.image.flip_left_right({image})",
            f"tf.image.flip_up_down({image})",
            f"tf.image.transpose({image})",
            f"tf.image.per_image_standardization({image})",
        ]
    )


def _coloured(d: Inputs) -> str:
    shape = d.pick([(2, 3, 3), (2, 2, 2, 3)])
    image = d.t(*shape, kind=d.one("unit unit byte"))
    return d.one(
        [
            f"tf.image.adjust_brightness({image}, {d.one('0.2 -0.3')})",
            f"tf.image.adjust_contrast({image}, {d.one('0.5 2.0')})",
            f"tf.image.adjust_hue({image}, {d.one('0.1 -0.7 0.5')})",
            f"tf.image.adjust_saturation({image}, {d.one('0.5 2.0 0.0')})",
            f"tf.image.adjust_gamma({image}, {d.one('0.5 2.0')}, {d.one('1 0.7')})",
            f"tf.image.rgb_to_grayscale({image})",
            f"tf.image.grayscale_to_rgb({image}[..., :1])",
            f"tf.image.convert_image_dtype({image}, tf.{d.one('float32 uint8 int16 float64 uint16 float16')}, saturate={d.flag()})",
            f"tf.image.rgb_to_hsv(tf.image.convert_image_dtype({image}, tf.float32))",
            f"tf.image.hsv_to_rgb(tf.image.convert_image_dtype({image}, tf.float32))",
            f"tf.image.rgb_to_yuv(tf.image.convert_image_dtype({image}, tf.float32))",
            f"tf.image.yiq_to_rgb(tf.image.convert_image_dtype({image}, tf.float32))",
            f"tf.image.decode_png(tf.image.encode_png({d.t(3, 2, d.number(1, 4), kind='byte', known=True)}), channels={d.one('0 1 3 4')})",
            f"tf.image.total_variation({image})",
        ]
    )


def _patches(d: Inputs) -> str:
    image = d.t(d.number(1, 2), *d.sizes_of(2, 3, 6), d.number(1, 2))
    size, step, rate = d.sizes_of(2, 1, 3), d.sizes_of(2, 1, 3), d.sizes_of(2, 1, 2)
    return d.one(
        [
            f"tf.image.extract_image_patches({image}, [1, {size[0]}, {size[1]}, 1], [1, {step[0]}, {step[1]}, 1], [1, {rate[0]}, {rate[1]}, 1], {_padding(d)})",
            f"tf.image.sobel_edges({image})",
            f"tf.image.image_gradients({image})",
            f"tf.image.extract_glimpse({image}, {list(size)}, {d.t(1, 2, kind='steps')}[:tf.shape({image})[0]] + tf.zeros([tf.shape({image})[0], 2]), centered={d.flag()}, normalized={d.flag()})",
            f"tf.image.psnr({d.t(2, 4, 4, 1, kind='unit')}, {d.t(2, 4, 4, 1, kind='unit')}, {d.one('1.0 2.0')})",
            f"tf.image.ssim({d.t(2, 12, 13, 2, kind='unit')}, {d.t(2, 12, 13, 2, kind='unit')}, 1.0, filter_size={d.number(3, 11)}, filter_sigma={d.one('1.5 0.8')})",
        ]
    )


#: Each row, and how many of it are kept here.
ROWS: dict[str, tuple[Row, int]] = {
    "loss": (_loss, 3),
    "sparse loss": (_sparse_loss, 2),
    "metric": (_metric, 6),
    "metric at k": (_metric_at_k, 2),
    "conv": (_conv, 2),
    "conv by name": (_conv_named, 4),
    "conv transposed": (_conv_transposed, 2),
    "pool": (_pool, 2),
    "pool by name": (_pool_named, 3),
    "normalized": (_normalized, 2),
    "ctc": (_ctc, 3),
    "sampled": (_sampled, 2),
    "looked up": (_looked_up, 2),
    "small network": (_small_network, 3),
    "recurrent": (_recurrent, 3),
    "resized": (_resized, 2),
    "resized images": (_resized_images, 3),
    "fitted": (_fitted, 3),
    "coloured": (_coloured, 4),
    "patches": (_patches, 2),
}

#: What TensorFlow 2.15 does otherwise than 1.15, or knows less of.
LEFT_OUT = (
    "metric, 5",  # draws what minitf leaves out
    "patches, 0",  # draws what minitf leaves out
    "coloured, 2",  # draws what minitf leaves out
    "conv by name, 0",  # draws what minitf leaves out
    "pool by name, 0",  # draws what minitf leaves out
    "pool by name, 2",  # draws what minitf leaves out
    "small network, 0",  # draws what minitf leaves out
    "loss, 1",  # 1.15 names other parts of the assertion
    "pool, 0",  # the message has more in it
    "pool, 1",  # the message has more in it
    "normalized, 2",  # a gradient of given statistics
    "coloured, 1",  # a gradient of hues
)


def draw(name: str, seed: int) -> Case:
    """The program of one row and seed."""
    return program("drawn_library", name, seed, ROWS[name][0])


#: Seeds beyond that once told minitf from TensorFlow.
MORE = {"sampled": (8, 20), "ctc": (20,), "sparse loss": (18, 23), "fitted": (7,), "boxes": (8, 9)}

CASES = [
    draw(name, seed)
    for name, (_, count) in ROWS.items()
    for seed in (*range(count), *MORE.get(name, ()))
    if f"{name}, {seed}" not in LEFT_OUT
]
