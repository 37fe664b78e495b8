"""`tf.random.experimental.Generator`: random numbers whose state is a variable.

    state = [low, high, key]      a counter of 128 bits and the key of Philox, as three int64
    g.normal([2])                 two numbers from where the counter is; it moves on by 2 * 256

The state can be read, set, saved in a checkpoint and split, so that a program says itself where its
numbers come from. They are those that TensorFlow draws from the same state.
"""

from __future__ import annotations

import enum
import math
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.state import VariableState
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.philox import Philox
from minitf.core.ops.array_joining import stack, unstack
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import add, multiply, subtract
from minitf.core.ops.random import shape_tensor, sizes_of
from minitf.core.ops.state import assign, variable_v2
from minitf.core.variables.variables import Variable
from minitf.library.numeric.rejection import binomial
from minitf.library.numeric.stateless_random import FULL

_64 = (1 << 64) - 1
_START = np.array([5, 0, 7])  # the state of programs that show an operation


class Algorithm(enum.Enum):
    """How random numbers are made."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


RNG_ALG_PHILOX, RNG_ALG_THREEFRY = Algorithm.PHILOX.value, Algorithm.THREEFRY.value
_NAMES = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "auto_select": Algorithm.AUTO_SELECT,
}


# ---- the kernels -------------------------------------------------------------------------


def _signed(number: int) -> int:
    number &= _64
    return number - (1 << 64) if number >> 63 else number


def _sequence(state: Any) -> Philox:
    low, high, key = (int(each) & _64 for each in state)
    return Philox(key, high << 64 | low)


def _drawn(ctx: Any, state: VariableState, algorithm: Any, draw: Callable[[Philox], Any]) -> Any:
    """What a sequence gives; its state moves on meanwhile.

    Raises:
      InvalidArgumentError: when the state is no vector of three.
      UnimplementedError: for another algorithm.
    """
    if int(algorithm) not in (RNG_ALG_PHILOX, Algorithm.AUTO_SELECT.value):
        raise invalid(f"Unsupported algorithm id: {int(algorithm)}")
    found: list[Any] = []

    def compute(old: Any, out: Any) -> Any:
        if np.shape(old) != (3,):
            raise invalid(
                "For the Philox algorithm, the size of state must be at least 3; got "
                f"{np.size(old)}"
            )
        philox = _sequence(old)
        found.append(draw(philox))
        after = philox._counter
        return np.array([_signed(after), _signed(after >> 64), old[2]], np.int64)

    state.update(compute, False)
    return found[0]


def _shaped(resource: Any, algorithm: Any, shape: Any, *rest: Any, **attrs: Any) -> Any:
    return shape.partial_shape


def _shows(run: Callable[[Any], Tensor], wanted: Callable[[], Any]) -> Callable:
    """A test program: what a state gives, and that it has moved on."""

    def program(folder: str) -> list:
        ref = variable_v2([3], dtypes.int64)
        return [(assign(ref, _START), _START), (run(ref), wanted())]

    return program


def _declare(op_type: str, method: str, sentence: str) -> OpDef:
    """Declares an op that draws floats by a method of `Philox`."""

    def kernel(
        ctx: Any, resource: Any, algorithm: Any, shape: Any, *, dtype: Any = dtypes.float32
    ) -> Any:
        kind = dtype.as_numpy_dtype
        numbers = _drawn(
            ctx, resource, algorithm, lambda philox: getattr(philox, method)(sizes_of(shape), kind)
        )
        return np.asarray(numbers).astype(kind)[()]

    declared: OpDef = op(
        op_type,
        "resource: int64&, algorithm: int64, shape: T -> output: dtype",
        doc=sentence,
        host=("algorithm", "shape"),
        host_only=True,
        T=dtypes.INDICES,
        differentiable=False,
        program=_shows(
            lambda ref: declared(ref, np.int64(1), [2, 3]),
            lambda: getattr(_sequence(_START), method)((2, 3), np.float32),
        ),
    )(kernel)
    declared.shape(_shaped)
    return declared


normal_op = _declare(
    "StatefulStandardNormalV2", "normal", "Draws from the standard normal distribution."
)
truncated_normal_op = _declare(
    "StatefulTruncatedNormal",
    "truncated_normal",
    "As StatefulStandardNormalV2, drawn again where the number is beyond 2.",
)
uniform_op = _declare("StatefulUniform", "uniform", "Draws evenly from [0, 1).")


@op(
    "StatefulUniformInt",
    "resource: int64&, algorithm: int64, shape: T, minval: Tout, maxval: Tout -> output: Tout",
    host=("algorithm", "shape", "minval", "maxval"),
    host_only=True,
    T=dtypes.INDICES,
    Tout=FULL,
    differentiable=False,
    program=_shows(
        lambda ref: uniform_int_op(ref, np.int64(1), [2, 3], np.int32(-2), np.int32(9)),
        lambda: _sequence(_START).integers(-2, 9, (2, 3), np.int32),
    ),
)
def uniform_int_op(
    ctx: Any, resource: Any, algorithm: Any, shape: Any, minval: Any, maxval: Any
) -> Any:
    """Draws integers evenly from [minval, maxval)."""
    low, high, kind = int(minval), int(maxval), np.asarray(minval).dtype
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    return _drawn(
        ctx, resource, algorithm, lambda philox: philox.integers(low, high, sizes_of(shape), kind)
    )[()]


uniform_int_op.shape(_shaped)


@op(
    "StatefulUniformFullInt",
    "resource: int64&, algorithm: int64, shape: T -> output: dtype",
    host=("algorithm", "shape"),
    host_only=True,
    T=dtypes.INDICES,
    differentiable=False,
    program=_shows(
        lambda ref: uniform_full_int_op(ref, np.int64(1), [2, 3], dtype=dtypes.int64),
        lambda: _sequence(_START).whole((2, 3), np.int64),
    ),
)
def uniform_full_int_op(
    ctx: Any, resource: Any, algorithm: Any, shape: Any, *, dtype: Any = dtypes.uint64
) -> Any:
    """Draws integers from all that their type has."""
    if dtype not in FULL:
        raise invalid(
            f"Value for attr 'dtype' of {dtype.name} is not in the list of allowed values: int32, "
            "int64, uint32, uint64"
        )
    kind = dtype.as_numpy_dtype
    return _drawn(ctx, resource, algorithm, lambda philox: philox.whole(sizes_of(shape), kind))[()]


uniform_full_int_op.shape(_shaped)


@op(
    "RngSkip",
    "resource: int64&, algorithm: int64, delta: int64 ->",
    host=("algorithm", "delta"),
    host_only=True,
    differentiable=False,
    program=lambda folder: _skips(),
)
def rng_skip_op(ctx: Any, resource: Any, algorithm: Any, delta: Any) -> None:
    """Moves a state on, as if so many numbers had been drawn."""
    steps = Philox._RESERVED * int(delta)
    _drawn(ctx, resource, algorithm, lambda philox: philox._reserve(steps))


def _skips() -> list:
    ref = variable_v2([3], dtypes.int64)
    skip = rng_skip_op(ref, np.int64(1), np.int64(3))
    return [(assign(ref, _START), _START), (skip, None), (ref, _START + [768, 0, 0])]


# ---- binomial ------------------------------------------------------------------------------


@op(
    "StatefulRandomBinomial",
    "resource: int64&, algorithm: int64, shape: S, counts: T, probs: T -> output: dtype",
    host=("algorithm", "shape"),
    host_only=True,
    S=dtypes.INDICES,
    T=(*dtypes.FLOATS, *dtypes.INDICES),
    differentiable=False,
    program=_shows(
        lambda ref: binomial_op(
            ref, np.int64(1), [2, 3], np.float32([5, 6, 7]), np.float32([0, 1, 0]),
            dtype=dtypes.int32,
        ),
        lambda: np.int32([[0, 6, 0], [0, 6, 0]]),
    ),
)  # fmt: skip
def binomial_op(
    ctx: Any, resource: Any, algorithm: Any, shape: Any, counts: Any, probs: Any, *, dtype: Any
) -> Any:
    """Draws how many of `counts` attempts succeed that each do with a probability of `probs`."""
    sizes = sizes_of(shape)
    inner = np.broadcast_shapes(np.shape(counts), np.shape(probs))
    if sizes[len(sizes) - len(inner) :] != inner:
        raise invalid("Shape passed in must end with broadcasted shape.")
    each = math.prod(sizes[: len(sizes) - len(inner)])
    many, rate = (np.broadcast_to(x, inner).ravel() for x in (counts, probs))
    kind = np.dtype(dtype.as_numpy_dtype)

    def draw(philox: Philox) -> np.ndarray:
        return binomial(philox, each, many, rate).reshape(sizes)

    found = _drawn(ctx, resource, algorithm, draw)
    if kind.kind in "iu":
        found = np.nan_to_num(found)
    return np.asarray(found).astype(kind)[()]


binomial_op.shape(_shaped)


# ---- states ----------------------------------------------------------------------------------


def _algorithm(alg: Any) -> int:
    """The number of an algorithm.

    Raises:
      ValueError: when there is none of that name.
      TypeError: when it is neither a name nor a number.
    """
    if isinstance(alg, Algorithm):
        return int(alg.value)
    if isinstance(alg, str):
        if alg not in _NAMES:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
                "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
                "auto-selection."
            )
        return int(_NAMES[alg].value)
    if isinstance(alg, (int, np.integer)):
        return int(alg)
    raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")


def _state_size(alg: int) -> int:
    if alg == RNG_ALG_PHILOX:
        return 3
    if alg == RNG_ALG_THREEFRY:
        return 2
    raise ValueError(f"Argument `alg` got unsupported value {alg}.")


def create_rng_state(seed: Any, alg: Any = "philox") -> Any:
    """A state that begins with a seed.

    Args:
      seed: an integer, of any size, or a vector of integers.
      alg: the algorithm: "philox", "threefry", or its number.
    Returns: a vector of int64, of three for Philox.
    Example:
      >>> tf.enable_eager_execution()
      >>> tf.random.experimental.create_rng_state(1234, "philox").numpy().tolist()
      [1234, 0, 0]
    """
    return constant(_seeded(seed, _algorithm(alg)), dtypes.int64)


def _seeded(seed: Any, alg: int) -> list[int]:
    size = _state_size(alg)
    if hasattr(seed, "numpy"):
        seed = seed.numpy()
    if isinstance(seed, (list, tuple, np.ndarray)) and np.ndim(seed):
        given = [int(each) for each in np.ravel(np.asarray(seed, object))]
        numbers = [0] * max(size - len(given), 0) + given
        return [_signed(each) for each in numbers[:size]]
    whole = int(seed)
    return [_signed(whole >> 64 * place) for place in range(size)]


class Generator:
    """Draws random numbers from a state that is a variable.

    Args:
      copy_from: another generator, whose state is copied.
      state: the state.
      alg: the algorithm of the state: "philox".

    Example:
      >>> tf.enable_eager_execution()
      >>> g = tf.random.experimental.Generator.from_seed(1234)
      >>> g.uniform([2], 0, 10, tf.int32).numpy().tolist()
      [9, 6]
      >>> g.state.numpy().tolist()
      [1746, 0, 0]
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None):
        if copy_from is not None:
            assert state is None and alg is None, "A copy has the state of the other."
            self._alg = copy_from.algorithm
            start: Any = copy_from.state.read_value()
        else:
            assert state is not None and alg is not None, "A state and its algorithm are wanted."
            self._alg = _algorithm(alg)
            start = convert_to_tensor(state, dtypes.int64)
            start.shape.assert_is_compatible_with([_state_size(self._alg)])
        with stacks.init_scope():
            self._state = Variable(
                start, trainable=False, dtype=dtypes.int64, name="StateVar", use_resource=True
            )

    def _checkpoint_children(self) -> dict[str, Any]:
        return {"_state_var": self._state}

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that begins with a state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that begins with a seed; Philox by default."""
        kind = RNG_ALG_PHILOX if alg is None else _algorithm(alg)
        return cls(state=create_rng_state(seed, kind), alg=kind)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that begins anywhere."""
        kind = RNG_ALG_PHILOX if alg is None else _algorithm(alg)
        numbers = [_signed(secrets.randbits(64)) for _ in range(_state_size(kind))]
        return cls(state=constant(numbers, dtypes.int64), alg=kind)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator that begins at a place of the sequence of a key.

        Args:
          key: an integer.
          counter: a vector of two.
          alg: the algorithm.
        """
        return cls(state=_joined(key, counter), alg=alg)

    # ---- the state ---------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The variable."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Any:
        """The last part of the state, which stays."""
        return self._state.read_value()[2]

    @property
    def _number(self) -> Any:
        return np.int64(self._alg)

    def reset(self, state: Any) -> Any:
        """Sets the state."""
        given = convert_to_tensor(state, dtypes.int64)
        given.shape.assert_is_compatible_with([_state_size(self._alg)])
        return self._set(given)

    def reset_from_seed(self, seed: Any) -> Any:
        """Begins again with a seed."""
        return self._set(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> Any:
        """Begins again at a place of the sequence of a key."""
        return self._set(_joined(key, counter))

    def _set(self, state: Any) -> Any:
        done = self._state.assign(state)
        return None if stacks.executing_eagerly() else done

    def skip(self, delta: Any) -> Any:
        """Moves on as if so many numbers had been drawn."""
        return rng_skip_op(
            self._state._as_ref_tensor(), self._number, convert_to_tensor(delta, dtypes.int64)
        )

    # ---- numbers -----------------------------------------------------------------------------

    def _draw(self, op_def: OpDef, shape: Any, *rest: Any, **attrs: Any) -> Tensor:
        reference = self._state._as_ref_tensor()
        drawn: Tensor = op_def(reference, self._number, shape_tensor(shape), *rest, **attrs)
        return drawn

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Numbers of a normal distribution."""
        return self._scaled(normal_op, shape, mean, stddev, dtype, name or "stateful_normal")

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """As `normal`, no more than two standard deviations from the mean."""
        return self._scaled(
            truncated_normal_op, shape, mean, stddev, dtype, name or "truncated_normal"
        )

    def _scaled(
        self, op_def: OpDef, shape: Any, mean: Any, stddev: Any, dtype: Any, name: str
    ) -> Tensor:
        kind = dtypes.as_dtype(dtype)
        with stacks.name_scope(name) as scope:
            center = convert_to_tensor(mean, kind, name="mean")
            spread = convert_to_tensor(stddev, kind, name="stddev")
            drawn = self._draw(op_def, shape, dtype=kind)
            return add(multiply(drawn, spread), center, name=scope)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """Numbers drawn evenly from [minval, maxval).

        Args:
          shape: of the result.
          minval: the lower end; None with `maxval` None for all integers of the type.
          maxval: the upper end; 1 for floats.
          dtype: a float type, or one of integers.
          name: the name.
        Raises:
          ValueError: for integers with only one of the ends.
        """
        kind = dtypes.as_dtype(dtype)
        if kind.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {kind!r}, minval and maxval must be both `None` or both "
                    f"non-`None`; got minval={minval} and maxval={maxval}"
                )
            if minval is None:
                return self.uniform_full_int(shape, kind, name)
        with stacks.name_scope(name or "stateful_uniform") as scope:
            low = convert_to_tensor(0 if minval is None else minval, kind, name="min")
            high = convert_to_tensor(1 if maxval is None else maxval, kind, name="max")
            if kind.is_integer:
                return self._draw(uniform_int_op, shape, low, high, name=scope)
            drawn = self._draw(uniform_op, shape, dtype=kind)
            return add(multiply(drawn, subtract(high, low)), low, name=scope)

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers drawn evenly from all that the type has."""
        with stacks.name_scope(name or "stateful_uniform_full_int") as scope:
            kind = dtypes.as_dtype(dtype)
            return self._draw(uniform_full_int_op, shape, dtype=kind, name=scope)

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """How many of some attempts succeed.

        Args:
          shape: of the result; it ends with the shape that `counts` and `probs` broadcast to.
          counts: how many attempts.
          probs: with which probability each succeeds.
          dtype: of the result.
          name: the name.
        """
        with stacks.name_scope(name or "binomial") as scope:
            many = convert_to_tensor(counts, name="counts")
            rate = convert_to_tensor(probs, many.dtype, name="probs")
            kind = dtypes.as_dtype(dtype)
            return self._draw(binomial_op, shape, many, rate, dtype=kind, name=scope)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless operations: a column for each."""
        seeds = self.uniform_full_int([count], dtypes.int64)
        return stack([seeds, subtract(seeds, seeds)])

    def split(self, count: int = 1) -> list[Generator]:
        """Generators with keys of their own, whose numbers are others than this one's."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return [
            Generator(state=_joined(key, [0, 0]), alg=self._alg) for key in unstack(keys, count)
        ]


def _joined(key: Any, counter: Any) -> Tensor:
    low, high = unstack(convert_to_tensor(counter, dtypes.int64), 2)
    return stack([low, high, convert_to_tensor(key, dtypes.int64)])


_global: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator of the whole program; one that begins anywhere, unless it was set."""
    if not _global:
        with stacks.init_scope():
            _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Sets the generator of the whole program."""
    _global[:] = [generator]
