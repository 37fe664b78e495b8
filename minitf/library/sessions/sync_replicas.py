"""`SyncReplicasOptimizer`: several workers compute gradients, and one update is made of their mean.

    each worker                                         the chief, in a queue runner
    gradients ──▶ accumulators (beside each variable) ──▶ mean of `replicas_to_aggregate`
    local_step ◀── token ◀── token queue ◀─────────────── update, then one token a worker

A worker that has added its gradients waits for a token. The token is the number of the step, and
only gradients of that step count: what a slow worker brings late is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import control as control_ops
from minitf.core.ops import state as state_ops
from minitf.core.ops.array_filling import fill
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initialization import global_variables, report_uninitialized_variables
from minitf.core.variables.variables import Variable
from minitf.library.input.queues.accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from minitf.library.input.queues.queues import FIFOQueue
from minitf.library.input.queues.runner import QueueRunner
from minitf.library.optimizers.optimizers import AroundOptimizer
from minitf.library.sessions import scaffold
from minitf.library.sessions.basic_hooks import SessionRunHook


class SyncReplicasOptimizer(Optimizer):
    """Averages the gradients of several workers before it lets another optimizer apply them.

    Args:
      opt: applies the averages.
      replicas_to_aggregate: how many gradients make one step.
      total_num_replicas: how many workers there are; the same number by default. More are there to
        stand in for slow ones; fewer means that a worker adds several gradients to one step.
      variable_averages: an `ExponentialMovingAverage` to update after each step.
      variables_to_average: of these variables.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the accumulators.

    Example:
      >>> loss, global_step = tf.square(tf.Variable(1.0)), tf.train.create_global_step()
      >>> opt = tf.train.GradientDescentOptimizer(0.1)
      >>> opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=2, total_num_replicas=2)
      >>> train_op = opt.minimize(loss, global_step=global_step)
      >>> hooks = [opt.make_session_run_hook(is_chief=True)]
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Sequence[Any] | None = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        super().__init__(use_locking, name)
        self._opt = opt
        logging.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s",
            replicas_to_aggregate,
            total_num_replicas,
        )
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._tokens_per_step = max(total_num_replicas, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._queue: Any = None
        self._chief_queue_runner: QueueRunner | None = None
        self.local_step_init_op: Any = None
        self.chief_init_op: Any = None
        self.ready_for_local_init_op: Any = None

    # not inherited: libraries ask whether every optimizer of tf.train has Optimizer as its base
    compute_gradients = AroundOptimizer.compute_gradients
    get_slot = AroundOptimizer.get_slot
    get_slot_names = AroundOptimizer.get_slot_names
    variables = AroundOptimizer.variables

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Adds a worker's part of a step, and for the chief the update itself.

        Args:
          grads_and_vars: (gradient, variable) pairs.
          global_step: the variable that counts the updates.
          name: accepted; the inner optimizer names the update.
        Returns: the operation of a worker: it adds the gradients and waits for the next step.
        Raises:
          ValueError: when there are no variables or no global step.
        """
        grads_and_vars = list(grads_and_vars or ())
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        with stacks.colocate_with(control_ops.no_op()):  # on the worker, not a parameter server
            self._local_step = Variable(
                0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = state_ops.assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with stacks.name_scope(None), stacks.name_scope(self._name):
            train_op, accumulators = self._add_step(grads_and_vars)
            chief_init = [self.local_step_init_op]
            for accumulator, device in accumulators:
                with stacks.device(device):
                    chief_init.append(
                        accumulator.set_global_step(global_step, name="SetGlobalStep")
                    )
            self.chief_init_op = control_ops.group(*chief_init)
        self._gradients_applied = True
        return train_op

    def _add_step(self, grads_and_vars: list) -> tuple[Any, list[tuple[Any, str]]]:
        global_step = self._global_step
        averages, added, accumulators = [], [], []
        for grad, var in grads_and_vars:
            with stacks.device(var.device):
                if grad is None:
                    averages.append((None, var))
                    continue
                accumulator, apply_op, average = self._accumulate(grad, var)
                added.append(apply_op)
                averages.append((average, var))
                accumulators.append((accumulator, var.device))
        with stacks.device(global_step.device), stacks.name_scope(""):
            update_op = self._opt.apply_gradients(averages, global_step)
            dtype = global_step.dtype.base_dtype
            self._queue = _shared_queue(-1, dtype, "sync_token_q")
            with stacks.control_dependencies(added):
                token = self._queue.dequeue()
            train_op = state_ops.assign(self._local_step, token)
            with stacks.control_dependencies([update_op]):
                tokens = fill([self._tokens_per_step], global_step.read_value())
                sync_op = self._queue.enqueue_many((tokens,))
            if self._variable_averages is not None:
                with stacks.control_dependencies([sync_op]):
                    sync_op = self._variable_averages.apply(self._variables_to_average)
            dummy = _shared_queue(1, dtypes.int32, "dummy_queue")
            self._chief_queue_runner = QueueRunner(dummy, [sync_op])
        return train_op, accumulators

    def _accumulate(self, grad: Any, var: Variable) -> tuple[Any, Operation, Any]:
        shared = var.name + "/grad_accum"
        accumulator: Any
        if isinstance(grad, IndexedSlices):
            accumulator = SparseConditionalAccumulator(grad.dtype, shared_name=shared)
            apply = accumulator.apply_indexed_slices_grad
            take = accumulator.take_indexed_slices_grad
        elif isinstance(grad, Tensor):
            accumulator = ConditionalAccumulator(grad.dtype, var.shape, shared_name=shared)
            apply, take = accumulator.apply_grad, accumulator.take_grad
        else:
            raise ValueError("Unknown grad type!")
        added = apply(grad, local_step=self._local_step)
        return accumulator, added, take(self._replicas_to_aggregate)

    # ---- what the chief runs besides -------------------------------------------------------

    def get_chief_queue_runner(self) -> QueueRunner:
        """Returns the queue runner that makes the updates; the chief starts it.

        Raises:
          ValueError: before `apply_gradients`.
        """
        if not self._gradients_applied or self._chief_queue_runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """Returns the operation that gives out the tokens of the first step; the chief runs it.

        Args:
          num_tokens: how many; as many as a step has gradients by default.
        Raises:
          ValueError: before `apply_gradients`, or when there would be too few.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                "(needed)"
            )
        if num_tokens <= 0:
            return control_ops.no_op(name="no_init_tokens")
        with stacks.device(self._global_step.device), stacks.name_scope(""):
            return self._queue.enqueue_many((fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """Returns the hook that prepares a worker's session, and the chief's queue runner."""
        return _SyncReplicasHook(self, is_chief, num_tokens)


def _shared_queue(capacity: int, dtype: Any, name: str) -> FIFOQueue:
    """A queue of numbers that all workers find under its name."""
    return FIFOQueue(capacity, dtype, shapes=[()], name=name, shared_name=name)


class _SyncReplicasHook(SessionRunHook):
    """Prepares a session for `SyncReplicasOptimizer`."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self) -> None:
        sync = self._optimizer
        if not sync._gradients_applied:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
            )
        self._init_op = sync.chief_init_op if self._is_chief else sync.local_step_init_op
        self._tokens = sync.get_init_tokens_op(self._num_tokens) if self._is_chief else None

    def after_create_session(self, session: Any, coord: Any) -> None:
        missing = scaffold.missing(session, self._optimizer.ready_for_local_init_op)
        if missing:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {self._init_op.name}, error: {missing}"
            )
        session.run(self._init_op)
        if self._is_chief:
            session.run(self._tokens)
            runner = self._optimizer.get_chief_queue_runner()
            runner.create_threads(session, coord=coord, daemon=True, start=True)
