"""Where minitf differs from TensorFlow 2.15 on purpose, and why.

minitf follows TensorFlow 1.15; the oracle is 2.15, the newest that still speaks the 1.x interface.
An entry is only for facts on which the two disagree (wording is `compare.normalize_text`'s), or for
details of TensorFlow's runtime that a teaching library does better without.

An entry that no longer describes a real difference fails the tests: the table cannot rot.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One deliberate difference.

    case: name of the case.
    place: the result in it, as the comparer prints it before the colon.
    why: the reason, one sentence.
    expected: what minitf must show instead, when it is one text; None: anything.
    """

    case: str
    place: str
    why: str
    expected: str | None = None


_CANONICAL = "The answer of a device function is kept in canonical form, as all device names are."
_UNIFORM = "2.15 leaves out the arithmetic that 1.15 does for the range 0 to 1."
_FILLED = "1.15 fills the gradient of the target itself with `Fill`."
_SUMMED = "One op sums a gradient back to a shape, where TensorFlow has Shape, Sum and Reshape."
_AXIS = "An axis is an attribute of an op, not a constant of its own."
_SCALAR = "A fetched rank-0 value is a NumPy scalar, also when it was fed."
_NAN_LAST = "NaN comes last in every order; TensorFlow's place for it is its algorithm's accident."
_NAN_WINS = "NaN stays NaN; in TensorFlow the order of the elements decides."
_SCOPED = "2.15 builds this of several ops; 1.15 has one."

