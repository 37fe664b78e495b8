"""Workers of `tf.contrib.opt` that train copies of the variables, which meet every few steps.

    worker                                  parameter server
    v, its own copy ── trains alone ──┐
    every N-th step:                  ├──▶  global_center_variable/v
        Elastic         v and the center go a part of the way towards each other
        ModelAverage    the center becomes the mean of all copies, and v the center
        AGN             the center takes one step by the mean gradient, and v becomes the center

A custom getter makes the copies, which are local variables, and the centers, which are global.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy as shallow
from functools import partial
from typing import Any

import numpy as np

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph import Operation
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.comparisons import equal
from minitf.core.ops.control import group, no_op
from minitf.core.ops.losses import l2_loss
from minitf.core.ops.math import add_n, floormod
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.creators import variable_creator_scope
from minitf.core.variables.initialization import trainable_variables
from minitf.core.variables.partitioned import PartitionedVariable
from minitf.core.variables.variable_scope import get_variable
from minitf.library.input.queues.accumulators import ConditionalAccumulator
from minitf.library.input.queues.queues import FIFOQueue
from minitf.library.optimizers.around import AroundOptimizer
from minitf.library.saving.saver import Saver
from minitf.library.saving.saver_builder import op_list_to_dict
from minitf.library.sessions.session_run_hook import SessionRunHook

GLOBAL_VARIABLE_NAME = "global_center_variable"

# ---- getters -------------------------------------------------------------------------------------


class _CenterGetter:
    """Makes of each trainable variable a copy on the worker, and its center.

    For `tf.variable_scope(custom_getter=)`, within `tf.device(tf.train.replica_device_setter())`.

    Args:
      worker_device: where the copies are.
    """

    _beside_name = ""  # of a second variable on the worker

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device
        self._global_map: dict[Any, Any] = {}  # by copy its center
        self._beside_map: dict[Any, Any] = {}

    def __call__(
        self, getter: Callable, name: str, trainable: bool, collections: Any, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        def make(name: str, trainable: bool, collections: Any, here: bool) -> Any:
            with stacks.device(self._worker_device if here else ""):
                return getter(name, *args, trainable=trainable, collections=collections, **kwargs)

        if not trainable:
            here = GraphKeys.LOCAL_VARIABLES in (collections or ())
            return make(name, trainable, collections, here)
        local = make(name, True, [GraphKeys.LOCAL_VARIABLES], True)
        if kwargs.get("reuse") is True:
            return local
        center = f"{GLOBAL_VARIABLE_NAME}/{name}"
        there = make(center, False, [GraphKeys.GLOBAL_VARIABLES], False)
        self._remember(self._global_map, local, there)
        if self._beside_name:
            beside = f"{self._beside_name}/{name}"
            own = make(beside, False, [GraphKeys.LOCAL_VARIABLES], True)
            self._remember(self._beside_map, local, own)
        return local

    @staticmethod
    def _remember(map: dict, local: Any, other: Any) -> None:
        """One pair, or of a variable in parts one each."""
        if isinstance(local, PartitionedVariable):
            map.update(zip(local, other, strict=True))
        else:
            map[local] = other


class ElasticAverageCustomGetter(_CenterGetter):
    """For `ElasticAverageOptimizer`: beside each copy, the center as the worker last saw it."""

    _beside_name = "local_center_variable"


class ModelAverageCustomGetter(_CenterGetter):
    """For `ModelAverageOptimizer`."""


class AGNCustomGetter(_CenterGetter):
    """For `AGNOptimizer`: beside each copy, the sum of its gradients."""

    _beside_name = "grad_variable"


# ---- optimizers ----------------------------------------------------------------------------------


def _locally(next_creator: Callable, collections: Any = None, **kwargs: Any) -> Any:
    """Makes a local variable where a global one is asked for: each worker has its own slots."""
    others = [c for c in collections or () if c != GraphKeys.GLOBAL_VARIABLES]
    return next_creator(collections=[*others, GraphKeys.LOCAL_VARIABLES], **kwargs)


class _Meeting:
    """The step in which copies meet: what is done then, and not in the steps between.

    A branch runs in one task. So each part of a meeting is a branch beside the variable that it
    changes, and between meetings only empty tensors travel.
    """

    def __init__(self, now: Any) -> None:
        self._now = now

    def do(self, beside: Any, act: Callable[[], Any]) -> Any:
        """`act()`, beside a variable."""
        with stacks.device(beside.device):
            return cond(self._now, lambda: group(act()), no_op)

    def get(self, beside: Any, act: Callable[[], Any]) -> Any:
        """The value that `act()` gives, beside a variable of its type."""
        with stacks.device(beside.device):
            return cond(self._now, act, lambda: constant([], beside.dtype.base_dtype))

    def read(self, variable: Any) -> Any:
        """The value of a variable."""
        return self.get(variable, variable.read_value)

    def count(self, global_step: Any) -> list:
        """Increments the step, if there is one."""
        given = [] if global_step is None else [global_step]
        return [self.do(step, partial(step.assign_add, 1)) for step in given]


class _CenterOptimizer(AroundOptimizer):
    """What the optimizers here share: training alone, and the step in which copies meet."""

    _empty = "The list of local_variables should not be empty"

    def __init__(
        self, opt: Optimizer, num_worker: int, getter: _CenterGetter, period: int,
        use_locking: bool, name: str,
    ) -> None:  # fmt: skip
        super().__init__(opt, use_locking, name)
        self._num_worker, self._period = num_worker, period
        self._global_map, self._beside_map = getter._global_map, getter._beside_map
        self._local_step = get_variable(
            "local_step", initializer=0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """A step of a worker; `global_step` counts the meetings."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        trained = self._train(pairs)
        with stacks.control_dependencies(trained):
            step = self._local_step.assign_add(1, name="local_step_update")
            now = equal(floormod(step, self._period), 0)
        with stacks.control_dependencies([now]):
            return group(*self._meet(_Meeting(now), [v for _, v in pairs], global_step))

    def _train(self, pairs: list) -> list:
        """A step of the copies alone."""
        with variable_creator_scope(_locally):
            return [self._opt.apply_gradients(pairs)]

    def _meet(self, meeting: _Meeting, copies: list, global_step: Any) -> list:
        """What is done when copies meet."""
        raise NotImplementedError

    def _follow(self, meeting: _Meeting, copy: Any) -> Any:
        """A copy becomes what its center is."""
        center = meeting.read(self._global_map[copy])
        return meeting.do(copy, lambda: copy.assign(center))

    def _pull(self, copies: list) -> list:
        """Makes copies what their centers are."""
        if not copies:
            raise ValueError(self._empty)
        return [copy.assign(self._global_map[copy].read_value()) for copy in copies]


