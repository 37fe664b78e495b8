"""`tf.contrib.factorization.WALSModel`: a matrix as a product of two, by alternating least squares.

A [n, m], known in part  ~  U V'     U [n, k] factors of the rows, V [m, k] of the columns

row sweep   each u_i solves (w0 V'V + lambda I + sum_j r_i c_j v_j v_j') u_i = sum_j w_ij a_ij v_j
column sweep   the same with U and V changed over
w_ij = w0 + r_i c_j where A is known, and w0 elsewhere, where A counts as 0

A sweep may come in pieces, since the rows do not see each other. `V'V` is made once a sweep, so
that a piece costs what is known of it, not the whole matrix. TensorFlow keeps copies of factors
and weights at each worker; here all read the variables themselves, so that preparing copies has
nothing to do. Source: Hu, Koren, Volinsky, Collaborative Filtering for Implicit Feedback Datasets,
2008. The estimator is in wals_estimator.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from minitf.core.graph.op_def import op
from minitf.core.graph.operation import Operation
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import ones, zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, squeeze, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where
from minitf.core.ops.control import group, no_op
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add_n, maximum, multiply, square
from minitf.core.ops.random import random_normal
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.scatter import scatter_update
from minitf.core.ops.segments import unsorted_segment_sum
from minitf.core.ops.state import assign
from minitf.core.variables.initialization import variables_initializer
from minitf.core.variables.variables import Variable
from minitf.library.input.partitioning import dynamic_partition
from minitf.library.numeric.decompositions import matrix_solve
from minitf.library.numeric.diagonals import eye, trace
from minitf.library.numeric.uniqueness import unique


@op(
    "WALSComputePartialLhsAndRhs",
    "factors: float32, factor_weights: float32, unobserved_weights: float32,"
    " input_weights: float32, input_indices: int64, input_values: float32,"
    " input_block_size: int64, input_is_transpose: bool"
    " -> partial_lhs: float32, partial_rhs: float32",
    host=("input_indices", "input_block_size", "input_is_transpose"),
    samples=[
        lambda rng: (
            rng.normal(size=(4, 2)).astype(np.float32),
            np.array([1, 2, 3, 4], "float32"),
            np.float32(0.5),
            np.array([1, 2], "float32"),
            np.array([[0, 3], [0, 0], [1, 2]]),
            np.array([1, 2, 3], "float32"),
            np.int64(2),
            np.bool_(False),
            {},
        )
    ],
    differentiable=False,
)
def wals_equations(
    xp: Any, factors: Any, factor_weights: Any, unobserved_weights: Any, input_weights: Any,
    input_indices: Any, input_values: Any, input_block_size: Any, input_is_transpose: Any,
) -> Any:  # fmt: skip
    """For each row of a sparse matrix the part of its equations that its elements bring."""
    rows, columns = input_indices[:, ::-1].T if input_is_transpose else input_indices.T
    count, width = int(input_block_size), factors.shape[1]
    left = xp.zeros((count, width, width), factors.dtype)
    right = xp.zeros((count, width), factors.dtype)
    order = np.argsort(rows, kind="stable")
    ends = np.searchsorted(rows[order], np.arange(count + 1))
    for row in np.flatnonzero(np.diff(ends)):
        here = order[ends[row] : ends[row + 1]]
        places = xp.asarray(columns[here])
        known = factors[places]
        more = input_weights[row] * factor_weights[places]
        left[row] = (known * more[:, None]).T @ known
        right[row] = ((unobserved_weights + more) * input_values[xp.asarray(here)]) @ known
    return left, right


@wals_equations.shape
def _wals_equations_shape(factors: Any, *others: Any) -> Any:
    width, count = factors.shape.with_rank(2)[1], others[5].value
    rows = None if count is None else int(count)
    return TensorShape([rows, width, width]), TensorShape([rows, width])


@dataclass(frozen=True)
class _Side:
    """What is known of the rows, or of the columns: how many there are, and variables."""

    total: int
    factors: list[Variable]
    weights: list[Variable] | None
    gramian: Any  # a variable: U'U of these factors, as of the last preparation

    def whole(self, shards: list[Variable]) -> Any:
        return shards[0] if len(shards) == 1 else concat(shards, 0)

    def prepare(self, name: str) -> Operation:
        """Makes the Gramian of the factors there are."""
        parts = [matmul(shard, shard, transpose_a=True) for shard in self.factors]
        return assign(self.gramian, add_n(parts), name=name).op


def _shard_sizes(total: int, count: int) -> list[int]:
    least, more = divmod(total, count)
    return [least + 1] * more + [least] * (count - more)


def _sharding(total: int, count: int) -> Callable[[Tensor], tuple]:
    """From numbers of rows to the shards they are in, and their places there."""
    least, more = divmod(total, count)

    def placed(ids: Tensor) -> tuple:
        if count == 1:
            return None, ids
        shards = maximum(ids // (least + 1), (ids - more) // least)
        places = where(less(shards, more), ids % (least + 1), (ids - more) % least)
        return shards, places

    return placed


def _factors(total: int, width: int, count: int, init: Any, name: str) -> list[Variable]:
    init = init() if callable(init) else init
    drawn = isinstance(init, str) and init == "random"
    if not drawn and not isinstance(init, list):
        init = [init]
    made = []
    for number, rows in enumerate(_shard_sizes(total, count)):
        first = random_normal([rows, width]) if drawn else init[number]
        made.append(Variable(first, dtype="float32", name=f"{name}_shard_{number}"))
    return made


def _weights(init: Any, total: int, count: int, name: str) -> list[Variable] | None:
    if init is None:
        return None
    sizes = _shard_sizes(total, count)
    if isinstance(init, Iterable):
        parts: list[Any] = list(init)
        if count == 1 and len(parts) == total:
            parts = [parts]
        assert len(parts) == count
    elif isinstance(init, Real) and float(init) >= 0:
        parts = [multiply(ones([rows]), float(init)) for rows in sizes]
    else:
        raise ValueError(
            "Invalid weight initialization argument. Must be one of these: None, a real "
            "non-negative real number, or a list of lists of non-negative real numbers (or "
            "equivalent iterables) corresponding to sharded factors."
        )
    return [
        Variable(part, dtype="float32", name=f"{name}_shard_{number}")
        for number, part in enumerate(parts)
    ]


class WALSModel:
    """A model that approximates a matrix, of which some elements are known.

    Args:
      input_rows, input_cols: n and m, the sizes of the matrix.
      n_components: k, how many numbers a row or column has.
      unobserved_weight: w0, of elements that are not known; they count as 0.
      regularization: lambda, of the squares of all factors; None for none.
      row_init, col_init: the first factors, a function that makes them, or "random".
      num_row_shards, num_col_shards: into how many variables the factors are cut.
      row_weights, col_weights: r and c: a number, a number for each row or a list of such for each
        shard; both None when elements that are known weigh w0, too.
      use_factors_weights_cache, use_gramian_cache: accepted; see the module.
      use_scoped_vars: whether factors and weights have name scopes of their own.
    Raises:
      ValueError: for weights of another kind.
    Example:
      >>> model = tf.contrib.factorization.WALSModel(2, 3, 1, unobserved_weight=0)
      >>> known = tf.SparseTensor([[0, 0], [1, 0], [0, 2]], [1.0, 2.0, 3.0], [2, 3])
      >>> update_rows = model.update_row_factors(known)[1]
      >>> sess.run([model.initialize_op, model.worker_init])
      [None, None]
      >>> sess.run(model.row_update_prep_gramian_op), sess.run(model.initialize_row_update_op)
      (None, None)
      >>> sess.run(update_rows)
    """

    def __init__(
        self, input_rows: int, input_cols: int, n_components: int, unobserved_weight: float = 0.1,
        regularization: float | None = None, row_init: Any = "random", col_init: Any = "random",
        num_row_shards: int = 1, num_col_shards: int = 1, row_weights: Any = 1,
        col_weights: Any = 1, use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True, use_scoped_vars: bool = False,
    ) -> None:  # fmt: skip
        assert (row_weights is None) == (col_weights is None)
        self._width, self._unobserved_weight = n_components, unobserved_weight
        self._regularization, self._scoped = regularization, use_scoped_vars
        self._rows = self._side("row", input_rows, num_row_shards, row_init, row_weights)
        self._columns = self._side("col", input_cols, num_col_shards, col_init, col_weights)
        self._row_prep = self._columns.prepare("row_update_prep_gramian")
        self._col_prep = self._rows.prepare("col_update_prep_gramian")

    def _side(self, kind: str, total: int, shards: int, init: Any, weights: Any) -> _Side:
        with name_scope(f"{kind}_weights") if self._scoped else nullcontext():
            weight = _weights(weights, total, shards, f"{kind}_weights")
        with name_scope(f"{kind}_factors") if self._scoped else nullcontext():
            factors = _factors(total, self._width, shards, init, f"{kind}_factors")
        gramian = Variable(
            zeros([self._width, self._width]), trainable=False, name=f"{kind}_gramian"
        )
        return _Side(total, factors, weight, gramian)

    row_factors = property(lambda self: self._rows.factors, doc="The variables of U.")
    col_factors = property(lambda self: self._columns.factors, doc="The variables of V.")
    row_weights = property(lambda self: self._rows.weights, doc="The variables of r, or None.")
    col_weights = property(lambda self: self._columns.weights, doc="The variables of c, or None.")
    row_update_prep_gramian_op = property(
        lambda self: self._row_prep, doc="Makes V'V; to be run before a row sweep."
    )
    col_update_prep_gramian_op = property(
        lambda self: self._col_prep, doc="Makes U'U; to be run before a column sweep."
    )

    @property
    def initialize_op(self) -> Operation:
        """Initializes the variables."""
        sides = self._rows, self._columns
        return variables_initializer(
            [v for side in sides for v in (*side.factors, side.gramian, *(side.weights or ()))]
        )

    @property
    def worker_init(self) -> Operation:
        """To be run once a worker, before all updates."""
        return no_op("worker_init")

    @property
    def initialize_row_update_op(self) -> Operation:
        """To be run by each worker before a row sweep."""
        return no_op("initialize_row_update")

    @property
    def initialize_col_update_op(self) -> Operation:
        """To be run by each worker before a column sweep."""
        return no_op("initialize_col_update")

    @classmethod
    def scatter_update(
        cls, factor: list[Variable], indices: Any, values: Any, sharding_func: Callable,
        name: str | None = None,
    ) -> Operation:  # fmt: skip
        """Writes rows into factors that are cut into shards.

        Args:
          factor: the shards.
          indices: [n] numbers of the rows.
          values: [n, k].
          sharding_func: from numbers of rows to shards, and places there.
          name: the name of the operation.
        """
        if len(factor) == 1:
            return scatter_update(factor[0], indices, values, name=name).op
        shards, places = sharding_func(indices)
        parts = [
            dynamic_partition(given, cast(shards, "int32"), len(factor))
            for given in (places, values)
        ]
        return group(*(scatter_update(*part) for part in zip(factor, *parts)), name=name)

    def update_row_factors(
        self, sp_input: Any = None, transpose_input: bool = False
    ) -> tuple[Tensor, Operation, Tensor, Tensor, Tensor]:
        """Solves for the rows that have elements in `sp_input`.

        Args:
          sp_input: a `SparseTensor` of some rows of the matrix, at their places in the whole.
          transpose_input: whether it is transposed.
        Returns: the new factors; the operation that writes them; the squared error, each square by
          its weight; the regularization, which is to be added to it; the sum of all weights. All
          three are for the whole matrix, as far as these rows tell.
        """
        return self._updated(True, sp_input, transpose_input)

    def update_col_factors(
        self, sp_input: Any = None, transpose_input: bool = False
    ) -> tuple[Tensor, Operation, Tensor, Tensor, Tensor]:
        """The same for columns; see `update_row_factors`."""
        return self._updated(False, sp_input, transpose_input)

    def project_row_factors(
        self, sp_input: Any = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """Factors for rows that may be new, by the factors of the columns; nothing is written.

        Args:
          sp_input: a `SparseTensor`; the numbers of its rows only tell them apart.
          transpose_input: whether it is transposed.
          projection_weights: r for these rows, a number or one each; 1 by default.
        """
        given = 1 if projection_weights is None else projection_weights
        return self._solved(True, sp_input, transpose_input, given)[0]

    def project_col_factors(
        self, sp_input: Any = None, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """The same for columns; see `project_row_factors`."""
        given = 1 if projection_weights is None else projection_weights
        return self._solved(False, sp_input, transpose_input, given)[0]

    def _updated(self, of_rows: bool, sp_input: Any, transpose_input: bool) -> tuple:
        side = self._rows if of_rows else self._columns
        new, ids, *sums = self._solved(of_rows, sp_input, transpose_input)
        sharding = _sharding(side.total, len(side.factors))
        name = "row_update" if of_rows else "col_update"
        return new, self.scatter_update(side.factors, ids, new, sharding, name), *sums

    def _solved(
        self, of_rows: bool, sp_input: Any, transpose_input: bool, given: Any = None
    ) -> tuple:
        """New factors, whose they are, and the error, the regularization, and the weights."""
        assert isinstance(sp_input, SparseTensor)
        left, right = (self._rows, self._columns)[:: 1 if of_rows else -1]
        own = int(transpose_input == of_rows)  # the axis along which the rows in question lie
        others = sp_input.indices[:, 1 - own]
        ids, places = unique(sp_input.indices[:, own], "int64")
        count, values, w0 = size(ids, out_type="int64"), sp_input.values, self._unobserved_weight
        factors = right.whole(right.factors)
        matrix: Any = w0 * right.gramian
        if self._regularization is not None:
            matrix += self._regularization * eye(self._width)
        if left.weights is None or right.weights is None:
            more: Any = zeros([size(values)])
            known = expand_dims(values, 1) * gather(factors, others)
            new = transpose(
                matrix_solve(matrix, transpose(w0 * unsorted_segment_sum(known, places, count)))
            )
        else:
            theirs = right.whole(right.weights)
            mine = gather(left.whole(left.weights), ids) if given is None else (
                ones([count]) * cast(given, "float32")
            )  # fmt: skip
            where_known = stack([places, others], 1)
            lhs, rhs = wals_equations(
                factors, theirs, float(w0), mine, where_known, values, count, False,
                name="wals_compute_partial_lhs_rhs",
            )  # fmt: skip
            new = squeeze(matrix_solve(expand_dims(matrix, 0) + lhs, expand_dims(rhs, -1)), [2])
            more = gather(mine, places) * gather(theirs, others)
        guess = reduce_sum(gather(new, places) * gather(factors, others), 1)
        ours = matmul(new, new, transpose_a=True)
        part = left.total / cast(count, "float32")
        # everywhere w0 guess^2, by the Gramians; where A is known, that is put right
        error = reduce_sum((w0 + more) * square(values - guess) - w0 * square(guess))
        error = part * (error + w0 * reduce_sum(ours * right.gramian))
        penalty = (self._regularization or 0.0) * (part * trace(ours) + trace(right.gramian))
        weights = float(w0 * left.total * right.total) + part * reduce_sum(more)
        return new, ids, error, penalty, weights