DIFFERENCES: tuple[Difference, ...] = (
    # ---- what 1.15 does otherwise than 2.15 ----------------------------------------------
    Difference(
        "shape_errors/matmul_rank",
        "0",
        "2.15 broadcasts matrices of unequal rank; 1.15 refuses them in these words.",
        "Shape must be rank 2 but is rank 3 for 'MatMul' (op: 'MatMul') with input shapes: "
        "[10,512,1], [512,2].",
    ),
    Difference(
        "shape_errors/sparse_xent_labels",
        "0",
        "1.15 words it so.",
        "Shape mismatch: The shape of labels (received (3,)) should equal the shape of logits "
        "except for the last dimension (received (2, 3)).",
    ),
    Difference(
        "data/concatenate_error",
        "0",
        "1.15 words it so.",
        "Two datasets to concatenate have different types <dtype: 'int64'> and <dtype: 'float32'>",
    ),
    Difference(
        "data/padded_batch_errors",
        "3",
        "1.15 words it so.",
        "The padded shape (1,) is not compatible with the corresponding input component shape (2,).",
    ),
    Difference(
        "shape_errors/sparse_xent_rank",
        "0",
        "1.15 words it so.",
        "Rank mismatch: Rank of labels (received 2) should equal rank of logits minus 1 "
        "(received 2).",
    ),
    Difference(
        "shape_errors/xent_positional",
        "0",
        "1.15 guards against labels and logits in the wrong order.",
        "Only call `softmax_cross_entropy_with_logits` with named arguments (labels=..., "
        "logits=..., ...)",
    ),
    Difference(
        "language/constant_shapes",
        "4",
        "2.15 passes on NumPy's text.",
        "Argument must be a dense tensor: [[1, 2], [3]] - got shape [2], but wanted [2, 2].",
    ),
    Difference(
        "language/math_on_int_and_float",
        "8",
        "1.15 converts the second argument of `tf.add` to the type of the first.",
        "Expected float32 passed to parameter 'y' of op 'Add', got 'a' of type 'str' instead. "
        "Error: Expected float32, got 'a' of type 'str' instead.",
    ),
    Difference("array/linspace", "0", _SCOPED),
    Difference("linalg/triangular_solve", "0", _SCOPED),
    Difference("reductions/logsumexp", "0", "1.15 gives the scope's name to no op of its own."),
    Difference(
        "reductions/logsumexp_large", "0", "1.15 gives the scope's name to no op of its own."
    ),
    Difference("random/uniform", "0", _UNIFORM),
    Difference("shapes/random_dynamic", "0", _UNIFORM),
    Difference("language/names_of_random_ops", "1", _UNIFORM),
    Difference("language/names_of_random_ops", "4", _UNIFORM),
    Difference("gradients/names_of_operations", "0[1]", _FILLED),
    Difference("gradients/names_of_operations", "0[2]", _FILLED),
    Difference("gradients/of_itself", "1[0]", _FILLED),
    Difference(
        "sessions/cholesky_of_indefinite",
        "0",
        "1.15 refuses a matrix that is not positive definite.",
        "Cholesky decomposition was not successful. The input might not be valid.\n"
        "\t [[node root (defined at <case>:2) ]]",
    ),
    Difference("variables/errors", "4", "1.15 words it so.", "'Variable' object is not iterable."),
    Difference(
        "meta_graph/missing", "0", "1.15 words it so.", "File /nonexistent.meta does not exist."
    ),
    # ---- what minitf does otherwise than both --------------------------------------------
    Difference("language/device_functions", "0", _CANONICAL, "/device:GPU:1"),
    Difference("language/device_functions", "1", _CANONICAL, "/device:CPU:0"),
    Difference("language/device_functions", "2", _CANONICAL, "/device:GPU:1"),
    Difference(
        "language/ref_dtypes", "6", "One op chooses between the value and the initial value."
    ),
    Difference("language/names_of_array_ops", "21", _AXIS),
    Difference("language/composite_scopes", "9", _AXIS),
    Difference("language/names_of_training", "3", _AXIS),
    Difference("gradients/broadcast_unknown_shapes", "0[0]", _SUMMED),
    Difference("nn/perceptron_by_hand", "10[1]", _SUMMED),
    Difference("nn/perceptron_by_hand", "10[3]", _SUMMED),
    Difference("shapes/a_layer", "2[1]", _SUMMED),
    Difference(
        "nn/dropout_drops", "0", "2.15 selects; 1.15 multiplies by the scale and by zeros and ones."
    ),
    Difference("gradients/of_variables", "0[0]", _SUMMED),
    Difference("sessions/feeds", "7", _SCALAR),
    Difference("sessions/feeds", "8", _SCALAR),
    Difference("sessions/feed_anything", "3", _SCALAR),
    Difference("sessions/feed_anything", "4[0]", _SCALAR),
    Difference("sessions/feed_anything", "4[1]", _SCALAR),
    Difference("sessions/feed_dtype_errors", "0", _SCALAR),
    Difference(
        "placement/op_that_no_step_needs",
        "0",
        "Only what a step needs is placed, so that an op nobody runs needs no device.",
    ),
    Difference(
        "shape_errors/transpose_twice",
        "0",
        "A permutation that repeats an axis is refused when the graph is built, not when it runs.",
        "[0, 0] is not a valid permutation of 2 dimensions for 'transpose' (op: 'Transpose') with "
        "input shapes: [2,3].",
    ),
    Difference("hostile/nan/sort", "0 value[0]", _NAN_LAST),
    Difference("hostile/nan/top_k", "0 value[0]", _NAN_LAST),
    Difference("hostile/nan/max_pool", "0 value[0]", _NAN_WINS),
    Difference(
        "hostile/nan/determinant",
        "0 value[0]",
        "Of a matrix with NaN it is NaN; TensorFlow says 0.",
    ),
    Difference(
        "hostile/nan/qr_of_inf", "0 value[0]", "LAPACK and Eigen lose other elements to inf."
    ),
    Difference(
        "losses_fail/weights_rank",
        "0",
        "1.15 does not add what it received.",
        "weights can not be broadcast to values. values.rank=2. weights.rank=1. "
        "values.shape=(2, 3). weights.shape=(2,).",
    ),
    Difference(
        "losses_fail/weights_size",
        "0",
        "1.15 does not add what it received.",
        "weights can not be broadcast to values. Mismatch at dim 0. values.shape=[2 3] "
        "weights.shape=[3 1].",
    ),
    Difference(
        "losses_fail/reduction",
        "0",
        "1.15 does not list the others.",
        "Invalid Reduction Key average.",
    ),
    Difference(
        "summaries/vector_as_scalar",
        "0",
        "1.15 words it so.",
        "tags and values not the same shape: [] != [2] (tag 'q') [[q]]",
    ),
    # ---- tf.data ---------------------------------------------------------------------------
    Difference(
        "data/batch_unequal",
        "1",
        "1.15 words it so; 2.15 writes into the batch from several threads and words it otherwise.",
        "Cannot batch tensors with different shapes in component 0. First element had shape [0] and "
        "element 1 had shape [1].",
    ),
)


def deliberate(case: str) -> dict[str, Difference]:
    """Returns the deliberate differences of `case` by place."""
    return {d.place: d for d in DIFFERENCES if d.case == case}