class ElasticAverageOptimizer(_CenterOptimizer):
    """Copies and their centers pull each other; workers do not wait for one another.

    Zhang, Choromanska and LeCun, "Deep Learning with Elastic Averaging SGD" (2015).

    Args:
      opt: trains the copies.
      num_worker: how many workers there are.
      ea_custom_getter: has made the variables.
      communication_period: how many steps a worker goes alone.
      moving_rate: which part of their distance they go; `BETA / communication_period / num_worker`
        by default.
      rho: how much the squared distance adds to the loss; `moving_rate / learning_rate` by default.
      use_locking, name: see `Optimizer`.
      synchronous: whether workers wait for each other before the first step.
    """

    BETA = 0.9
    _empty = (
        "The lists of local_variables, global_center_variables, local_center_variables should "
        "not be empty  "
    )

    def __init__(
        self, opt: Optimizer, num_worker: int, ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10, moving_rate: float | None = None, rho: Any = None,
        use_locking: bool = True, synchronous: bool = False, name: str = "ElasticAverageOptimizer",
    ) -> None:  # fmt: skip
        super().__init__(opt, num_worker, ea_custom_getter, communication_period, use_locking, name)
        if moving_rate is None:
            moving_rate = self.BETA / communication_period / num_worker
        self._moving_rate = moving_rate
        self._rho = moving_rate / opt._learning_rate if rho is None else rho  # type: ignore[attr-defined]
        self._synchronous = synchronous

    def compute_gradients(self, loss: Any, var_list: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Those of the loss with the distance from the centers; see `Optimizer`."""
        copies = var_list or trainable_variables()
        distance = add_n([l2_loss(copy - self._beside_map[copy]) for copy in copies])
        return self._opt.compute_gradients(loss + self._rho * distance, copies, *args, **kwargs)

    def _meet(self, meeting: _Meeting, copies: list, global_step: Any) -> list:
        return [*(self._approach(meeting, copy) for copy in copies), *meeting.count(global_step)]

    def _approach(self, meeting: _Meeting, copy: Any) -> Any:
        """A copy and its center go a part of the way towards each other."""
        center = self._global_map[copy]
        there = meeting.read(center)

        def part_of_the_way() -> Any:
            part = self._moving_rate * (copy.read_value() - self._beside_map[copy].assign(there))
            with stacks.control_dependencies([copy.assign_sub(part)]):
                return identity(part)

        part = meeting.get(copy, part_of_the_way)
        return meeting.do(center, lambda: center.assign_add(part))

    def get_init_op(self, task_index: int) -> Any:
        """Makes the copies what their centers are; then waits for the others, if synchronous."""
        copies = trainable_variables()
        pulled = self._pull(copies)
        pulled += [
            self._beside_map[copy].assign(self._global_map[copy].read_value()) for copy in copies
        ]
        if not self._synchronous:
            return group(*pulled)
        with stacks.device(self._global_map[copies[0]].device):
            queues = [
                FIFOQueue(
                    self._num_worker, dtypes.bool, [()], shared_name=f"variable_init_sync_queue{i}"
                )
                for i in range(self._num_worker)
            ]
            with stacks.control_dependencies(pulled):
                told = [q.enqueue(False) for i, q in enumerate(queues) if i != task_index]
            with stacks.control_dependencies(told):
                return group(queues[task_index].dequeue_many(self._num_worker - 1))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """The hook that runs `get_init_op` in a new session."""
        return _CenterHook(lambda: self.get_init_op(task_index))

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A saver that writes the centers under the names of the copies.

        Args:
          var_list: as of `Saver`; the trainable variables by default.
          name, kwargs: see `Saver`.
        Raises:
          RuntimeError: when there are no centers.
        """
        if not self._global_map:
            raise RuntimeError(
                "global_center_variable is empty, please make sure this is called after model "
                "created and ElasticAverageCustomGetter is used when declaring you model"
            )
        given = trainable_variables() if var_list is None else var_list
        named = given if isinstance(given, dict) else op_list_to_dict(given)

        def center(kept: Any) -> Any:
            if isinstance(kept, (list, PartitionedVariable)):
                return [center(part) for part in kept]
            return self._global_map.get(kept, kept)

        swapped = {key: center(kept) for key, kept in named.items()}
        return Saver(swapped, name=name, **kwargs)


class ModelAverageOptimizer(_CenterOptimizer):
    """Every few steps all copies become their mean; workers wait for each other then.

    Args:
      opt: trains the copies.
      num_worker: how many workers there are.
      is_chief: whether this worker makes the means.
      ma_custom_getter: has made the variables.
      interval_steps: how many steps a worker goes alone.
      use_locking, name: see `Optimizer`.
    """

    def __init__(
        self, opt: Optimizer, num_worker: int, is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter, interval_steps: int = 100,
        use_locking: bool = True, name: str = "ModelAverageOptimizer",
    ) -> None:  # fmt: skip
        super().__init__(opt, num_worker, ma_custom_getter, interval_steps, use_locking, name)
        self._is_chief = is_chief
        self._begun: list = []  # what makes the accumulators know the step

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """A step of a worker; `global_step` counts the means.

        Raises:
          ValueError: without variables, or without a global step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        return super().apply_gradients(pairs, global_step, name)

    def _meet(self, meeting: _Meeting, copies: list, global_step: Any) -> list:
        centers = [self._global_map[copy] for copy in copies]
        with stacks.control_dependencies(None):
            gathered = [_accumulator(center) for center in centers]
            self._begun = [
                each.set_global_step(global_step, name="SetGlobalStep") for each in gathered
            ]
            with stacks.device(global_step.device):
                tokens = FIFOQueue(-1, dtypes.bool, [()], shared_name="sync_queue")
        step = global_step.read_value()
        added = [
            self._add(meeting, copy, center, accumulator, step)
            for copy, center, accumulator in zip(copies, centers, gathered, strict=True)
        ]
        with stacks.control_dependencies(added):
            met = self._make_means(meeting, centers, gathered, global_step, tokens)
        with stacks.control_dependencies([met]):
            return [self._follow(meeting, copy) for copy in copies]

    def _add(self, meeting: _Meeting, copy: Any, center: Any, accumulator: Any, step: Any) -> Any:
        value = meeting.read(copy)
        return meeting.do(center, lambda: accumulator.apply_grad(value, local_step=step))

    def _make_means(
        self, meeting: _Meeting, centers: list, gathered: list, global_step: Any, tokens: Any
    ) -> Any:
        """The chief makes the means and tells the other workers, who wait for it."""
        if not self._is_chief:
            return meeting.do(global_step, tokens.dequeue)
        made = [
            meeting.do(center, partial(_take_mean, center, accumulator, self._num_worker))
            for center, accumulator in zip(centers, gathered, strict=True)
        ]
        with stacks.control_dependencies(made):
            counted = meeting.count(global_step)
        others = np.zeros(self._num_worker - 1, bool)
        with stacks.control_dependencies(counted):
            return meeting.do(global_step, lambda: tokens.enqueue_many(others))

    def get_init_op(self) -> Any:
        """Makes the copies what their centers are."""
        return group(*self._pull(trainable_variables()))

    def make_session_run_hook(self) -> SessionRunHook:
        """The hook that runs `get_init_op` in a new session."""
        return _CenterHook(
            lambda: group(*(self._begun if self._is_chief else []), self.get_init_op())
        )


def _accumulator(center: Any) -> ConditionalAccumulator:
    with stacks.device(center.device):
        shared = f"{center.name}/var_accum"
        return ConditionalAccumulator(center.dtype.base_dtype, center.shape, shared)


def _take_mean(center: Any, accumulator: Any, count: int) -> Any:
    return center.assign(accumulator.take_grad(count))


class AGNOptimizer(_CenterOptimizer):
    """Gradients are summed while a worker goes alone; the center takes one step by their mean.

    Hermans, Spanakis and Moeckel, "Accumulated Gradient Normalization" (2017).

    Args:
      optimizer: trains the copies, and the centers.
      num_worker: how many workers there are.
      custom_getter: has made the variables.
      communication_period: how many steps a worker goes alone.
      use_locking, name: see `Optimizer`.
    """

    _empty = (
        "The lists of local_variables, global_center_variables,grad_center_variables should not "
        "be empty"
    )

    def __init__(
        self, optimizer: Optimizer, num_worker: int, custom_getter: AGNCustomGetter,
        communication_period: int = 10, use_locking: bool = True, name: str = "AGNOptimizer",
    ) -> None:  # fmt: skip
        super().__init__(
            optimizer, num_worker, custom_getter, communication_period, use_locking, name
        )

    def _train(self, pairs: list) -> list:
        summed = [self._beside_map[v].assign_add(convert_to_tensor(g)) for g, v in pairs]
        return [*super()._train(pairs), *summed]

    def _meet(self, meeting: _Meeting, copies: list, global_step: Any) -> list:
        means = [self._take_mean(meeting, copy) for copy in copies]
        centers = [self._global_map[copy] for copy in copies]
        moved = _apply(meeting, self._opt, list(zip(means, centers, strict=True)), copies[0])
        with stacks.control_dependencies([moved]):
            return [*(self._follow(meeting, copy) for copy in copies), *meeting.count(global_step)]

    def _take_mean(self, meeting: _Meeting, copy: Any) -> Any:
        summed = self._beside_map[copy]

        def take() -> Any:
            mean = summed.read_value() / self._period
            with stacks.control_dependencies([mean]):
                cleared = summed.assign(zeros_like(mean))
            with stacks.control_dependencies([cleared]):
                return identity(mean)

        return meeting.get(summed, take)

    def get_init_op(self, task_index: int) -> Any:
        """Makes the copies what their centers are, and the sums zeros."""
        copies = trainable_variables()
        pulled = self._pull(copies)
        sums = [self._beside_map[copy] for copy in copies]
        return group(*pulled, *[each.assign(zeros_like(each)) for each in sums])

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """The hook that runs `get_init_op` in a new session."""
        return _CenterHook(lambda: self.get_init_op(task_index))


def _apply(meeting: _Meeting, optimizer: Optimizer, pairs: list, here: Any) -> Any:
    """Applies gradients in a meeting only, each beside its variable.

    An optimizer that does more than to update variables, as to let them decay, does all of it
    beside the first: its variables must be in one task then.

    Args:
      here: a variable beside which it keeps what belongs to no variable, as Adam its powers.
    """
    if type(optimizer).apply_gradients is not Optimizer.apply_gradients:
        return meeting.do(pairs[0][1], lambda: optimizer.apply_gradients(pairs))
    inside = shallow(optimizer)

    def update(gradient: Any, variable: Any) -> Any:
        # read here, as a branch beside the center does not see the worker's variables
        rates = optimizer._rule_rates(variable) if optimizer._rule else []
        with_rates = shallow(optimizer)
        with_rates._rule_rates = lambda var: rates  # type: ignore[method-assign]
        return meeting.do(variable, lambda: with_rates._update(gradient, variable))

    def finish(update_ops: list, name_scope: str) -> Operation:
        with stacks.control_dependencies(update_ops):
            return group(meeting.do(here, lambda: optimizer._finish([], name_scope)))

    inside._update, inside._finish = update, finish  # type: ignore[method-assign]
    return inside.apply_gradients(pairs)


class _CenterHook(SessionRunHook):
    """Runs an operation, which it adds while the graph still may change, in a new session."""

    def __init__(self, make_init_op: Callable[[], Any]) -> None:
        self._make_init_op = make_init_op

    def begin(self) -> None:
        self._init_op = self._make_init_op()

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._init_op)
