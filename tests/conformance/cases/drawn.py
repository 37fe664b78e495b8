"""Cases drawn at random, always the same: an operation, types, shapes, attributes and edge values.

Every row below is one form of expression; a seed decides on what stands in it. Tensors hold ordinary
numbers mixed with edges: NaN, infinities, negative zero, the ends of the integers, empty tensors,
empty and wide strings. What is refused must be refused in the same words.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from tests.conformance.case import Case

SEEDS = 2  # how often each row is drawn

PRELUDE = """
words = [b"", b"a", b"Ab c", b"h\\xc3\\xa9llo", b"\\xe6\\x97\\xa5\\xe6\\x9c\\xac", b" 12 ", b"-3.5", b"x,y,,z", b"1e3"]
edges = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 0.5, 2.5, 1e4]

def mixed(values, edges, rng):
    return [edges[rng.integers(len(edges))] if rng.random() < 0.3 else v for v in values]

def x(dtype, shape, seed, tame=False):
    rng, size = np.random.default_rng(seed), int(np.prod(shape))
    if dtype == "string":
        values = np.array([words[i] for i in rng.integers(0, len(words), size)], object)
        return given(tf.constant(values.reshape(shape), tf.string))
    if dtype == "bool":
        return given(tf.constant(rng.integers(0, 2, shape).astype(bool)))
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        ends = [np.iinfo(kind).min, np.iinfo(kind).max, 0, 1, 2, 7]
        values = rng.integers(1, 6, size) if tame else rng.integers(0, 10, size)
        values = values if tame else mixed(values, ends, rng)
    elif kind.kind == "c":
        values = rng.normal(0.0, 2.0, size) + 1j * rng.normal(0.0, 2.0, size)
    else:
        values = rng.normal(0.0, 2.0, size)
        values = values if tame else mixed(values, edges, rng)
    return given(tf.constant(np.array(values).astype(kind).reshape(shape)))
"""

#: How a tensor comes in: its shape is known while the graph is built, or only while it runs.
GIVEN = ("given = tf.identity", "given = lambda v: tf.placeholder_with_default(v, None)")

#: TensorFlow takes these only when the rank is known.
NEED_RANK = ("nn.softmax", "log_softmax", "image.transpose")

#: What tf.strings.to_number is asked to read.
WRITTEN = ("[]", "['1', '-2']", "['1.5']", "[' 7 ']", "['x']", "['nan', 'inf']", "['9999999999']")

FLOATS = ("float32", "float64", "float32", "float16")
EXACT = ("float32", "float64")
INTEGERS = ("int32", "int64", "int32", "int8", "uint8", "int16")
NUMBERS = ("float32", "int32", "float64", "int64")
REPEATABLE = (*NUMBERS, "string", "uint8")
ANY = (*NUMBERS, "bool", "string", "complex64", "uint8")


class Draw:
    """What one seed decides: the words that a row asks for while it makes its expression."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self.shape: tuple[int, ...] = ()
        self.dtype = ""

    def one(self, words: Sequence[object] | str) -> str:
        """One of some words, or of a text of words."""
        return str(self.pick(words.split() if isinstance(words, str) else words))

    def pick(self, things: Sequence[Any]) -> Any:
        """One of some things."""
        return self._random.choice(things)

    def order(self, count: int) -> list[int]:
        """The first numbers in any order."""
        return self._random.sample(range(count), count)

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def sizes(self, low: int = 0, high: int = 4) -> tuple[int, ...]:
        """A shape of rank `low` to `high`; a size is 0 now and then."""
        return tuple(
            self._random.choice((1, 2, 3, 4, 2, 3, 5, 0)) for _ in range(self.number(low, high))
        )

    def x(
        self,
        dtypes: Sequence[str],
        shape: Sequence[int] | None = None,
        tame: bool = False,
        rank: tuple[int, int] = (0, 4),
    ) -> str:
        """The text of a constant; its shape and type are kept for what is drawn after it."""
        self.shape = self.sizes(*rank) if shape is None else tuple(shape)
        self.dtype = self._random.choice(dtypes)
        more = ", True" if tame else ""
        return f'x("{self.dtype}", {self.shape}, {self.number(0, 999)}{more})'

    def like(self, tame: bool = False) -> str:
        """A constant whose shape broadcasts with that of the last one, mostly."""
        shape = [1 if self.chance(0.25) else size for size in self.shape]
        if self.chance(0.25):
            shape = shape[self.number(0, len(shape)) :]
        elif self.chance(0.15) and len(shape) < 4:
            shape = [2, *shape]
        return self.x([self.dtype], shape, tame)

    def axis(self, wrong: float = 0.05) -> int:
        """An axis of the last constant, from either end, or wrong now and then."""
        rank = len(self.shape)
        if not rank or self.chance(wrong):
            return self.number(-rank - 1, rank)
        return self.number(-rank, rank - 1)

    def axes(self) -> str:
        """None, an axis, or a list of them."""
        rank = len(self.shape)
        if self.chance(0.25) or not rank:
            return "None"
        if self.chance(0.5):
            return str(self.axis())
        some = self._random.sample(range(rank), self.number(0, rank))
        return str([a - rank if self.chance(0.3) else a for a in some])

    def flag(self) -> str:
        return self.one("True False")

    def index(self) -> str:
        """What stands in x[...]: numbers, slices, new axes, an ellipsis."""
        parts = []
        for size in self.shape[: self.number(0, len(self.shape))]:
            bounds = ["", *map(str, range(-size - 1, size + 2))]
            step = self.one(["", ":1", ":2", ":-1", ":-2"])
            slices = f"{self.one(bounds)}:{self.one(bounds)}{step}"
            whole = str(self.number(-size, max(size - 1, 0)))
            parts.append(self.one([slices, slices, whole, "tf.newaxis"]))
        if self.chance(0.3):
            parts.insert(self.number(0, len(parts)), "...")
        return ", ".join(parts) or "..."


