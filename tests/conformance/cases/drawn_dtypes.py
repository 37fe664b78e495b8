"""Arithmetic between tensors, Python numbers, NumPy's, lists and texts of every type.

A program is one expression: what it makes (name, type, shape), its value, or the words
in which it is refused.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

#: Those of some hundred seeds that found something, and a few more; TensorFlow itself answers all.
SEEDS = (
    1,
    2,
    3,
    5,
    6,
    7,
    12,
    13,
    14,
    15,
    16,
    17,
    19,
    20,
    21,
    22,
    23,
    25,
    26,
    27,
    28,
    30,
    32,
    33,
    34,
    36,
    38,
    39,
    40,
    41,
    42,
    44,
    47,
    48,
    50,
    51,
    52,
    53,
    54,
    55,
    56,
    57,
    59,
    60,
    62,
    63,
    67,
    68,
    69,
    70,
    71,
    73,
    75,
    76,
    80,
    83,
    84,
    85,
    86,
)

PRELUDE = """
def step(name, make):
    try:
        made = make()
        show(**{name: made})
    except Exception as error:
        show(**{name: error})
        return
    try:
        parts = [t for t in tf.nest.flatten(made) if isinstance(t, (tf.Tensor, tf.Variable))]
        show(**{name + " value": run(parts)})
    except Exception as error:
        show(**{name + " value": error})

class Ten:
    def __array__(self, dtype=None):
        return np.array([10, 20], dtype or np.int64)

def p(value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)

