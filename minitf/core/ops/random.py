"""Random tensors: normal, uniform, truncated normal, shuffle.

Each node has its own generator in each session. It starts from two seeds, as in TensorFlow: that of
the graph and that of the operation.

    tf.set_random_seed(g)   seed=s        the node's seeds
    not called              None          none: another sequence in every session
    not called              s             (87654321, s)
    g                       None          (g, how many operations the graph had)
    g                       s             (g, s)

The same seeds give the same numbers in every new session, and on a CPU those of TensorFlow
(`minitf/core/kernels/philox.py`). Without seeds, and on a GPU, a faster generator of the array
library draws other numbers.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, op, unchanged_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import get_default_graph, name_scope
from minitf.core.graph.tensor import DTypeLike, ShapeLike, Tensor, TensorLike
from minitf.core.kernels.philox import Philox
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.math import add_v2, multiply, subtract

DEFAULT_GRAPH_SEED = 87654321
_MAX_INT32 = 2**31 - 1
_SEEDS = {"seed": 1, "seed2": 2}  # of programs that show an operation


def _same_drawn() -> Philox:
    """The sequence of an operation with these seeds."""
    return Philox.of_seeds(*_SEEDS.values())


# ---- seeds -------------------------------------------------------------------------------


def set_random_seed(seed: int | None) -> None:
    """Sets the seed of the default graph, from which operations derive their default seeds.

    Args:
      seed: an integer; None takes the graph's seed away, and runs differ again.
    Example:
      >>> tf.set_random_seed(1)
      >>> a = tf.random_uniform([2])
      >>> with tf.Session() as one, tf.Session() as other:
      ...     print((one.run(a) == other.run(a)).all())
      True
    """
    get_default_graph().seed = seed


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of a new operation; (None, None) if they are random."""
    graph = get_default_graph()
    if graph.seed is None and op_seed is None:
        return None, None
    if graph.seed is None:
        graph_seed = DEFAULT_GRAPH_SEED
    else:
        graph_seed = graph.seed
        if op_seed is None:
            op_seed = graph.op_seed()
    seeds = graph_seed % _MAX_INT32, op_seed % _MAX_INT32  # type: ignore[operator]
    return (0, _MAX_INT32) if seeds == (0, 0) else seeds


def seed_attrs(op_seed: int | None) -> dict[str, int]:
    """The two seeds of a new operation, as attributes."""
    first, second = get_seed(op_seed)
    return {"seed": first or 0, "seed2": second or 0}


class Stream:
    """The random numbers of one node, with a lock for concurrent runs."""

    def __init__(self, xp: Any, seed: int, seed2: int) -> None:
        self.lock = threading.Lock()
        self._xp, self._seeds = xp, (seed, seed2)

    @cached_property
    def generator(self) -> Any:
        """A generator of NumPy or CuPy."""
        sequence = np.random.SeedSequence(self._seeds if any(self._seeds) else None)
        fast = getattr(self._xp.random, "SFC64", None)  # CuPy has other generators
        seed = int(sequence.generate_state(1)[0])
        return self._xp.random.default_rng(fast(sequence) if fast else seed)

    @cached_property
    def draws(self) -> Any:
        """The source of the numbers: TensorFlow's sequence if there are seeds."""
        if self._xp is np and any(self._seeds):
            return Philox.of_seeds(*self._seeds)
        return _Quick(self._xp, self.generator)


class _Quick:
    """The methods of `Philox` with the fastest generator of NumPy or CuPy."""

    def __init__(self, xp: Any, generator: Any) -> None:
        self._xp, self._generator = xp, generator

    def uniform(self, sizes: tuple[int, ...], dtype: Any) -> Any:
        """Floats drawn evenly from [0, 1)."""
        return self._xp.asarray(self._generator.random(sizes, _double_or_single(dtype)))

    def normal(self, sizes: tuple[int, ...], dtype: Any) -> Any:
        """Floats of the normal distribution with mean 0 and standard deviation 1."""
        return self._xp.asarray(self._generator.standard_normal(sizes, _double_or_single(dtype)))

    def truncated_normal(self, sizes: tuple[int, ...], dtype: Any) -> Any:
        """As `normal`, drawn again where the number is beyond 2."""
        values = self.normal((int(np.prod(sizes, dtype=np.int64)),), dtype)
        outside = self._xp.flatnonzero(abs(values) > 2)
        while outside.size:
            again = values[outside] = self.normal((outside.size,), dtype)
            outside = outside[abs(again) > 2]
        return values.reshape(sizes)

    def integers(self, low: int, high: int, sizes: tuple[int, ...], dtype: Any) -> Any:
        """Integers drawn evenly from [low, high)."""
        return self._generator.integers(low, high, sizes, dtype=dtype)

    def permutation(self, count: int) -> Any:
        """The places 0 to count - 1 in a random order."""
        return self._xp.argsort(self._generator.random(count))

    def points(self, rows: int, count: int) -> Any:
        """Doubles drawn evenly from [0, 1), so many for each row."""
        return self._generator.random((rows, count))