Row = Callable[[Draw], str]


def _call(names: str, dtypes: Sequence[str], tame: bool = False) -> Row:
    """f(x) for one of some names."""
    return lambda d: f"tf.{d.one(names)}({d.x(dtypes, tame=tame)})"


def _pair(names: str, dtypes: Sequence[str], tame: bool = False) -> Row:
    """f(x, y) for one of some names, with shapes that broadcast."""
    return lambda d: f"tf.{d.one(names)}({d.x(dtypes, tame=tame)}, {d.like(tame)})"


def _reduce(names: str, dtypes: Sequence[str], tame: bool = False) -> Row:
    return lambda d: f"tf.{d.one(names)}({d.x(dtypes, tame=tame)}, {d.axes()}, keepdims={d.flag()})"


def _transposed(d: Draw) -> str:
    one = d.x(ANY, rank=(2, 4))
    return f"tf.transpose({one}, {d.order(len(d.shape))})"


def _reshaped(d: Draw) -> str:
    one, size = d.x(ANY), 1
    for part in d.shape:
        size *= part
    factor = d.number(1, 4)
    shapes = [[-1], [size], [factor, -1], [-1, factor, 1], [], [1, size, 1], [-1, -1], [size + 1]]
    return f"tf.reshape({one}, {d.one(shapes)})"


def _joined(d: Draw) -> str:
    first = d.x(ANY, rank=(1, 3))
    axis = d.axis()
    other = list(d.shape)
    if -len(other) <= axis < len(other):
        other[axis] = d.number(0, 3)
    return f"tf.concat([{first}, {d.x([d.dtype], other)}], {axis})"


def _stacked(d: Draw) -> str:
    first = d.x(ANY, rank=(0, 3))
    shape, dtype = d.shape, d.dtype
    return f"tf.stack([{first}, {d.x([dtype], shape)}], {d.number(-len(shape) - 1, len(shape))})"


