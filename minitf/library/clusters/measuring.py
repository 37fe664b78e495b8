"""Points for the cost model, measured on this machine: one ps and two workers, a process each.

ping       an empty question to the ps                        2 messages
pull       a variable of the ps, of 4 KB to 16 MB             1 step, 2 messages, its bytes
compute    a training step inside one worker                  1 step, its arithmetic
training   asynchronous steps of one worker, then of two      what the model is checked with

points = tf.cluster.measure()                                 # about ten seconds
model = tf.cluster.CostModel.fit(points, check="training")
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.channel import Channel
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import device
from minitf.core.ops.array import identity, placeholder
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.linalg import matmul
from minitf.core.ops.reductions import reduce_max
from minitf.core.runtime.session.session import Session
from minitf.core.train.optimizers import GradientDescentOptimizer
from minitf.core.variables.initialization import global_variables_initializer
from minitf.core.variables.variables import Variable
from minitf.library import clusters
from minitf.library.clusters.cost_model import TRAFFIC, Point, Workload
from minitf.library.losses import softmax_cross_entropy
from minitf.library.nets.activations import relu

if TYPE_CHECKING:
    from minitf.library.clusters.dask_cluster import TaskCluster, TaskContext

LAYERS = (784, 128, 10)
_WEIGHTS = 784 * 128 + 128 + 128 * 10 + 10
#: What is trained: two matrix products forward, four backward, of two operations a weight each.
PERCEPTRON = Workload("784-128-10", flops=6 * _WEIGHTS, nbytes=4 * _WEIGHTS, batch=64)

PULLED = tuple(1 << bits for bits in (12, 16, 20, 22, 24))  # bytes
BATCHES = (16, 64, 256, 1024)


def measure(cluster: TaskCluster | None = None, seconds: float = 0.3) -> list[Point]:
    """Measures what `CostModel.fit` needs.

    Args:
      cluster: with one ps and two workers that rest; a new one of this machine when None.
      seconds: for each point.
    """
    with contextlib.ExitStack() as ends:
        if cluster is None:
            cluster = ends.enter_context(clusters.start_local(ps=1, workers=2))
        alone = cluster.run(_alone, seconds)[0]
        together = cluster.run(_train, seconds, True)
        return [*alone, Point("training", median(together), *_counts(2), replicas=2)]


def _counts(replicas: int) -> tuple[float, float, float, float]:
    messages, nbytes = TRAFFIC["ps"](1, PERCEPTRON.nbytes, 1)
    return messages, nbytes * replicas, PERCEPTRON.batch * PERCEPTRON.flops, 1.0


def _alone(task: TaskContext, seconds: float) -> list[Point]:
    """What worker 0 measures while nobody else does anything."""
    if task.index:
        return []
    ps = task.cluster.task_address("ps", 0)
    channel = Channel(ps, transport.options_for(ps))
    points = [Point("ping", _time(lambda: channel.call("ping"), seconds), messages=2)]
    channel.close()
    for nbytes in PULLED:
        with Graph().as_default(), Session(task.target) as session:
            with device(task_name("ps", 0)):
                variable = Variable(zeros([nbytes // 4]), name=f"pulled_{nbytes}")
            with device(task.device):
                arrived = reduce_max(identity(variable)[:8])
            session.run(variable.initializer)
            took = _time(partial(session.run, arrived), seconds)
            points.append(Point("pull", took, messages=2, bytes=nbytes, steps=1))
    for batch in BATCHES:
        with Graph().as_default():
            step = _step(task.target, task.device, batch, "local")
            flops = batch * PERCEPTRON.flops
            points.append(Point("compute", _time(step, seconds), flops=flops, steps=1))
    points.append(Point("training", _train(task, seconds, False), *_counts(1)))
    return points


def _train(task: TaskContext, seconds: float, together: bool) -> float:
    """Seconds of an asynchronous step; variables are on the ps."""
    with Graph().as_default():
        step = _step(task.target, task.device, PERCEPTRON.batch, "shared", task_name("ps", 0))
        return _time(step, 3 * seconds if together else seconds)


def _step(
    target: str, own: str, batch: int, name: str, variables_at: str = ""
) -> Callable[[], Any]:
    """Builds the perceptron; returns what makes one step."""
    rng = np.random.default_rng(0)
    made: list[Variable] = []

    def variable(*shape: int) -> Variable:
        with device(variables_at or own):
            value = rng.normal(0.0, 0.05, shape).astype(np.float32)
            made.append(Variable(value, name=f"{name}_{len(made)}"))
        return made[-1]

    with device(own):
        x, labels = placeholder("float32", [batch, 784]), placeholder("float32", [batch, 10])
        hidden = relu(matmul(x, variable(784, 128)) + variable(128))
        logits = matmul(hidden, variable(128, 10)) + variable(10)
        loss = softmax_cross_entropy(labels, logits)
        with device(variables_at or own):
            train = GradientDescentOptimizer(0.01).minimize(loss)
    session = Session(target)
    session.run(global_variables_initializer())
    images = rng.random((batch, 784), np.float32)
    feeds = {x: images, labels: np.eye(10, dtype=np.float32)[rng.integers(0, 10, batch)]}
    return lambda: session.run(train, feeds)


def _time(step: Callable[[], Any], seconds: float) -> float:
    """The lower quartile of the seconds that a step takes, after the first three."""
    for _ in range(3):
        step()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 4]
