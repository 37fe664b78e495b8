"""Machine code looks at no bounds: every compiled kernel says what it takes, and sees nothing else.

Arguments are drawn that a kernel was made for, and then one or two of them are changed: another
size, one axis more or less, another type or order in memory, indices and windows that lie outside.
The tiers together must give what the reference gives, or fail as it does.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.kernels.table import TABLE
from minitf.fast import loader
from minitf.fast.kernels import elementwise
from minitf.fast.kernels.program import COLUMN, FULL, ROW, SCALAR, Operand, Program, Step
from minitf.library.images.image_resize import Taps
from minitf.library.nets.windows import Axis, axis_of
from tests.compiled import load_compiled

load_compiled()

COMPILED = sorted(name for name, kernel in TABLE.items() if kernel.compiled)

Rng = np.random.Generator


def floats(rng: Rng, *sizes: int) -> np.ndarray:
    return rng.normal(size=sizes).astype(np.float32)


def size(rng: Rng, most: int = 6) -> int:
    return int(rng.integers(1, most + 1))


# ---- arguments that kernels were made for ------------------------------------------------


def window(rng: Rng, length: int) -> Axis:
    padding = str(rng.choice(["SAME", "VALID", "EXPLICIT"]))
    wide, steps, apart = size(rng, min(3, length)), size(rng, 3), 1
    if (wide - 1) * 2 < length:
        apart = size(rng, 2)
    return axis_of(length, wide, steps, apart, padding, (size(rng, 2) - 1, size(rng, 2) - 1))


def rows(rng: Rng, kernel: str) -> tuple:
    x = floats(rng, size(rng), size(rng, 40))
    if kernel == "sparse_softmax_cross_entropy":
        return x, rng.integers(0, x.shape[1], len(x)).astype(rng.choice(["i4", "i8"]))
    return (x, floats(rng, *x.shape)) if kernel == "softmax_cross_entropy" else (x,)


def by_channel(rng: Rng, kernel: str) -> tuple:
    x = floats(rng, size(rng), size(rng), size(rng, 3))
    vectors = {"moments": 0, "normalized": 3, "gradient_sums": 1, "mixed": 4}[kernel]
    first = (floats(rng, *x.shape),) if kernel in ("gradient_sums", "mixed") else ()
    return *first, x, *(floats(rng, x.shape[1]) for _ in range(vectors))


def pooling(rng: Rng, kernel: str) -> tuple:
    x = floats(rng, *(size(rng) for _ in range(4)))
    axes = [None, window(rng, x.shape[1]), window(rng, x.shape[2]), None]
    dy = floats(rng, *(n if a is None else a.outputs for n, a in zip(x.shape, axes, strict=True)))
    given = {"max_of_windows": (x,), "mean_pool": (x,), "max_pool_scatter": (x, dy)}
    return *given.get(kernel, (dy,)), axes


def sliding(rng: Rng, kernel: str) -> tuple:
    x, features = floats(rng, *(size(rng) for _ in range(4))), size(rng, 20)
    axes = [window(rng, n) for n in x.shape[1:3]]
    w = floats(rng, *(a.window for a in axes), x.shape[3], features)
    outputs, pool = [a.outputs for a in axes], [size(rng, 2), size(rng, 3)]
    if kernel == "convolve" or kernel == "depthwise":
        return x, w, axes
    if kernel == "filter_gradient":
        return x, floats(rng, len(x), *outputs, features), axes
    if kernel == "depthwise_filter_gradient":
        return x, floats(rng, len(x), *outputs, x.shape[3] * size(rng, 2)), axes
    if kernel == "convolve_and_pool":
        return x, w, axes, pool
    dy = floats(rng, len(x), *(n // p for n, p in zip(outputs, pool, strict=True)), features)
    winners = rng.integers(0, pool[0] * pool[1], dy.shape).astype(np.uint8)
    if kernel == "unpool":
        return winners, dy, outputs, pool
    return x, winners, dy, axes, pool


def resizing(rng: Rng, kernel: str) -> tuple:
    x, count = floats(rng, *(size(rng) for _ in range(4))), size(rng, 3)
    taps = [
        Taps(rng.integers(0, n, (new, count)), floats(rng, new, count))
        for n, new in ((x.shape[1], size(rng)), (x.shape[2], size(rng)))
    ]
    if kernel == "mix":
        return x, *taps
    if kernel == "pick":
        return x, *(each.places[:, 0].copy() for each in taps)
    dy = floats(rng, len(x), *(len(each.places) for each in taps), x.shape[3])
    return dy, *x.shape[1:3], *taps


def cells(rng: Rng, kernel: str) -> tuple:
    batch, units = size(rng), size(rng, 20)
    if kernel == "lstm_cell":
        product = floats(rng, batch, 4 * units), floats(rng, 4 * units)
        return *product, np.float32(1), floats(rng, batch, units)
    arrays = [floats(rng, batch, units) for _ in range(9)]
    return arrays[0], arrays[7 : 7 + size(rng, 3) - 1], *arrays[1:7]


def programs(rng: Rng, kernel: str) -> tuple:
    sizes = size(rng, 40), size(rng, 40)
    kinds = [FULL, *(int(kind) for kind in rng.choice([SCALAR, ROW, COLUMN, FULL], 2))]
    shapes = {SCALAR: (), ROW: sizes[1:], COLUMN: (sizes[0], 1), FULL: sizes}
    steps = [Step("multiply", (0, 1)), Step("add", (3, 2)), Step("maximum", (4, 0))]
    program = Program(np.float32, [Operand(kind) for kind in kinds], [], steps)
    operands = [floats(rng, *shapes[kind]) for kind in kinds]
    if kernel == "elementwise":
        return program, operands[0] if rng.random() < 0.3 else None, *operands
    axis = [None, (0,), (1,), (-1,), (0, 1)][size(rng, 5) - 1]

    def summed(xp: Any, array: Any, axis: Any, keep_dims: bool) -> Any:
        return array.sum(axis=axis, keepdims=keep_dims)

    return program, elementwise.Ending("sum", summed, axis, bool(rng.random() < 0.5)), *operands


def updates(targets: int, rates: int) -> Callable[[Rng, str], tuple]:
    def drawn(rng: Rng, kernel: str) -> tuple:
        sizes = [size(rng, 30) for _ in range(size(rng, 3))]
        kind = rng.choice(["f4", "f8"])
        arrays = [rng.random(sizes).astype(kind) + 1 for _ in range(targets + 1)]
        numbers = [float(v) for v in rng.uniform(0.1, 0.9, rates)]
        if kernel == "apply_ftrl":
            numbers[3] = -0.5
        return arrays[:-1], arrays[-1], numbers, {}

    return drawn


def others(rng: Rng, kernel: str) -> tuple:
    if kernel == "product":
        middle = int(rng.integers(50, 90))
        return floats(rng, size(rng), middle), floats(rng, middle, size(rng))
    if kernel == "sum_of_many":
        return (floats(rng, int(rng.integers(4000, 9000))),)
    if kernel == "scrambled":
        return rng.integers(0, 99, size(rng, 50)).astype(np.uint64), 5, (1, 2)
    target = floats(rng, size(rng), *(size(rng) for _ in range(size(rng, 3) - 1)))
    places = rng.integers(0, len(target), size(rng, 9)).astype(rng.choice(["i4", "i8"]))
    return target, places, floats(rng, len(places), *target.shape[1:]), bool(rng.random() < 0.5)


DRAWN: dict[str, Callable[[Rng, str], tuple]] = {
    **dict.fromkeys(
        ["softmax", "log_softmax", "softmax_cross_entropy", "sparse_softmax_cross_entropy"], rows
    ),
    **dict.fromkeys(["moments", "normalized", "gradient_sums", "mixed"], by_channel),
    **dict.fromkeys(["max_of_windows", "max_pool_scatter"], pooling),
    **dict.fromkeys(["mean_pool", "mean_pool_scatter"], pooling),
    **dict.fromkeys(["convolve", "filter_gradient", "depthwise"], sliding),
    **dict.fromkeys(["depthwise_filter_gradient", "convolve_and_pool"], sliding),
    **dict.fromkeys(["pooled_filter_gradient", "unpool"], sliding),
    **dict.fromkeys(["mix", "mix_back", "pick"], resizing),
    **dict.fromkeys(["lstm_cell", "lstm_cell_grad"], cells),
    **dict.fromkeys(["elementwise", "reduced_elementwise"], programs),
    **dict.fromkeys(["product", "sum_of_many", "scrambled", "scatter_rows"], others),
    "apply_gradient_descent": updates(1, 1),
    "apply_momentum": updates(2, 2),
    "apply_adam": updates(3, 6),
    "apply_adagrad": updates(2, 1),
    "apply_rms_prop": updates(3, 4),
    "apply_ftrl": updates(3, 4),
}


# ---- and others --------------------------------------------------------------------------


def of_another_shape(rng: Rng, array: np.ndarray) -> np.ndarray:
    sizes, place = list(array.shape), int(rng.integers(0, max(1, array.ndim)))
    way = int(rng.integers(0, 6))
    if way == 0 or not sizes:
        sizes.insert(place, size(rng, 2))
    elif way == 1:
        del sizes[place]
    elif way == 2:
        sizes[place] = 1
    elif way == 3:
        sizes[place] = 0
    else:
        sizes[place] = max(0, sizes[place] + int(rng.choice([-1, 1, 3, 40])))
    return np.resize(array, sizes) if array.size else np.zeros(sizes, array.dtype)


def in_another_order(rng: Rng, array: np.ndarray) -> np.ndarray:
    if rng.random() < 0.5:
        return np.asfortranarray(array)
    wide = np.repeat(array, 2, axis=-1) if array.ndim else array
    return wide[..., ::2] if array.ndim else array


def with_other_indices(rng: Rng, array: np.ndarray) -> np.ndarray:
    array = array.copy()
    if array.size:
        array.flat[int(rng.integers(0, array.size))] = rng.choice([-1, 7, 100, 2**31 - 1])
    return array


def changed(rng: Rng, value: Any) -> Any:
    """An argument, or a part of it, that may no longer be one that the kernel was made for."""
    if isinstance(value, np.ndarray):
        ways = [of_another_shape, of_another_shape, in_another_order]
        if value.dtype.kind == "i":
            ways.append(with_other_indices)
        way = int(rng.integers(0, len(ways) + 1))
        if way == len(ways):
            return value.astype(rng.choice(["f4", "f8", "f2", "i4", ">f4"]))
        return ways[way](rng, value)
    if isinstance(value, Axis):
        name = str(rng.choice(Axis._fields))
        return value._replace(**{name: changed(rng, getattr(value, name))})
    if isinstance(value, (list, tuple)) and value and not isinstance(value, elementwise.Ending):
        parts, place = list(value), int(rng.integers(0, len(value)))
        parts[place] = changed(rng, parts[place])
        return type(value)(*parts) if isinstance(value, Taps) else type(value)(parts)
    if isinstance(value, elementwise.Ending):
        return value._replace(axis=(int(rng.choice([-3, 2, 5])),))
    if type(value) is int:
        return int(rng.choice([0, -1, value - 1, value + 1, value + 5, 2**62]))
    return value


def outcome(run: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, list[np.ndarray]]:
    """What comes out, or the class of the error; and the arrays, which may have been changed."""
    copies: dict[int, np.ndarray] = {}

    def own(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return copies.setdefault(id(value), value.copy(order="K"))
        if isinstance(value, (list, tuple)) and not isinstance(value, elementwise.Ending | Axis):
            parts = [own(each) for each in value]
            return type(value)(*parts) if isinstance(value, Taps) else type(value)(parts)
        return value

    given = own(list(args))
    try:
        result = run(*given)
    except Exception as error:
        return type(error), []
    single = result if isinstance(result, (tuple, list)) else [result]
    parts = itertools.chain.from_iterable(
        each if isinstance(each, (tuple, list)) else [each] for each in single
    )
    return [each for each in parts if each is not None], list(copies.values())


def told(value: Any) -> str:
    """Arguments in short: of an array its type and shape."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and not isinstance(value, Axis | elementwise.Ending):
        return f"({', '.join(map(told, value))})"
    return repr(value)