def _product(d: Draw) -> str:
    batch, (n, k, m) = d.sizes(0, 2), (d.number(0, 3), d.number(0, 4), d.number(1, 3))
    left, right = d.one("none transpose adjoint"), d.one("none transpose adjoint")
    a = (*batch, *((n, k) if left == "none" else (k, n)))
    b = (*batch, *((k, m) if right == "none" else (m, k)))
    if d.chance(0.05):
        b = (*b[:-1], b[-1] + 1)
    words = "".join(
        f", {kind}_{side}=True" for side, kind in (("a", left), ("b", right)) if kind != "none"
    )
    one = d.x(("float32", "float64", "int32", "complex64"), a, tame=True)
    return f"tf.matmul({one}, {d.x([d.dtype], b, tame=True)}{words})"


def _contracted(d: Draw) -> str:
    equation, a, b = d.pick(
        [
            ("ij,jk->ik", (2, 3), (3, 4)),
            ("ij,jk", (2, 3), (3, 2)),
            ("bij,bjk->bik", (2, 2, 3), (2, 3, 1)),
            ("i,j->ij", (3,), (2,)),
            ("ijk,k->ij", (2, 3, 4), (4,)),
            ("ij,ij->", (2, 3), (2, 3)),
            ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
            ("bhqd,bhkd->bhqk", (1, 2, 3, 4), (1, 2, 5, 4)),
            ("ij,jk->ki", (2, 0), (0, 4)),
        ]
    )
    return f'tf.einsum("{equation}", {d.x(EXACT, a, True)}, {d.x([d.dtype], b, True)})'


def _windows(d: Draw) -> str:
    name = d.one("max_pool avg_pool")
    size, step = d.number(1, 3), d.number(1, 3)
    image = d.x(EXACT, (d.number(0, 2), d.number(3, 7), d.number(3, 7), d.number(1, 3)), True)
    return f'tf.nn.{name}({image}, {size}, {step}, "{d.one("SAME VALID")}")'


def _convolved(d: Draw) -> str:
    c, k = d.number(1, 3), d.number(1, 3)
    image = d.x(EXACT, (d.number(1, 2), d.number(3, 7), d.number(3, 7), c), True)
    kind = d.one("conv2d depthwise_conv2d")
    weights = d.x([d.dtype], (k, d.number(1, 3), c, d.number(1, 3)), True)
    step, wide = (d.number(1, 2), 1) if d.chance(0.6) else (1, d.number(1, 2))
    step_text = f"[1, {step}, {step}, 1]"
    widths = f"dilations=[{wide}, {wide}]" if kind != "conv2d" else f"dilations={wide}"
    return f'tf.nn.{kind}({image}, {weights}, {step_text}, "{d.one("SAME VALID")}", {widths})'


def _convolved_lines(d: Draw) -> str:
    c = d.number(1, 3)
    rows = d.x(EXACT, (2, d.number(3, 8), c), True)
    weights = d.x([d.dtype], (d.number(1, 3), c, d.number(1, 3)), True)
    return f'tf.nn.conv1d({rows}, {weights}, {d.number(1, 2)}, "{d.one("SAME VALID")}")'


def _padded(d: Draw) -> str:
    one = d.x(("float32", "int32", "bool", "string"), rank=(1, 3))
    mode = d.one("CONSTANT REFLECT SYMMETRIC")
    most = [min(3, size - (mode == "REFLECT")) if mode != "CONSTANT" else 3 for size in d.shape]
    widths = [[d.number(0, max(m, 0)), d.number(0, max(m, 0))] for m in most]
    return f'tf.pad({one}, {widths}, "{mode}")'


def _segments(d: Draw) -> str:
    name = d.one("sum mean max min prod sqrt_n")
    one = d.x(EXACT if name in ("mean", "sqrt_n") else NUMBERS, rank=(1, 3))
    rows = d.shape[0]
    ids = [d.number(-1, 3) for _ in range(rows)]
    return f"tf.math.unsorted_segment_{name}({one}, np.array({ids}, np.int32), 4)"


