"""`tf.contrib.factorization.WALSMatrixFactorization`: sweeps over rows and columns, in batches.

    rows ──a step──> rows ──> ... all seen ──switch──> columns ──> ... all seen ──switch──> rows

A hook says which of the two a step is for; the model itself is in wals.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minitf.compat.contrib.learn import Estimator
from minitf.compat.contrib.learn_keys import ModeKeys, ModelFnOps
from minitf.compat.contrib.wals import WALSModel
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import control_dependencies
from minitf.core.ops.array_filling import fill, ones_like
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_not
from minitf.core.ops.control import group, no_op
from minitf.core.ops.math import add_n, sqrt
from minitf.core.ops.reductions import reduce_all
from minitf.core.ops.scatter import scatter_update
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variables import Variable
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary


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