@pytest.mark.parametrize("trials", [300, pytest.param(3000, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", COMPILED)
def test_tiers_agree_whatever_they_are_given(
    name: str, trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elementwise, "WORK", 0)
    kernel, served = TABLE[name], 0

    def counted(*args: Any) -> Any:
        nonlocal served
        result = compiled(*args)
        served += result is not NotImplemented
        return result

    compiled = kernel.tiers["numba"]
    faster = [counted if run is compiled else run for run in kernel._faster]
    monkeypatch.setattr(kernel, "_faster", tuple(faster))
    rng = np.random.default_rng(COMPILED.index(name))
    with np.errstate(all="ignore"):
        for trial in range(trials):
            args: Any = DRAWN[name](rng, name)
            for _ in range(trial % 3):
                args = changed(rng, args)
            expected, kept = outcome(lambda *a: kernel.tiers["numpy"](np, *a), args)
            found, left = outcome(lambda *a: kernel(np, *a), args)
            if isinstance(expected, type) or isinstance(found, type):
                assert found is expected, told(args)
                continue
            in_place = name == "scatter_rows" or name.startswith("apply_")
            for one, other in zip((*found, *left), (*expected, *kept), strict=True):
                if in_place or not any(one is each for each in left):
                    close = 3e-2 if "<f2" in told(args) else 2e-3
                    np.testing.assert_allclose(
                        one, other, close, close, err_msg=told(args), verbose=False
                    )
    assert served >= trials // 10


def test_every_compiled_kernel_has_a_contract() -> None:
    for name in COMPILED:
        assert TABLE[name].takes is not None, name
        assert name in DRAWN, name
    assert set(loader.names()) == {TABLE[name].compiled for name in COMPILED}


def test_loops_refuse_arrays_that_they_were_not_translated_for() -> None:
    from minitf.fast.compiled import softmax

    x = np.ones((4, 6), np.float32)
    for bad in (x.astype(np.float64), x[0], x.T, x[:, ::2], x.astype(">f4"), x.astype(np.int32)):
        with pytest.raises(TypeError, match="'_softmax' was not made for arrays like those"):
            softmax._softmax(bad, np.empty((4, 6), np.float32))
    fixed = np.empty((4, 6), np.float32)
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match="'_softmax' was not made for"):
        softmax._softmax(x, fixed)
    softmax._softmax(fixed, x)


# ---- operations, whose shapes are known only when they run -------------------------------


def operations() -> dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]]:
    """Operations by name: what builds them of tensors without shapes, and shapes that fit."""
    same: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    pool: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}

    def slope(build: Callable[[Any], Any]) -> Callable[..., Any]:
        return lambda x, dy: tf.gradients(build(x), x, grad_ys=dy)[0]

    def normalized(x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        args = x, scale, offset, mean, variance
        return tf.nn.fused_batch_norm(*args, is_training=False)[0]

    def step(optimizer: Any) -> Callable[..., Any]:
        def build(slot: Any, gradient: Any) -> Any:
            w = tf.Variable(np.ones((4, 5), np.float32))
            made = optimizer.apply_gradients([(tf.reshape(gradient, [4, 5]), w)])
            names = optimizer.get_slot_names()
            shortened = [
                tf.assign(optimizer.get_slot(w, name), slot, validate_shape=False) for name in names
            ]
            return [tf.global_variables_initializer(), shortened, made, w]

        return build

    image, half, vector = (2, 6, 6, 4), (2, 3, 3, 4), (4,)
    return {
        "conv2d": (lambda x, w: tf.nn.conv2d(x, w, **same), [image, (3, 3, 4, 8)]),
        "conv2d_transpose": (
            lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 6, 6, 4], **same),
            [(2, 6, 6, 8), (3, 3, 4, 8)],
        ),
        "conv2d by filter": (
            lambda x, dy: slope(lambda w: tf.nn.conv2d(x, w, **same))(tf.ones([3, 3, 4, 8]), dy),
            [image, (2, 6, 6, 8)],
        ),
        "depthwise": (
            lambda x, w: tf.nn.depthwise_conv2d(x, w, **same),
            [image, (3, 3, 4, 2)],
        ),
        "max pooling": (slope(lambda x: tf.nn.max_pool(x, **pool)), [image, half]),
        "average pooling": (slope(lambda x: tf.nn.avg_pool(x, **pool)), [image, half]),
        "batch normalization": (normalized, [image, *[vector] * 4]),
        "batch normalization's gradient": (
            slope(lambda x: tf.nn.fused_batch_norm(x, tf.ones(4), tf.zeros(4))[0]),
            [image, image],
        ),
        "resizing": (slope(lambda x: tf.image.resize_bilinear(x, [12, 9])), [image, (2, 12, 9, 4)]),
        "cross entropy": (
            lambda x, labels: tf.nn.softmax_cross_entropy_with_logits(logits=x, labels=labels),
            [(5, 7), (5, 7)],
        ),
        "fused": (lambda x, y, z: tf.tanh(x * y + z) * x, [(40, 30), (30,), (40, 30)]),
        "fused and summed": (
            lambda x, y: tf.reduce_sum(tf.square(x - y), 1),
            [(400, 30), (400, 30)],
        ),
        "momentum": (step(tf.train.MomentumOptimizer(0.1, 0.9)), [(4, 5), (4, 5)]),
        "Adam": (step(tf.train.AdamOptimizer(0.1)), [(4, 5), (4, 5)]),
    }