def _gathered(d: Draw) -> str:
    one = d.x(ANY, rank=(1, 3))
    axis = d.axis(0.0)
    size = d.shape[axis]
    wrong = d.chance(0.1)
    ids = [d.number(0, max(size - 1, 0)) + (9 if wrong else 0) for _ in range(d.number(0, 3))]
    return f"tf.gather({one}, np.array({ids}, np.{d.one('int32 int64')}), axis={axis})"


def _gathered_points(d: Draw) -> str:
    one = d.x(ANY, tuple(d.number(1, 4) for _ in range(d.number(1, 3))))
    depth = d.number(0, len(d.shape))
    points = [[d.number(0, s - 1) for s in d.shape[:depth]] for _ in range(d.number(1, 3))]
    return f"tf.gather_nd({one}, np.array({points}, np.int32).reshape({len(points)}, {depth}))"


def _scattered(d: Draw) -> str:
    size, rows = d.number(1, 5), d.number(0, 4)
    ids = [[d.number(0, size - 1)] for _ in range(rows)]
    values = d.x(NUMBERS, (rows, 2), True)
    return f"tf.scatter_nd(np.array({ids}, np.int32).reshape({rows}, 1), {values}, [{size}, 2])"


def _cast(d: Draw) -> str:
    return f"tf.cast({d.x((*NUMBERS, 'bool', 'float16', 'uint8', 'int8', 'complex64'), tame=True)}, tf.{d.one((*NUMBERS, 'bool', 'float16', 'uint8', 'int16', 'complex64'))})"


def _as_text(d: Draw) -> str:
    one = d.x((*NUMBERS, "bool", "int8", "complex64"))
    precise = d.dtype in ("float32", "float64")
    more = d.one(["", ", precision=2", ", scientific=True", ", shortest=True"]) if precise else ""
    width = ", width=7" + d.one(["", ', fill="0"', ', fill=" "']) if d.chance(0.3) else ""
    return f"tf.as_string({one}{more}{width})"


def _resized(d: Draw) -> str:
    image = d.x(
        ("float32", "float64", "uint8", "int32"), (1, d.number(1, 5), d.number(1, 5), 2), True
    )
    method = d.one("bilinear nearest_neighbor bicubic area")
    size = [d.number(1, 7), d.number(1, 7)]
    return f"tf.image.resize_{method}({image}, {size}, align_corners={d.flag()})"


def _losses(d: Draw) -> str:
    n, k = d.number(0, 4), d.number(1, 5)
    logits = d.x(FLOATS, (n, k), True)
    if d.chance(0.5):
        ids = [d.number(0, k - 1) for _ in range(n)]
        where = f"np.array({ids}, np.{d.one('int32 int64')})"
        return f"tf.nn.sparse_softmax_cross_entropy_with_logits(labels={where}, logits={logits})"
    kind = d.one("softmax_cross_entropy_with_logits_v2 sigmoid_cross_entropy_with_logits")
    labels = d.x([d.dtype], (n, k), True)
    return f"tf.nn.{kind}(labels={labels}, logits={logits})"


def _ranged(d: Draw) -> str:
    start, limit = d.number(-4, 9), d.number(-4, 9)
    step = d.one(["1", "2", "-1", "0.5", "-3", "0"])
    return f"tf.range({start}, {limit}, {step})"


def _matrices(d: Draw) -> str:
    n, batch = d.number(1, 4), d.sizes(0, 1)
    name = d.one("inv det cholesky trace qr svd self_adjoint_eigvals slogdet expm")
    one = d.x(EXACT, (*batch, n, n), True)
    spd = f"(lambda m: tf.matmul(m, m, transpose_b=True) + 2.0 * tf.eye({n}, dtype=m.dtype))({one})"
    if name == "svd":
        return f"tf.linalg.svd({one}, compute_uv=False)"
    if name == "qr":
        return f"tf.matmul(*tf.linalg.qr({spd}))"
    if name == "self_adjoint_eigvals":
        return f"tf.linalg.eigvalsh({spd})"
    if name == "slogdet":
        return f"tf.linalg.slogdet({spd})[1]"
    return f"tf.linalg.{name}({spd})"


