"""An estimator under a strategy: `model_fn` once for each replica, one `EstimatorSpec` of all.

    input_fn ──> batches of one replica each ──deal──> model_fn in replica 0 ──┐ losses: reduced
                                                       model_fn in replica 1 ──┘ train_ops: grouped

An input function's batches are those of one replica, so that a step takes as many of them as there
are replicas. What is learned is what one device learns from batches of all their rows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from minitf.core.graph import stacks
from minitf.core.ops.control import group
from minitf.library.distribute.strategy import get_loss_reduction
from minitf.library.distribute.values import PerReplica
from minitf.library.estimator.inputs import InitializerHook, parts_of_element
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys, call_with_known
from minitf.library.metrics.metrics import mean
from minitf.library.sessions.scaffold import Scaffold


class Built(NamedTuple):
    """What an estimator runs: the spec, the hooks of the data, and the mean of the losses."""

    spec: EstimatorSpec
    hooks: list[Any]
    loss_metric: Any = None


@contextlib.contextmanager
def trains_in(strategy: Any) -> Iterator[None]:
    """A context in which variables are the strategy's, and optimizers share out the loss."""
    with strategy.scope():
        before = strategy._scale_loss_for_estimator
        strategy._scale_loss_for_estimator = True
        try:
            yield
        finally:
            strategy._scale_loss_for_estimator = before


def built(estimator: Any, strategy: Any, input_fn: Callable, mode: str) -> Built:
    """Builds the model for all replicas.

    Args:
      estimator: says what model.
      strategy: says which replicas.
      input_fn: returns a `Dataset` of batches for one replica each; it may take `input_context`.
      mode: a `ModeKeys`.
    """

    def dataset(context: Any) -> Any:
        offered = {"mode": mode, "params": estimator.params, "config": estimator.config}
        with stacks.device("/cpu:0"):
            return call_with_known(input_fn, {**offered, "input_context": context})

    iterator = strategy.make_input_fn_iterator(dataset)
    features, labels = parts_of_element(iterator.get_next())
    every: dict[int, EstimatorSpec] = {}
    losses: dict[int, Any] = {}

    def in_replica(features: Any, labels: Any) -> None:
        here = stacks.strategies.top().replica_id
        every[here] = estimator._call_model_fn(features, labels, mode, estimator.config)
        if mode == ModeKeys.EVAL:
            losses[here] = mean(every[here].loss)

    strategy.extended.call_for_each_replica(in_replica, args=(features, labels))
    specs = [every[i] for i in sorted(every)]
    loss_metric = _joined([losses[i] for i in sorted(losses)]) if losses else None
    hooks = [InitializerHook(op) for op in iterator.initialize()]
    return Built(_merged(strategy, specs), hooks, loss_metric)


def _merged(strategy: Any, specs: list[EstimatorSpec]) -> EstimatorSpec:
    """One spec of those of the replicas; hooks are those of the first one."""
    first = specs[0]
    losses = PerReplica([spec.loss for spec in specs])
    changes: dict[str, Any] = {
        "loss": strategy.reduce(get_loss_reduction(), losses, axis=None),
        "eval_metric_ops": {
            name: _joined([spec.eval_metric_ops[name] for spec in specs])
            for name in first.eval_metric_ops
        },
        "scaffold": _scaffold([spec.scaffold for spec in specs]),
    }
    if first.train_op is not None:
        changes["train_op"] = group(*(spec.train_op for spec in specs))
    return first._replace(**changes)


def _joined(pairs: list[Any]) -> tuple[Any, Any]:
    """A metric's value, which is that of all replicas, and one operation that updates all."""
    return pairs[0][0], group(*(update for _, update in pairs))


def _scaffold(scaffolds: list[Scaffold]) -> Scaffold:
    """The first replica's, with the initializers of all."""
    own = ("init_op", "local_init_op")
    found = {name: [getattr(s, name) for s in scaffolds if getattr(s, name)] for name in own}
    grouped: dict[str, Any] = {name: group(*ops) for name, ops in found.items() if ops}
    return Scaffold(copy_from_scaffold=scaffolds[0], **grouped) if grouped else scaffolds[0]


# ---- the task ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Role:
    """What this program does in its cluster.

    Args:
      master: the target of its sessions.
      initializes: whether it gives variables their first values, or waits until somebody has.
      saves: whether it writes checkpoints and summaries.
      session_config: a `ConfigProto`.
    """

    master: str
    initializes: bool
    saves: bool
    session_config: Any


def role_of(config: Any, session_config: Any) -> Role:
    """The role of the task that trains."""
    strategy = config.train_distribute
    if strategy is None:
        return Role(config.master, config.is_chief, config.is_chief, session_config)
    extended = strategy.extended
    return Role(
        extended._session_target() or config.master,
        extended.experimental_should_init,
        extended.should_checkpoint,
        strategy.update_config_proto(session_config),
    )