@pytest.mark.parametrize("name", list(operations()))
def test_operations_fail_as_their_references_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build, shapes = operations()[name]
    monkeypatch.setattr(elementwise, "WORK", 0)
    with tf.Graph().as_default():
        given = [tf.placeholder(tf.float32) for _ in shapes]
        made = build(*given)
        fetches = made if isinstance(made, list) else [made]
        rng = np.random.default_rng(len(name))

        def results(feeds: dict) -> Any:
            with tf.Session() as sess:
                try:
                    return [sess.run(each, feeds) for each in fetches][-1]
                except tf.errors.OpError as error:
                    return type(error)

        faster = {kernel: kernel._faster for kernel in TABLE.values()}
        for trial in range(60):
            arrays = [floats(rng, *shape) for shape in shapes]
            if trial:
                place = int(rng.integers(0, len(arrays)))
                arrays[place] = of_another_shape(rng, arrays[place])
            feeds = dict(zip(given, arrays, strict=True))
            found = results(feeds)
            for kernel in faster:
                kernel._faster = ()
            expected = results(feeds)
            for kernel, tiers in faster.items():
                kernel._faster = tiers
            if isinstance(expected, type) or isinstance(found, type):
                assert found is expected, told(arrays)
            else:
                np.testing.assert_allclose(found, expected, 2e-3, 2e-3, err_msg=told(arrays))