def stream_of(ctx: Any, seed: int, seed2: int) -> Stream:
    """The generator of the node that runs."""
    return ctx.state(lambda: Stream(ctx.xp, seed, seed2))


def sizes_of(shape: Any) -> tuple[int, ...]:
    """The sizes in the vector `shape`.

    Raises:
      InvalidArgumentError: when it is no vector, or a size is negative.
    """
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {shown(shape)}")
    sizes = tuple(shape.tolist())
    if sizes and min(sizes) < 0:
        raise invalid(f"Dimension {min(sizes)} must be >= 0")
    return sizes


def _drawn(array: Any, dtype: dtypes.DType) -> Any:
    """Converts drawn numbers to `dtype`; a scalar for shape ()."""
    array = array.astype(dtype.as_numpy_dtype, copy=False)
    return array if array.ndim else array[()]


def _double_or_single(dtype: Any) -> Any:
    """The type in which generators draw: float32 or float64."""
    return np.float64 if dtype == np.float64 else np.float32


def _random_shape(shape: Any, *rest: Any, **attrs: Any) -> TensorShape:
    return shape.partial_shape


# ---- the kernels -------------------------------------------------------------------------


def _plain(op_type: str, method: str, sentence: str) -> OpDef:
    """Declares an operation that draws floats by one method of the generator."""

    def kernel(ctx: Any, shape: Any, *, dtype: Any, seed: int = 0, seed2: int = 0) -> Any:
        stream = stream_of(ctx, seed, seed2)
        with stream.lock:
            drawn = getattr(stream.draws, method)(sizes_of(shape), dtype.as_numpy_dtype)
        return _drawn(drawn, dtype)

    def program(folder: str) -> list:
        drawn = getattr(_same_drawn(), method)((2, 3), np.float32)
        return [(op_def([2, 3], dtype=dtypes.float32, **_SEEDS), drawn)]

    op_def: OpDef = op(
        op_type,
        "shape: T -> output: dtype",
        doc=sentence,
        recordable=True,  # a GPU's generator keeps its state there, and each launch moves it on
        host=("shape",),
        T=dtypes.INDICES,
        differentiable=False,
        program=program,
    )(kernel)
    return op_def


random_standard_normal_op = _plain(
    "RandomStandardNormal",
    "normal",
    "Draws from the normal distribution with mean 0 and standard deviation 1.",
)
random_uniform_op = _plain("RandomUniform", "uniform", "Draws evenly from [0, 1).")


