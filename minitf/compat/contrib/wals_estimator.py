"""`tf.contrib.factorization.WALSMatrixFactorization`: an estimator of a `WALSModel`.

input_fn gives rows of A, and of its transpose; a step takes one of the two:

row sweep  ...until all rows were seen...  column sweep  ...all columns...  row sweep ...

A hook watches which ones were seen, counts the sweeps, and prepares each one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minitf.compat.contrib.learn import Estimator
from minitf.compat.contrib.learn_keys import ModeKeys, ModelFnOps
from minitf.compat.contrib.wals import WALSModel
from minitf.core.gradients.cond import cond
from minitf.core.graph import logging
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import control_dependencies, get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_filling import fill, zeros
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_not, logical_or
from minitf.core.ops.control import group
from minitf.core.ops.math import divide, sqrt
from minitf.core.ops.reductions import reduce_all
from minitf.core.ops.scatter import scatter_update
from minitf.core.ops.state import assign, assign_add
from minitf.core.variables.variables import Variable
from minitf.library.numeric.uniqueness import unique
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary


def _state(value: Any, name: str) -> Variable:
    return Variable(value, trainable=False, name=name, collections=[GraphKeys.GLOBAL_VARIABLES])


class _Sweeps(SessionRunHook):
    """Turns from rows to columns when all were seen, and back.

    Args:
      model: the model.
      of_rows: a truth value: whether this is a sweep of rows.
      completed: how many sweeps there were.
      rows, columns: the numbers of those that a step sees.
      sizes: how many rows and columns there are.
      train_op: a step; what is counted is counted after it.
    """

    def __init__(
        self, model: WALSModel, of_rows: Variable, completed: Variable, rows: Tensor,
        columns: Tensor, sizes: tuple[int, int], train_op: Any,
    ) -> None:  # fmt: skip
        self._of_rows, self._begun = of_rows, False
        self._prepare = {
            True: [model.row_update_prep_gramian_op, model.initialize_row_update_op],
            False: [model.col_update_prep_gramian_op, model.initialize_col_update_op],
        }
        self._first = model.worker_init
        nothing = [zeros([size], "bool") for size in sizes]
        names = "sweep_hook_processed_rows", "sweep_hook_processed_cols"
        seen = [_state(none, name) for none, name in zip(nothing, names, strict=True)]
        self._done = _state(False, "is_sweep_done")
        self._turn = group(assign(of_rows, logical_not(of_rows)), *map(assign, seen, nothing))
        now = [identity(of_rows), logical_not(of_rows)]
        with control_dependencies([train_op]):
            marked = [
                scatter_update(place, ids, fill(shape(ids), sees))
                for place, ids, sees in zip(seen, (rows, columns), now, strict=True)
            ]
        done = logical_or(*map(reduce_all, marked))
        self._count = group(
            assign_add(get_global_step(), 1),
            assign_add(completed, cast(done, "int32")),
            assign(self._done, done),
        )

    def before_run(self, run_context: Any) -> SessionRunArgs:
        session = run_context.session
        done = session.run(self._done)
        if done:
            session.run(self._turn)
        if not self._begun:
            session.run(self._first)
        if done or not self._begun:
            logging.info("SweepHook running sweep prep ops.")
            for each in self._prepare[bool(session.run(self._of_rows))]:
                session.run(each)
        self._begun = True
        return SessionRunArgs(self._count)


class _StopAtSweep(SessionRunHook):
    """Ends training after so many sweeps.

    Args:
      last_sweep: how many.
    """

    def __init__(self, last_sweep: int) -> None:
        self._last_sweep = last_sweep

    def begin(self) -> None:
        name = WALSMatrixFactorization.COMPLETED_SWEEPS
        self._completed = get_default_graph().get_tensor_by_name(f"{name}:0")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._completed)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results >= self._last_sweep:
            run_context.request_stop()


class WALSMatrixFactorization(Estimator):
    """Approximates a matrix, of which some elements are known, by a product of two.

    An input_fn returns features and None. Features are by name, all matrices as `SparseTensor`s:
    INPUT_ROWS some rows, and INPUT_COLS some columns, transposed; for evaluation and prediction
    PROJECT_ROW, which of the two is meant, too, and perhaps PROJECTION_WEIGHTS, see `WALSModel`.

    Args:
      num_rows, num_cols, embedding_dimension: the sizes n, m, k.
      max_sweeps: after how many sweeps training ends, of rows and of columns together.
      model_dir, config: see `Estimator`.
      use_factors_weights_cache_for_training, use_gramian_cache_for_training: accepted.
      others: those of `WALSModel`.
    Raises:
      ValueError: when there are several workers.
    """

    INPUT_ROWS, INPUT_COLS = "input_rows", "input_cols"
    PROJECT_ROW, PROJECTION_WEIGHTS = "project_row", "projection_weights"
    PROJECTION_RESULT, COMPLETED_SWEEPS = "projection", "completed_sweeps"

    def __init__(
        self, num_rows: int, num_cols: int, embedding_dimension: int,
        unobserved_weight: float = 0.1, regularization_coeff: float | None = None,
        row_init: Any = "random", col_init: Any = "random", num_row_shards: int = 1,
        num_col_shards: int = 1, row_weights: Any = 1, col_weights: Any = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True, max_sweeps: int | None = None,
        model_dir: str | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        if config is not None and config.num_worker_replicas > 1:
            raise ValueError("WALSMatrixFactorization must be run on a single worker replica.")
        self._shards = {"row": num_row_shards, "col": num_col_shards}

        def model() -> WALSModel:
            return WALSModel(
                num_rows, num_cols, embedding_dimension, unobserved_weight, regularization_coeff,
                row_init, col_init, num_row_shards, num_col_shards, row_weights, col_weights,
            )  # fmt: skip

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            return self._model_fn(model(), features, mode, (num_rows, num_cols), max_sweeps)

        super().__init__(model_fn, model_dir, config)

    def _model_fn(
        self, model: WALSModel, features: Any, mode: str, sizes: tuple[int, int],
        max_sweeps: int | None,
    ) -> ModelFnOps:  # fmt: skip
        rows, columns = features[self.INPUT_ROWS], features[self.INPUT_COLS]
        of_rows = _state(True, "is_row_sweep")
        completed = _state(0, self.COMPLETED_SWEEPS)
        if mode == ModeKeys.INFER:
            weights = features.get(self.PROJECTION_WEIGHTS)
            projected = cond(
                features[self.PROJECT_ROW],
                lambda: model.project_row_factors(rows, False, weights),
                lambda: model.project_col_factors(columns, True, weights),
            )
            return ModelFnOps(mode, {self.PROJECTION_RESULT: projected})

        def updated(update: Callable, *given: Any) -> list[Tensor]:
            _, write, *sums = update(*given)
            with control_dependencies([write]):
                return [identity(each) for each in sums]

        error, penalty, weight = cond(
            features[self.PROJECT_ROW] if mode == ModeKeys.EVAL else of_rows,
            lambda: updated(model.update_row_factors, rows, False),
            lambda: updated(model.update_col_factors, columns, True),
        )
        loss = error + penalty
        summary.scalar("loss", loss)
        summary.scalar("root_weighted_squared_error", sqrt(divide(error, weight)))
        summary.scalar("completed_sweeps", completed)
        row_ids, column_ids = (unique(each.indices[:, 0])[0] for each in (rows, columns))
        sweeps = _Sweeps(model, of_rows, completed, row_ids, column_ids, sizes, loss)
        hooks: list[SessionRunHook] = [sweeps]
        if max_sweeps is not None:
            hooks.append(_StopAtSweep(max_sweeps))
        return ModelFnOps(mode, {}, loss, loss.op, {}, training_hooks=hooks)

    def get_row_factors(self) -> list[Any]:
        """The factors of the rows, an array for each shard, from the newest checkpoint."""
        return self._kept("row")

    def get_col_factors(self) -> list[Any]:
        """The same for the columns."""
        return self._kept("col")

    def _kept(self, kind: str) -> list[Any]:
        names = [f"{kind}_factors_shard_{number}" for number in range(self._shards[kind])]
        return [self.get_variable_value(name) for name in names]

    def get_projections(self, input_fn: Callable) -> Iterator[Any]:
        """The factors of the rows or columns that `input_fn` gives, which may be new."""
        return (found[self.PROJECTION_RESULT] for found in self.predict(input_fn=input_fn))
