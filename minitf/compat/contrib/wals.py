"""`tf.contrib.factorization.WALSModel`: a sparse matrix as a product, by weighted least squares.

    sum_ij w_ij (a_ij - u_i v_j)^2 + regularization (|U|^2 + |V|^2)
    w_ij = unobserved_weight, + row_weights_i col_weights_j where a_ij is given

With V fixed each row u_i solves a linear system of its own, and so each v_j with U fixed:

    (unobserved_weight V'V + regularization + sum_j w_j v_j v_j') u_i = sum_j (w_0 + w_j) a_ij v_j
     └── the Gramian: once a sweep ─┘           └── over the given entries of the row ──┘

Hu, Koren and Volinsky, "Collaborative Filtering for Implicit Feedback Datasets" (2008).
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.compat.contrib.learn import Estimator
from minitf.compat.contrib.learn_keys import ModeKeys, ModelFnOps
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.core.ops.array_filling import fill, ones, ones_like, zeros, zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_not, where
from minitf.core.ops.control import group, no_op
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add_n, maximum, sqrt, square
from minitf.core.ops.random import random_normal
from minitf.core.ops.reductions import reduce_all, reduce_sum
from minitf.core.ops.scatter import scatter_update
from minitf.core.ops.segments import unsorted_segment_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.initialization import variables_initializer
from minitf.core.variables.variables import Variable
from minitf.library.input.partitioning import dynamic_partition
from minitf.library.nets.embeddings import embedding_lookup
from minitf.library.numeric.decompositions import matrix_solve
from minitf.library.numeric.diagonals import eye, trace
from minitf.library.numeric.uniqueness import unique
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary


@dataclass(frozen=True)
class _Side:
    """Rows or columns: their factors and weights in shards, the Gramian of all factors."""

    size: int
    factors: list[Variable]
    weights: list[Variable] | None
    gramian: Variable

    @classmethod
    def made(cls, name: str, size: int, depth: int, start: Any, shards: int, weights: Any) -> _Side:
        sizes = [size // shards + (number < size % shards) for number in range(shards)]
        start = start() if callable(start) else start
        if isinstance(start, str) and start == "random":
            start = [random_normal([each, depth]) for each in sizes]
        starts = start if isinstance(start, list) or shards > 1 else [start]
        assert len(starts) == shards
        return cls(
            size,
            _variables(f"{name}_factors", starts),
            _variables(f"{name}_weights", _weights(weights, sizes))
            if weights is not None
            else None,
            Variable(zeros([depth, depth]), name=f"{name}_gramian"),
        )

    def prepare(self) -> Any:
        """The operation that computes the Gramian."""
        parts = [matmul(factor, factor, transpose_a=True) for factor in self.factors]
        return assign(self.gramian, add_n(parts)).op

    def update(self, ids: Tensor, values: Tensor, name: str) -> Any:
        """The operation that replaces some factors."""
        shards = len(self.factors)
        if shards == 1:
            return scatter_update(self.factors[0], ids, values, name=name).op
        each, more = divmod(self.size, shards)  # the first `more` shards have one factor more
        shard = maximum(ids // (each + 1), (ids - more) // each)
        place = where(shard < more, ids % (each + 1), (ids - more) % each)
        shard = cast(shard, dtypes.int32)
        places, parts = (dynamic_partition(x, shard, shards) for x in (place, values))
        written = map(scatter_update, self.factors, places, parts)
        return group(*written, name=name)


def _variables(name: str, starts: Sequence[Any]) -> list[Variable]:
    return [
        Variable(start, dtype=dtypes.float32, name=f"{name}_shard_{number}")
        for number, start in enumerate(starts)
    ]


def _weights(given: Any, sizes: list[int]) -> list[Any]:
    """The weights of each shard, of one number or of lists."""
    if isinstance(given, numbers.Real) and float(given) >= 0:
        return [float(given) * ones([size]) for size in sizes]
    if not hasattr(given, "__len__"):
        raise ValueError(
            "Invalid weight initialization argument. Must be one of these: None, a real "
            "non-negative real number, or a list of lists of non-negative real numbers (or "
            "equivalent iterables) corresponding to sharded factors."
        )
    lists = [given] if len(sizes) == 1 and len(given) == sizes[0] else given
    assert len(lists) == len(sizes)
    return list(lists)


class WALSModel:
    """Factors of a matrix, solved for by turns; see the formulas above.

    What TensorFlow copies into caches of a worker is read where it is: `worker_init` and the
    `initialize_*_update_op`s do nothing, and both `use_*_cache` are accepted.

    Args:
      input_rows, input_cols: the sizes of the whole matrix.
      n_components: how many numbers a factor has.
      unobserved_weight: of the entries that are not given.
      regularization: of the squares of the factors; None for 0.
      row_init, col_init: "random", the first factors, a list of those of each shard, or a function
        that makes them.
      num_row_shards, num_col_shards: how many variables share the factors.
      row_weights, col_weights: a number, a list for each shard; both None for 0.
    """

    def __init__(
        self, input_rows: int, input_cols: int, n_components: int, unobserved_weight: float = 0.1,
        regularization: Any = None, row_init: Any = "random", col_init: Any = "random",
        num_row_shards: int = 1, num_col_shards: int = 1, row_weights: Any = 1,
        col_weights: Any = 1, use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
    ) -> None:  # fmt: skip
        assert (row_weights is None) == (col_weights is None)
        self._unobserved, self._regularization = unobserved_weight, regularization
        self._depth = n_components
        self._rows = _Side.made(
            "row", input_rows, n_components, row_init, num_row_shards, row_weights
        )
        self._cols = _Side.made(
            "col", input_cols, n_components, col_init, num_col_shards, col_weights
        )
        self._prepared = self._cols.prepare(), self._rows.prepare()
        self._worker_init = no_op(name="worker_init")

    @property
    def row_factors(self) -> list[Variable]:
        """The factors of the rows, [rows, n_components] in shards."""
        return self._rows.factors

    @property
    def col_factors(self) -> list[Variable]:
        """The factors of the columns, [columns, n_components] in shards."""
        return self._cols.factors

    @property
    def row_weights(self) -> list[Variable] | None:
        """The weights of the rows, in shards."""
        return self._rows.weights

    @property
    def col_weights(self) -> list[Variable] | None:
        """The weights of the columns, in shards."""
        return self._cols.weights

    @property
    def initialize_op(self) -> Any:
        """Initializes the variables."""
        sides = self._rows, self._cols
        own = [v for side in sides for v in (*side.factors, side.gramian, *(side.weights or ()))]
        return variables_initializer(own)

    @property
    def worker_init(self) -> Any:
        """To be run once by each worker."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> Any:
        """To be run before the rows are updated, by one worker: the Gramian of the columns."""
        return self._prepared[0]

    @property
    def col_update_prep_gramian_op(self) -> Any:
        """To be run before the columns are updated, by one worker: the Gramian of the rows."""
        return self._prepared[1]

    @property
    def initialize_row_update_op(self) -> Any:
        """To be run before the rows are updated, by each worker."""
        return self._worker_init

    @property
    def initialize_col_update_op(self) -> Any:
        """To be run before the columns are updated, by each worker."""
        return self._worker_init

    def update_row_factors(
        self, sp_input: SparseTensor, transpose_input: bool = False
    ) -> tuple[Tensor, Any, Tensor, Tensor, Tensor]:
        """Solves for the factors of some rows.

        Args:
          sp_input: [rows, columns] all entries of these rows.
          transpose_input: whether it is [columns, rows].
        Returns: the factors, in the order in which the rows come first; the operation that writes
          them; the weighted squared error as it would be of all rows, the regularization likewise;
          the sum of all weights.
        """
        return self._solved(self._rows, self._cols, sp_input, transpose_input)

    def update_col_factors(
        self, sp_input: SparseTensor, transpose_input: bool = False
    ) -> tuple[Tensor, Any, Tensor, Tensor, Tensor]:
        """Solves for the factors of some columns; see `update_row_factors`."""
        return self._solved(self._cols, self._rows, sp_input, not transpose_input)

    def project_row_factors(
        self, sp_input: SparseTensor, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """The factors that new rows would have.

        Args:
          sp_input, transpose_input: see `update_row_factors`; the numbers of the rows are free.
          projection_weights: of these rows, a number or [n]; 1 when None.
        Returns: [n, n_components], in the order in which the rows come first.
        """
        weights = 1 if projection_weights is None else projection_weights
        return self._solved(self._rows, self._cols, sp_input, transpose_input, weights)[0]

    def project_col_factors(
        self, sp_input: SparseTensor, transpose_input: bool = False, projection_weights: Any = None
    ) -> Tensor:
        """The factors that new columns would have; see `project_row_factors`."""
        weights = 1 if projection_weights is None else projection_weights
        return self._solved(self._cols, self._rows, sp_input, not transpose_input, weights)[0]

    def _solved(
        self, mine: _Side, other: _Side, sp_input: SparseTensor, swap: bool, weights: Any = None
    ) -> tuple[Tensor, Any, Tensor, Tensor, Tensor]:
        """Solves for factors of `mine`; rows of the input are columns of the matrix if `swap`."""
        assert isinstance(sp_input, SparseTensor)
        ids, places = unique(sp_input.indices[:, int(swap)])
        others = sp_input.indices[:, 1 - int(swap)]
        count = shape(ids)[0]
        values = sp_input.values
        right = embedding_lookup(other.factors, others, "div")  # [entries, depth]
        if mine.weights is None or other.weights is None:
            weight = zeros_like(values)
        else:
            of_mine = (
                embedding_lookup(mine.weights, ids, "div") if weights is None
                else ones([count]) * cast(weights, dtypes.float32)
            )  # fmt: skip
            weight = gather(of_mine, places) * embedding_lookup(other.weights, others, "div")
        known = self._unobserved * other.gramian.value()
        if self._regularization is not None:
            known += self._regularization * eye(self._depth)
        products = expand_dims(right, 2) * expand_dims(right, 1)
        summed = unsorted_segment_sum(products * weight[:, None, None], places, count)
        rated = expand_dims((self._unobserved + weight) * values, 1) * right
        wanted = expand_dims(unsorted_segment_sum(rated, places, count), 2)
        left = squeeze(matrix_solve(expand_dims(known, 0) + summed, wanted), [2])
        name = "row_update" if mine is self._rows else "col_update"
        update = mine.update(ids, left, name)

        guess = reduce_sum(gather(left, places) * right, 1)
        error = square(values - guess)
        gramian = matmul(left, left, transpose_a=True)
        scale = mine.size / cast(count, dtypes.float32)
        everywhere = reduce_sum(error - square(guess)) + trace(matmul(gramian, other.gramian))
        loss = (self._unobserved * everywhere + reduce_sum(weight * error)) * scale
        squares = trace(gramian) * scale + trace(other.gramian)
        total = self._unobserved * float(mine.size * other.size) + reduce_sum(weight) * scale
        return left, update, loss, (self._regularization or 0.0) * squares, total


# ---- the estimator -----------------------------------------------------------------------------


class _Sweeps(SessionRunHook):
    """Runs a step on rows or on columns, and before a sweep what prepares it."""

    def __init__(self, is_row: Any, is_done: Any, switch: Any, rows: tuple, cols: tuple) -> None:
        self._is_row, self._is_done, self._switch = is_row, is_done, switch
        self._sides = cols, rows  # each what prepares a sweep, and the step
        self._started = False

    def before_run(self, run_context: Any) -> SessionRunArgs:
        run = run_context.session.run
        is_done = run(self._is_done)
        if is_done:
            run(self._switch)
        prepare, step = self._sides[bool(run(self._is_row))]
        if is_done or not self._started:
            run(prepare)
        self._started = True
        return SessionRunArgs(step)


class _CountSteps(SessionRunHook):
    """Counts the steps, of which the train_op knows nothing."""

    def __init__(self) -> None:
        self._count = assign_add(get_global_step(), 1, name="global_step_incr").op

    def before_run(self, run_context: Any) -> None:
        run_context.session.run(self._count)


class _StopAtSweep(SessionRunHook):
    """Ends training after some sweeps."""

    def __init__(self, last_sweep: int) -> None:
        self._last = last_sweep

    def begin(self) -> None:
        name = f"{WALSMatrixFactorization.COMPLETED_SWEEPS}:0"
        self._done = stacks.get_default_graph().get_tensor_by_name(name)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._done)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results >= self._last:
            run_context.request_stop()


