"""What declaring an op promises, checked for every op and every sample of it.

An op is tested by being declared: its samples are run through the kernel, the graph, the gradients
and the serialized form, and all of them must agree. An op that acts on state has a small program
instead, which is run in a graph, out of its serialized form, and eagerly. An op without either must
say why.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, get_op_def
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.context import eager_mode
from minitf.library.graph_tools.vectorize import batched
from tests.promises import OPS, Case, assert_same, for_samples

FLOATS = (np.float32, np.float64)

#: By promise: the ops to which it applies, the check of a sample, and its further arguments.
PROMISES: list[tuple[Callable, Callable, tuple]] = []


def promise(applies: Callable[[OpDef], Any] = lambda op_def: True, each: tuple = ()) -> Callable:
    """Has a function check every sample, in a graph of its own; once for `each` argument."""

    def register(check: Callable) -> Callable:
        PROMISES.extend((applies, check, more) for more in ([(one,) for one in each] or [()]))
        return check

    return register


@for_samples
def test_every_promise_holds(op_def: OpDef, sample: Callable) -> None:
    for applies, check, more in PROMISES:
        if applies(op_def):
            with tf.Graph().as_default():
                check(op_def, sample, *more)


@pytest.mark.parametrize("op_def", [o for o in OPS if o.program], ids=lambda op_def: op_def.type)
def test_every_program_runs(op_def: OpDef, tmp_path: Path) -> None:
    for number, check in enumerate((gives_what_it_says, is_the_same_as_data, is_the_same_eagerly)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with tf.Graph().as_default() as graph:
            check(op_def, graph, folder)


# ---- what is declared --------------------------------------------------------------------


def test_declared_whole() -> None:
    for op_def in OPS:
        name = op_def.type
        assert op_def.__doc__ and op_def.__doc__.strip(), f"{name} does not say what it computes"
        given = bool(op_def.samples) + bool(op_def.program) + bool(op_def.no_samples)
        assert given, f"{name} has no samples and no reason for that"
        assert given == 1, f"{name} has samples and a program, or a reason to have none"
        if op_def.samples and op_def.differentiable and _may_be_floats(op_def, op_def.outputs):
            assert op_def.gradient_function, f"{name} is differentiable but has no gradient"


def _may_be_floats(op_def: OpDef, args: Any) -> bool:
    """Whether gradients can flow through some of these inputs or outputs."""
    for arg in args:
        kinds = op_def.constraints.get(arg.type, [])
        if not kinds and arg.type in (*op_def.type_names, *op_def.attr_names):
            return True  # of any type
        for kind in kinds or [dtypes.as_dtype(arg.type)]:
            if kind.is_floating or kind.is_complex:
                return True
    return False


#: declarations that may go without samples and program; a low number
MOST_WITHOUT = 43
MOST_OF_DATA = 22  # datasets that hold functions or read files


def test_most_declarations_are_tried() -> None:
    without = sorted(op_def.type for op_def in OPS if op_def.no_samples)
    of_data = {t for t in without if ".input.data." in get_op_def(t).__module__}
    assert len(of_data) <= MOST_OF_DATA, of_data
    assert len(without) - len(of_data) <= MOST_WITHOUT, without
    in_ops = [t for t in without if get_op_def(t).__module__.startswith("minitf.core.ops.")]
    assert in_ops == ["AddLists", "EmptyList", "Placeholder", "ReverseStack"]


def test_a_reason_names_a_test_that_exists() -> None:
    root = Path(tf.__file__).parent.parent
    for op_def in OPS:
        if op_def.no_samples:
            named = re.search(r"tests/[\w/]+\.py", op_def.no_samples)
            assert named and (root / named[0]).exists(), f"{op_def.type}: {op_def.no_samples}"


# ---- shape function, kernel, graph -------------------------------------------------------


@promise(each=FLOATS)
def kernel_gives_what_the_signature_says(op_def: OpDef, sample: Callable, dtype: Any) -> None:
    case = Case(op_def, sample, dtype)
    before = [np.array(v) for v in case.flat]
    outputs = case.build(case.constants())
    values = case.kernel()
    assert len(values) == len(outputs)
    for value, tensor in zip(values, outputs, strict=True):
        dtype = np.object_ if isinstance(value, bytes) else value.dtype
        assert dtype == tensor.dtype.as_numpy_dtype
        assert tensor.shape.is_compatible_with(np.shape(value))
        if not op_def.sized_by_values:
            assert tensor.shape.is_fully_defined(), "the shape function knows less than it could"
    for value, old in zip(case.flat, before, strict=True):
        np.testing.assert_array_equal(value, old, "the kernel changed its input")
    if not op_def.alias:
        for value in values:
            for own in case.flat:
                assert not np.shares_memory(value, own), "gives a view but is not declared alias"


@promise()
def shape_function_bears_what_is_unknown(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    for known in (lambda shape: [None] * len(shape), lambda shape: None):
        outputs = case.build(case.placeholders(known))
        for value, tensor in zip(case.kernel(), outputs, strict=True):
            assert tensor.shape.is_compatible_with(np.shape(value))


@promise(each=FLOATS)
def graph_equals_kernel(op_def: OpDef, sample: Callable, dtype: Any) -> None:
    case = Case(op_def, sample, dtype)
    placeholders = case.placeholders(lambda shape: [None] * len(shape))
    outputs = case.build(placeholders)
    with tf.Session() as sess:
        values = sess.run(outputs, case.feed(placeholders))
    for value, expected in zip(values, case.kernel(), strict=True):
        assert_same(value, expected, tolerance=1e-6 if case.dtype == np.float32 else 1e-12)


@promise()
def eager_and_function_equal_kernel(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    traced = tf.function(lambda *flat: case.build(flat), autograph=False)
    with eager_mode():
        inputs = case.constants()
        for outputs in (case.build(inputs), traced(*inputs)):
            for tensor, expected in zip(outputs, case.kernel(), strict=True):
                assert_same(tensor.numpy(), expected, tolerance=1e-12)


@promise(lambda op_def: op_def.gradient_function)
def tape_equals_graph(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    derivative = Derivative(case)
    if not derivative.xs or not derivative.ys:
        return
    known = [g for g in derivative.gradients if g is not None]
    with tf.Session() as sess:
        wanted = sess.run(known, case.feed(derivative.inputs))
    traced = tf.function(lambda *flat: case.build(flat), autograph=False)
    with eager_mode():
        inputs = case.constants()
        xs = [inputs[i] for i in case.moving]
        for build in (case.build, lambda flat: traced(*flat)):
            with tf.GradientTape() as tape:
                tape.watch(xs)
                outputs = build(inputs)
            ys = [outputs[i] for i in derivative.floats]
            found = tape.gradient(ys, xs, [tf.constant(w) for w in derivative.weights])
            assert [g is None for g in found] == [g is None for g in derivative.gradients]
            dense = [tf.convert_to_tensor(g).numpy() for g in found if g is not None]
            for gradient, expected in zip(dense, wanted, strict=True):
                assert_same(gradient, expected, 1e-12)


@promise(lambda op_def: op_def.takes_out)
def writing_into_an_input_gives_the_same(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    (expected,) = case.kernel()
    for place, value in enumerate(case.flat):
        if value.dtype != expected.dtype or value.shape != expected.shape or not value.ndim:
            continue
        flat = list(case.flat)
        flat[place] = value.copy()
        (result,) = case.kernel(flat, out=flat[place])
        assert result is flat[place]
        assert_same(result, expected, tolerance=1e-12)


@promise(lambda op_def: op_def.expr or op_def.ufunc)
def expression_equals_kernel(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    expected = case.kernel()[0]
    if op_def.expr is not None:
        names = [f"x{i}" for i in range(len(case.flat))]
        values = dict(zip(names, case.flat, strict=True))
        result = eval(op_def.expr.format(*names), {"xp": np, **values})
        assert_same(result, expected, tolerance=1e-12)
    if op_def.ufunc is not None:
        assert_same(getattr(np, op_def.ufunc)(*case.flat), expected, tolerance=1e-12)


@promise()
def survives_serialization(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    outputs = case.build(case.constants())
    text = tf.get_default_graph().as_graph_def().to_json()
    with tf.Graph().as_default(), tf.Session() as sess:
        names = [tensor.name for tensor in outputs]
        again = tf.import_graph_def(text, return_elements=names, name="")
        assert [t.shape for t in again] == [t.shape for t in outputs]
        values = sess.run(again)
    for value, expected in zip(values, case.kernel(), strict=True):
        assert_same(value, expected, tolerance=1e-12)


# ---- programs ----------------------------------------------------------------------------


def assert_gives(value: Any, expected: Any) -> None:
    """The values of one step of a program: of one thing that was run, or of a list of them."""
    if isinstance(expected, (list, tuple)):
        assert len(value) == len(expected)
        for each, wanted in zip(value, expected, strict=True):
            assert_gives(each, wanted)
    elif expected is not None:
        tolerance = 1e-6 if np.asarray(expected).dtype.kind in "fc" else 0.0
        assert_same(value, expected, tolerance)


def shapes_fit(fetch: Any, value: Any) -> bool:
    """Whether what the shape functions say of fetches is so of their values."""
    if isinstance(fetch, (list, tuple)):
        return all(shapes_fit(*pair) for pair in zip(fetch, value, strict=True))
    return not isinstance(fetch, Tensor) or fetch.shape.is_compatible_with(np.shape(value))


def gives_what_it_says(op_def: OpDef, graph: tf.Graph, tmp_path: Path) -> None:
    steps = op_def.program(str(tmp_path))
    assert op_def.type in {operation.type for operation in graph.get_operations()}
    with tf.Session() as sess:
        for fetch, expected in steps:
            value = sess.run(fetch)
            assert_gives(value, expected)
            assert expected is None or shapes_fit(fetch, value)


def is_the_same_as_data(op_def: OpDef, graph: tf.Graph, tmp_path: Path) -> None:
    steps = op_def.program(str(tmp_path))
    text = graph.as_graph_def().to_json()
    with tf.Graph().as_default() as again, tf.Session() as sess:
        tf.import_graph_def(text, name="")
        assert [(o.type, [t.shape for t in o.outputs]) for o in again.get_operations()] == [
            (o.type, [t.shape for t in o.outputs]) for o in graph.get_operations()
        ]
        for fetch, expected in steps:
            names = tf.contrib.framework.nest.map_structure(lambda each: each.name, fetch)
            assert_gives(sess.run(names), expected)


def is_the_same_eagerly(op_def: OpDef, graph: tf.Graph, tmp_path: Path) -> None:
    if any(arg.is_ref for arg in (*op_def.inputs, *op_def.outputs)):
        return  # a reference lives in a graph
    if op_def.type.endswith(("SessionHandle", "SessionTensor")):
        return  # what a session keeps
    with eager_mode():
        for value, expected in op_def.program(str(tmp_path)):
            if expected is not None:
                values = tf.contrib.framework.nest.map_structure(lambda each: each.numpy(), value)
                assert_gives(values, expected)


# ---- gradients ---------------------------------------------------------------------------


def numeric_gradient(function: Callable[[list], float], flat: list, place: int) -> np.ndarray:
    """The derivative of `function` by the input at `place`, by central differences."""
    step = 1e-5
    point = np.array(flat[place], np.float64)
    result = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        sides = []
        for sign in (1, -1):
            moved = point.copy()
            moved[index] += sign * step
            changed = list(flat)
            changed[place] = moved if moved.ndim else moved[()]
            sides.append(function(changed))
        result[index] = (sides[0] - sides[1]) / (2 * step)
    return result


class Derivative:
    """The weighted sum of an op's float outputs in a graph, and its gradients."""

    def __init__(self, case: Case) -> None:
        rng = np.random.default_rng(7)
        self.case = case
        self.inputs = case.placeholders(lambda shape: shape)
        self.xs = [self.inputs[i] for i in case.moving]
        outputs = case.build(self.inputs)
        self.floats = [i for i, t in enumerate(outputs) if t.dtype == tf.float64]
        self.ys = [outputs[i] for i in self.floats]
        values = case.kernel()
        self.weights = [rng.normal(size=np.shape(values[i])) for i in self.floats]
        found = tf.gradients(self.ys, self.xs, [tf.constant(w) for w in self.weights])
        self.gradients = [None if g is None else tf.convert_to_tensor(g) for g in found]

    def value(self, flat: list) -> float:
        outputs = self.case.kernel(flat)
        return sum(
            float(np.sum(w * outputs[i])) for w, i in zip(self.weights, self.floats, strict=True)
        )