UNARY = (
    "abs negative sign square sqrt rsqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh "
    "tanh asinh acosh atanh erf erfc lgamma digamma floor ceil round rint sigmoid reciprocal "
    "nn.softplus nn.softsign nn.relu nn.relu6 nn.elu nn.selu nn.leaky_relu log_sigmoid "
    "is_nan is_inf is_finite zeros_like ones_like identity"
)
SMOOTH = (
    "square exp expm1 sin cos atan tanh asinh erf erfc sigmoid nn.softplus nn.elu nn.selu sinh "
    "nn.leaky_relu log_sigmoid negative abs nn.softsign"
)
ARITHMETIC = (
    "add subtract multiply maximum minimum squared_difference equal not_equal less less_equal "
    "greater greater_equal"
)

ROWS: dict[str, Row] = {
    "unary 1": _call(UNARY, FLOATS),
    "unary 2": _call(UNARY, FLOATS),
    "unary 3": _call(UNARY, FLOATS),
    "unary complex": _call(
        "abs negative square sqrt exp log sin cos tanh sigmoid conj real imag angle reciprocal sign",
        ("complex64", "complex128"),
        True,
    ),
    "unary integers": _call("abs negative identity", INTEGERS),
    "arithmetic 1": _pair(ARITHMETIC, FLOATS),
    "arithmetic 2": _pair(ARITHMETIC, INTEGERS),
    "arithmetic 3": _pair(ARITHMETIC, NUMBERS),
    "division 1": _pair("divide truediv floordiv mod floormod div div_no_nan", EXACT),
    "division 2": _pair(
        "floordiv mod floormod truncatediv truncatemod div truediv", INTEGERS, True
    ),
    "binary float": _pair("pow atan2 math.xlogy math.xdivy math.multiply_no_nan", EXACT),
    "binary complex": _pair(
        "add subtract multiply divide equal not_equal pow", ("complex64",), True
    ),
    "logical": _pair("logical_and logical_or logical_xor equal not_equal", ("bool",)),
    "compared texts": _pair("equal not_equal", ("string",)),
    "reductions 1": _reduce(
        "reduce_sum reduce_mean reduce_max reduce_min reduce_prod", EXACT, True
    ),
    "reductions 2": _reduce("reduce_sum reduce_max reduce_min", INTEGERS, True),
    "reductions 3": _reduce("reduce_any reduce_all", ("bool",)),
    "reductions 4": _reduce(
        "reduce_logsumexp math.reduce_std math.reduce_variance math.reduce_euclidean_norm",
        EXACT,
        True,
    ),
    "reductions of edges": _reduce(
        "reduce_sum reduce_max reduce_min reduce_mean reduce_logsumexp", EXACT
    ),
    "arg": lambda d: (
        f"tf.{d.one('argmax argmin')}({d.x(NUMBERS, tame=True, rank=(1, 4))}, {d.axis()}, "
        f"output_type=tf.{d.one('int32 int64')})"
    ),
    "running": lambda d: (
        f"tf.{d.one('cumsum cumprod')}({d.x(NUMBERS, tame=True, rank=(1, 3))}, {d.axis()}, "
        f"exclusive={d.flag()}, reverse={d.flag()})"
    ),
    "unsorted segments": _segments,
    "transpose": _transposed,
    "reshape": _reshaped,
    "concat": _joined,
    "stack": _stacked,
    "unstack": lambda d: f"tf.stack(tf.unstack({d.x(ANY, rank=(1, 3))}, axis={d.axis()}), 0)",
    "split": lambda d: f"tf.split({d.x(ANY, rank=(1, 3))}, {d.number(1, 3)}, {d.axis()})[-1]",
    "index 1": lambda d: f"{d.x(ANY, rank=(1, 4))}[{d.index()}]",
    "index 2": lambda d: f"{d.x(ANY, rank=(1, 4))}[{d.index()}]",
    "index 3": lambda d: f"{d.x(ANY, rank=(0, 4))}[{d.index()}]",
    "slice": lambda d: (
        f"tf.slice({d.x(ANY, rank=(1, 3))}, {[d.number(0, s) for s in d.shape]}, "
        f"{[d.number(-1, s) for s in d.shape]})"
    ),
    "expand_dims": lambda d: f"tf.expand_dims({d.x(ANY, rank=(0, 3))}, {d.axis(0.2)})",
    "squeeze": lambda d: f"tf.squeeze({d.x(ANY)}, {d.axes()})",
    "tile": lambda d: f"tf.tile({d.x(ANY, rank=(1, 3))}, {[d.number(0, 2) for _ in d.shape]})",
    "gather": _gathered,
    "gather_nd": _gathered_points,
    "scatter_nd": _scattered,
    "pad": _padded,
    "reverse": lambda d: f"tf.reverse({d.x(ANY, rank=(1, 3))}, [{d.axis()}])",
    "roll": lambda d: f"tf.roll({d.x(ANY, rank=(1, 3))}, {d.number(-3, 5)}, {d.axis()})",
    "where": lambda d: f"tf.where({d.x(('bool', 'float32', 'int32', 'complex64'))})",
    "choice": lambda d: f"tf.where({d.x(('bool',))}, {(one := d.x(ANY, d.shape))}, {one})",
    "one_hot": lambda d: (
        f"tf.one_hot({d.x(('int32', 'int64', 'uint8'), rank=(0, 3))}, {d.number(0, 4)}, "
        f"axis={d.number(-1, len(d.shape))}, on_value={d.one('2.0 5 None')})"
    ),
    "sequence_mask": lambda d: (
        f"tf.sequence_mask({d.x(('int32', 'int64'), tame=True, rank=(0, 2))}, "
        f"{d.one('None 3 7')}, tf.{d.one('bool float32 int32')})"
    ),
    "boolean_mask": lambda d: (
        f"tf.boolean_mask({d.x(ANY, rank=(1, 3))}, {d.x(('bool',), d.shape[: d.number(1, len(d.shape))])})"
    ),
    "range": _ranged,
    "linspace": lambda d: (
        f"tf.linspace({d.number(-3, 3)}.0, {d.number(-3, 9)}.0, {d.number(1, 5)})"
    ),
    "band": lambda d: (
        f"tf.linalg.band_part({d.x(NUMBERS, rank=(1, 4))}, {d.number(-1, 3)}, {d.number(-1, 3)})"
    ),
    "diagonals": lambda d: (
        f"tf.{d.one('diag linalg.diag linalg.diag_part diag_part linalg.trace')}"
        f"({d.x(NUMBERS, rank=(1, 3))})"
    ),
    "set_diag": lambda d: (
        f"tf.linalg.set_diag({d.x(NUMBERS, (n := d.number(1, 4), m := d.number(1, 4)))}, "
        f"{d.x([d.dtype], (min(n, m),))})"
    ),
    "top_k": lambda d: (
        f"tf.nn.top_k({d.x(NUMBERS, tame=True, rank=(0, 3))}, {d.number(0, 4)})[{d.number(0, 1)}]"
    ),
    "sort": lambda d: (
        f"tf.{d.one('sort argsort')}({d.x(NUMBERS, tame=True, rank=(1, 3))}, {d.axis()}, "
        f"'{d.one('ASCENDING DESCENDING')}')"
    ),
    "unique": lambda d: f"tf.unique({d.x(REPEATABLE, (d.number(0, 6),), True)})[-1]",
    "broadcast_to": lambda d: (
        f"tf.broadcast_to({d.x(ANY, rank=(0, 3))}, {[2, *(3 if s == 1 else s for s in d.shape)]})"
    ),
    "cast 1": _cast,
    "cast 2": _cast,
    "saturate_cast": lambda d: (
        f"tf.saturate_cast({d.x(('int32', 'int64'))}, tf.{d.one('int8 uint8 int16 int32')})"
    ),
    "reverse_sequence": lambda d: (
        f"tf.reverse_sequence({d.x(ANY, (3, d.number(2, 5), 2))}, "
        f"{[d.number(0, d.shape[1] + d.number(0, 1)) for _ in range(3)]}, seq_axis=1, batch_axis=0)"
    ),
    "repeat": lambda d: f"tf.repeat({d.x(ANY, rank=(1, 3))}, {d.number(0, 3)}, {d.axes()})",
    "clip": lambda d: (
        f"tf.clip_by_value({d.x(NUMBERS)}, tf.constant(-1, tf.{d.dtype}), tf.constant(2, tf.{d.dtype}))"
    ),
    "matmul 1": _product,
    "matmul 2": _product,
    "einsum": _contracted,
    "tensordot": lambda d: (
        f"tf.tensordot({d.x(EXACT, (2, 3, 4), True)}, {d.x([d.dtype], (4, 3, 2), True)}, "
        f"{d.one([0, 1, [[1], [1]], [[2, 1], [0, 1]], [[-1], [0]], 2])})"
    ),
    "matrices": _matrices,
    "norm": lambda d: (
        f"tf.norm({d.x(EXACT, tame=True, rank=(1, 3))}, ord={d.one(['1', '2', 'np.inf', '3'])}, "
        f"axis={d.axis(0.0)}, keepdims={d.flag()})"
    ),
    "softmax": lambda d: (
        f"tf.nn.{d.one('softmax log_softmax')}({d.x(FLOATS, tame=True, rank=(1, 4))}, {d.axis()})"
    ),
    "normalized": lambda d: f"tf.nn.l2_normalize({d.x(EXACT, tame=True, rank=(1, 3))}, {d.axis()})",
    "moments": lambda d: (
        f"tf.nn.moments({d.x(FLOATS, tame=True, rank=(1, 4))}, [{d.axis(0.0)}], keepdims={d.flag()})"
        f"[{d.number(0, 1)}]"
    ),
    "bias_add": lambda d: (
        f"tf.nn.bias_add({d.x(EXACT, tame=True, rank=(2, 4))}, {d.x([d.dtype], d.shape[-1:], True)})"
    ),
    "pooling": _windows,
    "convolution 1": _convolved,
    "convolution 2": _convolved,
    "conv1d": _convolved_lines,
    "losses": _losses,
    "in_top_k": lambda d: (
        f"tf.nn.in_top_k({d.x(('float32',), (3, 4), True)}, {[d.number(0, 3) for _ in range(3)]}, "
        f"{d.number(0, 4)})"
    ),
    "local response": lambda d: (
        f"tf.nn.lrn({d.x(('float32',), (1, 2, 2, d.number(1, 6)), True)}, {d.number(0, 3)}, "
        f"{d.number(1, 2)}.0, 0.5, 0.75)"
    ),
    "resize 1": _resized,
    "resize 2": _resized,
    "flips": lambda d: (
        f"tf.image.{d.one('flip_left_right flip_up_down transpose')}({d.x(NUMBERS, (2, 3, d.number(1, 3)))})"
    ),
    "colours": lambda d: (
        f"tf.image.{d.one('rgb_to_grayscale rgb_to_hsv hsv_to_rgb rgb_to_yiq rgb_to_yuv')}"
        f"(tf.sigmoid({d.x(EXACT, (2, 2, 3), True)}))"
    ),
    "texts": lambda d: f"tf.strings.{d.one('lower upper strip length')}({d.x(('string',))})",
    "UTF-8": lambda d: f"tf.strings.length({d.x(('string',))}, unit='{d.one('BYTE UTF8_CHAR')}')",
    "substr": lambda d: (
        f"tf.strings.substr({d.x(('string',))}, {d.number(-2, 2)}, {d.number(0, 3)}, "
        f"unit='{d.one('BYTE UTF8_CHAR')}')"
    ),
    "join": lambda d: (
        f"tf.strings.join([{d.x(('string',))}, {d.x(('string',), d.shape)}], '{d.one('- ,')}')"
    ),
    "reduce_join": lambda d: (
        f"tf.strings.reduce_join({d.x(('string',), rank=(0, 3))}, {d.axes()}, keepdims={d.flag()}, "
        f"separator='{d.one('+ -')}')"
    ),
    "buckets": lambda d: (
        f"tf.strings.{d.one('to_hash_bucket_fast to_hash_bucket')}({d.x(('string',))}, {d.number(1, 99)})"
    ),
    "to_number": lambda d: (
        f"tf.strings.to_number({d.one(WRITTEN)}, tf.{d.one('float32 float64 int32 int64')})"
    ),
    "as_string": _as_text,
    "string_split": lambda d: (
        f"tf.string_split({d.x(('string',), (d.number(0, 5),))}, '{d.one(', ; l')}', {d.flag()}).values"
    ),
}