"""

TYPES = ("float32", "float32", "int32", "int32", "float64", "int64", "float16", "uint8", "int8", "int16", "bool", "complex64",
         "string", "uint16", "complex128", "bfloat16")  # fmt: skip
VALUES = {
    "f": ["1.5", "-2.0", "0.0", "[1.0, -2.5]", "[0.5, np.nan]", "[np.inf, -1.0]", "[[1.0], [2.0]]", "3.7", "-0.5", "[-3.5, 7.25]"],
    "i": ["1", "-7", "[3, -2]", "0", "[[5], [7]]", "[-7, 7]", "13", "[1, 100]"],
    "u": ["1", "7", "[3, 200]", "0", "[[5], [7]]", "255", "[250, 10]"],
    "b": ["True", "False", "[True, False]"],
    "c": ["1 + 2j", "[1j, 2.0]", "-1.5"],
    "s": ["'a'", "['b', 'cd']", "b'x'", "''"],
}  # fmt: skip
PYTHON = ("1", "2", "-3", "0", "2.5", "-0.5", "1.0", "True", "1j", "'a'", "None", "[1, 2]", "[1.5, 2]", "[True, False]", "(3, 4)",
          "2 ** 31", "2 ** 40", "-1", "300", "1e40", "float('nan')", "[[1], [2]]", "['x', 'y']", "[]", "1 + 2j", "[1, 2.5]", "b'b'", "1e-50")  # fmt: skip
NUMPY = ("np.float64(2)", "np.float32(1.5)", "np.int64(3)", "np.int32(-2)", "np.uint8(250)", "np.array([1, 2])", "np.array([1.5, 2.5])",
         "np.array([1.0, 2.0], np.float32)", "np.bool_(True)", "np.array(['u', 'v'])", "np.array([1, 2], np.int16)", "np.float16(0.5)",
         "np.array(3)", "np.zeros([0])", "np.array([[1, 2]], np.int32)", "np.complex64(1j)", "Ten()", "np.array([b'q', b'r'])")  # fmt: skip
OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "&",
    "|",
    "^",
    "<",
    "<=",
    ">",
    ">=",
    "@",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
)
BINARY = ("add", "subtract", "multiply", "divide", "truediv", "floordiv", "mod", "floormod", "truncatediv", "truncatemod", "maximum",
          "minimum", "pow", "equal", "not_equal", "less", "greater_equal", "squared_difference", "div", "realdiv", "atan2",
          "math.xdivy", "div_no_nan", "bitwise.bitwise_and", "bitwise.left_shift", "bitwise.right_shift", "logical_and", "logical_xor",
          "complex", "matmul", "tensordot", "math.floor_div")  # fmt: skip
UNARY = ("abs", "negative", "sign", "square", "sqrt", "exp", "log", "floor", "ceil", "round", "rint", "logical_not", "reduce_sum", "reduce_mean",
         "reduce_max", "reduce_min", "reduce_prod", "reduce_any", "cumsum", "cumprod", "argmax", "argmin", "zeros_like", "ones_like", "identity", "to_float", "to_int32",
         "to_int64", "to_double", "as_string", "shape", "size", "rank", "nn.relu", "sigmoid", "tanh", "is_nan", "is_finite", "reciprocal", "conj",
         "real", "angle", "bitwise.invert", "nn.softmax", "stop_gradient", "convert_to_tensor", "constant", "transpose", "where", "range",
         "nn.softplus", "nn.elu", "erf", "math.reduce_std", "count_nonzero", "unique", "diag", "invert_permutation", "math.reduce_variance",
         "nn.relu6", "nn.leaky_relu", "lgamma", "sort", "math.bincount", "reverse_v2", "nn.l2_loss", "strings.length", "strings.lower", "to_complex64",
         "guarantee_const", "global_norm", "trace", "math.is_non_decreasing", "imag", "eye", "fill", "zeros", "sequence_mask", "not_there")  # fmt: skip


class Mixed:
    def __init__(self, d: Draw) -> None:
        self.d = d
        self.last = "float32"

    def value_of(self, dtype: str) -> str:
        kind = {
            "float": "f",
            "bfloa": "f",
            "int": "i",
            "uint": "u",
            "bool": "b",
            "compl": "c",
            "strin": "s",
        }
        return self.d.one(next(VALUES[k] for name, k in kind.items() if dtype.startswith(name)))

    def tensor(self, dtype: str | None = None) -> str:
        d = self.d
        self.last = dtype or d.one(TYPES)
        value = self.value_of(self.last)
        form = d.one(["tf.constant({0}, tf.{1})", "tf.constant({0}, tf.{1})", "p({0}, tf.{1})", "tf.Variable({0}, dtype=tf.{1})",
                      "tf.cast(p({0}, tf.{1}), tf.{1})"])  # fmt: skip
        return form.format(value, self.last)

    def other(self) -> str:
        """What meets a tensor: one of its type, or of any kind."""
        d = self.d
        kind = d.number(0, 9)
        if kind < 3:
            return self.tensor(self.last if d.chance(0.8) else None)
        if kind < 8:
            return d.one(PYTHON)
        return d.one(NUMPY)

    def expression(self, depth: int = 1) -> str:
        d = self.d
        kind = d.number(0, 13)
        x = f"({self.expression(depth - 1)})" if depth and d.chance(0.25) else self.tensor()
        last = self.last
        dtype = f"tf.{d.one(TYPES)}"
        if kind <= 4:
            y = self.other()
            pair = (x, y) if d.chance(0.6) else (y, x)
            return f"{pair[0]} {d.one(OPERATORS)} {pair[1]}"
        if kind == 5:
            y = self.other()
            pair = (x, y) if d.chance(0.7) else (y, x)
            return f"tf.{d.one(BINARY)}({pair[0]}, {pair[1]})"
        if kind <= 7:
            return f"tf.{d.one(UNARY)}({d.one([x, x, x, d.one(PYTHON), d.one(NUMPY)])})"
        if kind == 8:
            return f"tf.{d.one('cast cast saturate_cast')}({d.one([x, x, d.one(PYTHON), d.one(NUMPY)])}, {dtype})"
        if kind == 9:
            any_value = d.one([d.one(PYTHON), d.one(NUMPY), d.one(PYTHON)])
            form = d.one(["tf.constant({0})", "tf.constant({0}, {1})", "tf.convert_to_tensor({0}, {1})", "tf.convert_to_tensor({0}, preferred_dtype={1})",
                          "tf.constant({0}, {1}, [2])", "tf.constant({0}, shape=[2, 2])", "tf.Variable({0})", "tf.Variable({0}, dtype={1})",
                          "tf.fill([2], {0})", "tf.placeholder_with_default({0}, [None])", "tf.identity({0})", "tf.zeros_like({0}, {1})", "tf.ones([2], {1})",
                          "tf.zeros([2], {1})", "tf.eye(2, dtype={1})", "tf.identity_n([{0}, 1.0])", "tf.one_hot([0, 2], 3, {0})", "tf.one_hot([1], 2, dtype={1})",
                          "tf.as_dtype({1}).max", "tf.as_dtype({1}).min", "tf.as_dtype({1}).limits"])  # fmt: skip
            return form.format(any_value, dtype)
        if kind == 10:
            y = self.other()
            form = d.one(["tf.stack([{0}, {1}])", "tf.concat([{0}, {1}], 0)", "tf.where([True, False], {0}, {1})", "tf.add_n([{0}, {1}])", "tf.convert_to_tensor([{0}, {1}])",
                          "tf.range({0}, {1})", "tf.clip_by_value({0}, {1}, 5)", "tf.accumulate_n([{0}, {1}])", "tf.meshgrid({0}, {1})", "tf.pad({0}, [[1, 1]], constant_values={1})",
                          "tf.strings.join([{0}, {1}])", "tf.gather({0}, {1})", "tf.reshape({0}, {1})", "tf.fill({1}, {0})", "tf.linspace({0}, {1}, 3)", "tf.lin_space({1}, {0}, 2)",
                          "tf.scalar_mul({1}, {0})", "tf.one_hot([0, 1], 2, on_value={0}, off_value={1})", "tf.case([(True, lambda: {0})], lambda: {1})", "tf.cond(p(True), lambda: {0}, lambda: {1})",
                          "tf.unsorted_segment_sum({0}, [1, 0], 3)", "tf.segment_max({0}, [0, 0])", "tf.tuple([{0}, {1}])", "tf.tile({0}, {1})", "tf.split({0}, 2)", "tf.assign(tf.Variable({0}), {1})",
                          "tf.assign_add(tf.Variable({0}), {1})", "tf.random.shuffle([{0}])[0] + {1}", "{0}[{1}]", "tf.squeeze({0}, {1})", "tf.expand_dims({0}, {1})", "tf.group({0})", "tf.less({0}, {1})",
                          "tf.reduce_sum({0}, {1})", "tf.math.polyval([{0}, {1}], 2)", "tf.lerp({0}, {1}, 0.5)", "tf.searchsorted({0}, {1})", "tf.equal({0}, {1})", "tf.is_numeric_tensor({0})"])  # fmt: skip
            return form.format(x, y)
        if kind == 11:
            form = d.one(["tf.nn.top_k({0}, 1)", "tf.sort({0})", "tf.sort({0}, direction='DESCENDING')", "tf.argsort({0})", "tf.unique({0})", "tf.unique_with_counts({0})", "tf.segment_sum({0}, [0, 2])",
                          "tf.segment_mean({0}, [0, 0])", "tf.unsorted_segment_max({0}, [1, 1], 3)", "tf.unsorted_segment_min({0}, [-1, 2], 3)", "tf.unsorted_segment_prod({0}, [0, 0], 2)", "tf.cumsum({0}, exclusive=True)",
                          "tf.math.cumulative_logsumexp({0})", "tf.reduce_all({0})", "tf.argmax({0}, output_type=tf.int32)", "tf.bitcast({0}, {1})", "tf.as_string({0}, precision=2)", "tf.strings.to_number({0})",
                          "tf.strings.to_number(tf.as_string({0}), {1})", "tf.dtypes.complex({0}, {0})", "tf.abs({0}) ** 0.5", "-{0}", "~{0}", "abs({0})", "not {0}", "bool({0})", "float({0})", "len({0})", "list({0})", "[*{0}]",
                          "{0} is None", "{0}.dtype.real_dtype", "{0}.dtype.base_dtype.as_numpy_dtype(1) + 1", "{0} ** 2 % 5", "round({0})", "{0} == {0}", "{0} != 1", "hash({0}) == 0", "np.add({0}, 1)", "np.array({0})", "{0}.T",
                          "{0}[..., 0]", "{0}[-1:]", "{0}[True]", "{0}[1.0]", "{0}['a']", "{0}[None, :]", "{0}.eval(session=session())", "{0}.foo", "{0}.get_shape().as_list()", "str({0})", "repr({0})", "divmod({0}, 2)"])  # fmt: skip
            return form.format(x, dtype)
        if kind == 12:
            y = self.tensor(last)
            form = d.one(["tf.matmul([[{0}]], [[{1}]])", "tf.einsum('...,...->...', {0}, {1})", "tf.tensordot({0}, {1}, 0)", "tf.tensordot({0}, {1}, 1)", "tf.einsum('i,i->', {0}, {1})", "tf.einsum('i,j->ij', {0}, {1})",
                          "tf.matmul({0}, {1}, transpose_b=True)", "tf.matmul({0}, {1}, adjoint_a=True)", "tf.linalg.matvec([{0}], {1})", "tf.sparse_matmul({0}, {1})", "tf.cross({0}, {1})", "tf.norm({0})",
                          "tf.losses.mean_squared_error({0}, {1})", "tf.math.confusion_matrix({0}, {1})", "tf.squared_difference({0}, {1}) / 3", "tf.gradients({0} * {1}, {0})", "tf.nn.xw_plus_b([{0}], [{1}], {1})"])  # fmt: skip
            return form.format(x, y)
        axis = d.number(-3, 3)
        form = d.one(["tf.reduce_sum({0}, {1})", "tf.concat([{0}, {0}], {1})", "tf.stack([{0}, {0}], {1})", "tf.unstack({0}, axis={1})", "tf.argmax({0}, {1})", "tf.expand_dims({0}, {1})", "tf.squeeze({0}, {1})",
                      "tf.reverse({0}, [{1}])", "tf.cumsum({0}, {1})", "tf.split({0}, 1, {1})", "tf.gather({0}, [0], axis={1})", "tf.gather({0}, {1})", "tf.nn.softmax({0}, {1})", "tf.roll({0}, 1, {1})", "tf.repeat({0}, 2, {1})",
                      "tf.reduce_join(tf.as_string({0}), {1})", "tf.size({0}, out_type={2})", "tf.shape({0}, out_type={2})", "tf.argmax({0}, output_type={2})", "tf.zeros_like({0}, {2})", "tf.one_hot({0}, 3, dtype={2})", "tf.where({0} > {1})",
                      "tf.reshape({0}, [{1}, -1])", "tf.sequence_mask({0}, 3, {2})", "tf.range({1}, {0}, 2)", "tf.nn.l2_normalize({0}, {1})", "tf.nn.moments({0}, [{1}])"])  # fmt: skip
        return form.format(x, axis, dtype)


def draw(seed: int) -> str:
    """The program of one seed."""
    expression = Mixed(Draw(f"dtypes {seed}")).expression()
    return f"{PRELUDE.lstrip()}step('made', lambda: {expression})\n"


CASES = [Case(f"drawn_dtypes/{seed}", draw(seed)) for seed in SEEDS]