@op(
    "RandomUniformInt",
    "shape: T, minval: Tout, maxval: Tout -> output: Tout",
    host=("shape", "minval", "maxval"),
    T=dtypes.INDICES,
    Tout=dtypes.INDICES,
    program=lambda folder: [
        (
            random_uniform_int_op([2, 3], 4, 9, **_SEEDS),
            _same_drawn().integers(4, 9, (2, 3), np.int32),
        )
    ],
)
def random_uniform_int_op(
    ctx: Any, shape: Any, minval: Any, maxval: Any, *, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws integers evenly from [minval, maxval)."""
    if minval >= maxval:
        raise invalid(f"Need minval < maxval, got {minval} >= {maxval}")
    stream = stream_of(ctx, seed, seed2)
    with stream.lock:
        drawn = stream.draws.integers(int(minval), int(maxval), sizes_of(shape), minval.dtype.type)
    return drawn if np.ndim(drawn) else minval.dtype.type(drawn)


truncated_normal_op = _plain(
    "TruncatedNormal",
    "truncated_normal",
    "Draws from the standard normal distribution, again where the number is beyond 2.",
)


@op(
    "RandomShuffle",
    "value: T -> output: T",
    differentiable=False,
    program=lambda folder: [
        (
            random_shuffle_op([5, 6, 7], **_SEEDS),
            np.array([5, 6, 7], np.int32)[_same_drawn().permutation(3)],
        )
    ],
)
def random_shuffle_op(ctx: Any, value: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Puts the rows of a tensor into a random order."""
    if not value.ndim:
        return value
    stream = stream_of(ctx, seed, seed2)
    with stream.lock:
        order = stream.draws.permutation(len(value))
    return value[order]


random_shuffle_op.shape(unchanged_shape)


for _op in random_standard_normal_op, random_uniform_op, random_uniform_int_op, truncated_normal_op:
    _op.shape(_random_shape)


# ---- public functions --------------------------------------------------------------------


def shape_tensor(shape: Any) -> Tensor:
    """Converts `shape` to a vector of integers; an empty list is the shape of a scalar."""
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (list, tuple)):
        if not any(isinstance(s, Tensor) for s in shape):
            return convert_to_tensor(shape, None if len(shape) else dtypes.int32, name="shape")
        wide = any(isinstance(s, Tensor) and s.dtype.base_dtype == dtypes.int64 for s in shape)
        return convert_to_tensor(shape, dtypes.int64 if wide else dtypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape")


def _moved(
    draw: OpDef, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: int | None, scope: str
) -> Tensor:
    """Draws from a standard distribution, scaled by `stddev` and shifted by `mean`."""
    dtype = dtypes.as_dtype(dtype)
    sizes = shape_tensor(shape)
    center = convert_to_tensor(mean, dtype, name="mean")
    spread = convert_to_tensor(stddev, dtype, name="stddev")
    drawn = draw(sizes, dtype=dtype, **seed_attrs(seed))
    return add_v2(multiply(drawn, spread, name="mul"), center, name=scope)


def random_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, new ones in every run.

    Args:
      shape: the shape of the result: a list, a `TensorShape` or a vector of integers.
      mean: of the distribution; a scalar or what broadcasts to `shape`.
      stddev: its standard deviation.
      dtype: a float type.
      seed: makes the sequence repeatable; see `set_random_seed`.
      name: the name.
    Example:
      >>> x = sess.run(tf.random_normal([1000], mean=5.0, stddev=2.0, seed=1))
      >>> x.shape, bool(4.5 < x.mean() < 5.5)
      ((1000,), True)
    """
    with name_scope(name, "random_normal", [shape, mean, stddev]) as scope:
        return _moved(random_standard_normal_op, shape, mean, stddev, dtype, seed, scope)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """As `random_normal`, but no number lies more than two standard deviations from the mean.

    Args:
      shape: the sizes of the result, a list or a tensor of integers.
      mean: the mean, a number or a tensor that broadcasts with the shape.
      stddev: the standard deviation before the tails are cut off.
      dtype: the type, a float.
      seed: an integer; with the graph's own seed it fixes the numbers.
      name: the operation's name.
    Example:
      >>> x = sess.run(tf.truncated_normal([1000], stddev=0.1))
      >>> bool(abs(x).max() <= 0.2)
      True
    """
    with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
        return _moved(truncated_normal_op, shape, mean, stddev, dtype, seed, scope)


_UNIFORM_TYPES = (*dtypes.FLOATS, *dtypes.INDICES)


def random_uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn evenly from [minval, maxval), new ones in every run.

    Args:
      shape: the shape of the result.
      minval: the lower end; may be drawn.
      maxval: the upper end, never drawn; 1 for floats, and without a default for integers.
      dtype: a float type, int32 or int64.
      seed: makes the sequence repeatable; see `set_random_seed`.
      name: the name.
    Raises:
      ValueError: for another dtype, or an integer one without `maxval`.
    Example:
      >>> x = sess.run(tf.random_uniform([1000], -1, 1))
      >>> x.shape, bool(x.min() >= -1), bool(x.max() < 1)
      ((1000,), True, True)
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise ValueError(f"Invalid dtype {dtype!r}")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(maxval, dtype, name="max")
        seeds = seed_attrs(seed)
        if dtype.is_integer:
            return random_uniform_int_op(sizes, low, high, **seeds, name=scope)
        drawn = random_uniform_op(sizes, dtype=dtype, **seeds)
        span = subtract(high, low, name="sub")
        return add_v2(multiply(drawn, span, name="mul"), low, name=scope)


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with its rows in a random order, another one in every run."""
    return random_shuffle_op(value, **seed_attrs(seed), name=name)