#: Rows whose gradients are compared, too; their numbers are tame.
SLOPES: dict[str, Row] = {
    "unary": lambda d: f"tf.{d.one(SMOOTH)}(a)",
    "power": lambda d: f"tf.pow(tf.abs(a) + 0.5, {d.one(['2.0', '0.5', '-1.0', '3.0'])})",
    "pair": lambda d: (
        f"tf.{d.one('add subtract multiply maximum squared_difference')}(a, 0.5 * a + 1.0)"
    ),
    "reduction": lambda d: (
        f"tf.{d.one('reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp')}"
        f"(a, {d.axes()}, keepdims={d.flag()})"
    ),
    "running": lambda d: (
        f"tf.{d.one('cumsum cumprod')}(a, {d.axis(0.0)}, exclusive={d.flag()}, reverse={d.flag()})"
    ),
    "index": lambda d: f"a[{d.index()}]",
    "softmax": lambda d: f"tf.nn.{d.one('softmax log_softmax')}(a, {d.axis(0.0)})",
    "turned": lambda d: f"tf.reverse(tf.transpose(a), [{d.axis(0.0)}])",
    "top_k": lambda d: "tf.nn.top_k(a, 1)[0]",
    "tile": lambda d: f"tf.tile(a, {[d.number(1, 2) for _ in d.shape]})",
    "pad": lambda d: f"tf.pad(a, {[[d.number(0, 2), d.number(0, 2)] for _ in d.shape]})",
    "normalized": lambda d: f"tf.nn.l2_normalize(a, {d.axis(0.0)})",
    "clip": lambda d: "tf.clip_by_value(a, -1.0, 1.0)",
    "where": lambda d: "tf.where(a > 0.0, a * a, tf.exp(a))",
}