def assert_gradients(sess: Any, feed: dict, analytic: list, numeric: list) -> None:
    for tensor, expected in zip(analytic, numeric, strict=True):
        if tensor is None:
            np.testing.assert_allclose(expected, 0.0, atol=1e-6, err_msg="a gradient is missing")
            continue
        actual = sess.run(tensor, feed)
        assert np.shape(actual) == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-6)


@promise(lambda op_def: op_def.gradient_function)
def gradient_equals_differences(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    derivative = Derivative(case)
    if not derivative.xs or not derivative.ys:
        return
    numeric = [numeric_gradient(derivative.value, case.flat, i) for i in case.moving]
    with tf.Session() as sess:
        assert_gradients(sess, case.feed(derivative.inputs), derivative.gradients, numeric)


@promise(lambda op_def: op_def.gradient_function)
def second_gradient_equals_differences(op_def: OpDef, sample: Callable) -> None:
    case = Case(op_def, sample)
    derivative = Derivative(case)
    first = [g for g in derivative.gradients if g is not None]
    if not first:
        return
    rng = np.random.default_rng(11)
    with tf.Session() as sess:
        values = sess.run(first, case.feed(derivative.inputs))
        weights = [rng.normal(size=np.shape(v)) for v in values]
        second = tf.gradients(first, derivative.xs, [tf.constant(w) for w in weights])
        second = [None if g is None else tf.convert_to_tensor(g) for g in second]

        def slope(flat: list) -> float:
            values = sess.run(first, dict(zip(derivative.inputs, flat, strict=True)))
            return sum(float(np.sum(w * v)) for w, v in zip(weights, values, strict=True))

        numeric = [numeric_gradient(slope, case.flat, i) for i in case.moving]
        assert_gradients(sess, case.feed(derivative.inputs), second, numeric)


def test_no_gradient_flows_where_none_is_declared() -> None:
    for op_def in OPS:
        if op_def.differentiable is not False or not op_def.samples:  # None: nobody knows it
            continue
        case = Case(op_def, op_def.samples[0])
        inputs = case.placeholders(lambda shape: shape)
        outputs = [t for t in case.build(inputs) if t.dtype.is_floating or t.dtype.is_integer]
        if outputs:
            assert tf.gradients(outputs, inputs) == [None] * len(inputs), op_def.type


# ---- batches ------------------------------------------------------------------------------


def _runs_in_batches(op_def: OpDef) -> bool:
    return bool(op_def.batch_function or op_def.batch_kind or op_def.elementwise)


@promise(_runs_in_batches, each=("all", "first"))
def batch_rule_equals_a_loop(op_def: OpDef, sample: Callable, which: str) -> None:
    case = Case(op_def, sample)
    host = op_def.host_inputs
    stacked = [i not in host if which == "all" else i == 0 for i in range(len(case.flat))]
    if not any(stacked) or stacked[0] and 0 in host:
        return  # no input holds examples
    single = case.build(case.placeholders(lambda shape: shape))[0].op
    batch = [
        [_varied(v, turn) if s else v for v, s in zip(case.flat, stacked, strict=True)]
        for turn in range(3)
    ]
    columns = zip(zip(*batch, strict=True), stacked, strict=True)
    given = [tf.constant(np.stack(values) if s else values[0]) for values, s in columns]
    found = batched(single, given, stacked)
    if found is None:
        assert which == "first" or not all(stacked) or op_def.type in ONE_INPUT_STACKED
        return  # it has no rule for these inputs
    with tf.Session() as sess:
        values = sess.run(found)
    loop = zip(*(case.kernel(flat) for flat in batch), strict=True)
    for value, expected in zip(values, loop, strict=True):
        for turn in range(3):
            assert_same(np.asarray(value[turn]), np.asarray(expected[turn]), tolerance=1e-9)


#: the examples may differ in the first input alone, or in the indices alone
ONE_INPUT_STACKED = {
    "AdjustHue",
    "AdjustSaturation",
    "BiasAdd",
    "OneHot",
    "PadV2",
    "ParseExampleV2",
}


def _varied(value: Any, turn: int) -> Any:
    """Another value of the same shape for each example; whole numbers stay where they are valid."""
    array = np.asarray(value)
    return array * (1 - 0.02 * turn) if array.dtype.kind == "f" else array