class WALSMatrixFactorization(Estimator):
    """Factors of a matrix whose rows and columns come in batches; one sweep updates all of one.

    Its features are sparse, by the numbers of the whole matrix: "input_rows" has some of its rows,
    "input_cols" some of its columns, transposed. To predict or evaluate, "project_row" says which
    are meant; "projection_weights" may weigh them.

    Args:
      num_rows, num_cols, embedding_dimension: the sizes of the matrix and of a factor.
      regularization_coeff, others: as of `WALSModel`.
      max_sweeps: ends training after so many.
      model_dir, config: see `tf.contrib.learn.Estimator`.
    Raises:
      ValueError: when there are several workers.
    """

    INPUT_ROWS, INPUT_COLS, PROJECT_ROW = "input_rows", "input_cols", "project_row"
    PROJECTION_WEIGHTS, PROJECTION_RESULT = "projection_weights", "projection"
    COMPLETED_SWEEPS, LOSS, RWSE = "completed_sweeps", "WALS_loss", "WALS_RWSE"

    def __init__(
        self, num_rows: int, num_cols: int, embedding_dimension: int,
        unobserved_weight: float = 0.1, regularization_coeff: Any = None,
        row_init: Any = "random", col_init: Any = "random", num_row_shards: int = 1,
        num_col_shards: int = 1, row_weights: Any = 1, col_weights: Any = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True, max_sweeps: int | None = None,
        model_dir: str | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        self._shards = num_row_shards, num_col_shards

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            assert labels is None
            model = WALSModel(
                num_rows, num_cols, embedding_dimension, unobserved_weight, regularization_coeff,
                row_init, col_init, num_row_shards, num_col_shards, row_weights, col_weights,
            )  # fmt: skip
            rows, cols = features[self.INPUT_ROWS], features[self.INPUT_COLS]
            if mode == ModeKeys.TRAIN:
                return self._training(model, rows, cols, (num_rows, num_cols), max_sweeps)
            # Weights, factors and Gramians come from a checkpoint that training has left.
            by_row = features[self.PROJECT_ROW]
            if mode == ModeKeys.INFER:
                weights = features.get(self.PROJECTION_WEIGHTS)
                projected = cond(
                    by_row,
                    lambda: model.project_row_factors(rows, False, weights),
                    lambda: model.project_col_factors(cols, True, weights),
                )
                return ModelFnOps(mode, {self.PROJECTION_RESULT: projected})
            loss = cond(
                by_row,
                lambda: add_n(model.update_row_factors(rows)[2:4]),
                lambda: add_n(model.update_col_factors(cols, True)[2:4]),
            )
            return ModelFnOps(mode, {}, loss, no_op(), {})

        super().__init__(model_fn, model_dir, config)
        if self.config.num_worker_replicas > 1:
            raise ValueError("WALSMatrixFactorization must be run on a single worker replica.")

    def _training(
        self, model: WALSModel, rows: Any, cols: Any, sizes: tuple[int, int], max_sweeps: Any
    ) -> ModelFnOps:
        is_row, is_done = _state(True, "is_row_sweep"), _state(False, "is_sweep_done")
        sweeps = _state(0, self.COMPLETED_SWEEPS)
        losses = _state(0.0, self.LOSS), _state(0.0, self.RWSE)
        for name, value in zip(("loss", "root_weighted_squared_error"), losses):
            summary.scalar(name, value)
        summary.scalar("completed_sweeps", sweeps)

        def side(batch: Any, size: int, update: Callable, name: str) -> tuple[Any, Any]:
            """What forgets the items of a sweep, and a step of it."""
            seen = _state(fill([size], False), f"processed_{name}")
            _, updated, loss, squares, total = update(batch)
            found = loss + squares, sqrt(loss / total)
            with control_dependencies([updated, *map(assign, losses, found)]):
                ids = batch.indices[:, 0]
                marked = scatter_update(seen, ids, ones_like(ids, dtype=dtypes.bool))
            with control_dependencies([marked]):
                done = reduce_all(seen)
                counted = assign_add(sweeps, cast(done, dtypes.int32))
                step = group(assign(is_done, done), counted, name=f"{name}_sweep_train_op")
            return seen.initializer, step

        no_rows, row_step = side(rows, sizes[0], model.update_row_factors, "rows")
        no_cols, col_step = side(
            cols, sizes[1], lambda batch: model.update_col_factors(batch, True), "cols"
        )
        switch = group(
            assign(is_row, logical_not(is_row)), no_rows, no_cols, name="sweep_switch_op"
        )
        by_row = model.row_update_prep_gramian_op, row_step
        by_col = model.col_update_prep_gramian_op, col_step
        hooks: list[SessionRunHook] = [_Sweeps(is_row, is_done, switch, by_row, by_col)]
        hooks += [_CountSteps()] + ([] if max_sweeps is None else [_StopAtSweep(max_sweeps)])
        return ModelFnOps(ModeKeys.TRAIN, {}, losses[0], no_op(), {}, training_hooks=hooks)

    def get_row_factors(self) -> list[Any]:
        """The factors of the rows, in shards, after training."""
        return [self.get_variable_value(f"row_factors_shard_{i}") for i in range(self._shards[0])]

    def get_col_factors(self) -> list[Any]:
        """The factors of the columns, in shards, after training."""
        return [self.get_variable_value(f"col_factors_shard_{i}") for i in range(self._shards[1])]

    def get_projections(self, input_fn: Callable) -> Iterator[Any]:
        """The factors that the rows or columns of `input_fn` would have."""
        return (found[self.PROJECTION_RESULT] for found in self.predict(input_fn=input_fn))


def _state(value: Any, name: str) -> Variable:
    return Variable(value, trainable=False, name=name, collections=[GraphKeys.GLOBAL_VARIABLES])