#: Draws of what minitf leaves out.
LEFT_OUT: dict[str, tuple[int, ...]] = {
    "buckets": (1,),
    "colours": (1,),
    "matrices": (0,),
    "reductions 4": (1,),
    "unsorted segments": (0, 1),
}


def _source(text: str, seed: int) -> str:
    """The program: what is refused is shown, too."""
    known = any(word in text for word in NEED_RANK)
    given = GIVEN[0 if known else seed % 2]
    return f"{PRELUDE.lstrip()}\n{given}\ntry:\n    {text}\nexcept Exception as error:\n    show(error=error)\n"


def _cases() -> list[Case]:
    cases = []
    for name, row in ROWS.items():
        for seed in sorted({*range(SEEDS)}.difference(LEFT_OUT.get(name, ()))):
            text = row(Draw(f"{name} {seed}"))
            cases.append(Case(f"drawn/{name}, {seed}", _source(f"value({text})", seed)))
    for name, row in SLOPES.items():
        for seed in range(SEEDS):
            draw = Draw(f"slope {name} {seed}")
            a = draw.x(EXACT, tuple(draw.number(1, 3) for _ in range(draw.number(1, 3))), True)
            text = f"a = {a}; value({row(draw)}, a)"
            cases.append(Case(f"drawn/slope of {name}, {seed}", _source(text, seed)))
    return cases


CASES = _cases()
