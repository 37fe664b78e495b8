"""From a new graph to its first steps: planning and emission, which each new cell pays."""

import time
from typing import Any

from bench.case import Case, Library, Sample, repeat
from bench.workloads import lstm
from bench.workloads.mlp import perceptron

CASES = (
    Case(
        "first step of the MLP with Adam",
        "first_run",
        {"model": "mlp", "of": "first step"},
        limit=0.1,
        seconds=0.4,
        rounds=5,
    ),
    Case(
        "MLP with Adam: from building to the second step",
        "first_run",
        {"model": "mlp", "of": "everything"},
        seconds=0.8,
        rounds=5,
    ),
    Case(
        "first step of a training graph of 1,500 ops",
        "first_run",
        {"model": "deep", "of": "first step"},
        limit=0.3,
        seconds=0.1,
        rounds=3,
    ),
    Case(
        "first step of a training graph with static_rnn",
        "first_run",
        {"model": "static_rnn", "of": "first step"},
        limit=0.5,
        seconds=0.1,
        rounds=3,
    ),
    Case(
        "static_rnn: from building to the second step",
        "first_run",
        {"model": "static_rnn", "of": "everything"},
        seconds=0.1,
        rounds=3,
    ),
)


def build(library: Library, model: str, of: str) -> "FirstRun":
    return FirstRun(library, model, of)


def training(tf: Any, model: str) -> tuple[Any, dict[Any, Any]]:
    """Builds a model's training step; returns its op and the feeds."""
    if model == "mlp":
        return perceptron(tf, "Adam", 32)
    if model == "deep":
        return perceptron(tf, "Adam", 32, hidden=(64,) * 29)
    return lstm.training(tf, model, 32)


class FirstRun:
    """Builds a model in a new graph each time and runs it in a new session."""

    def __init__(self, library: Library, model: str, of: str):
        self._library = library
        self._model = model
        self._of = of

    def sample(self, seconds: float) -> Sample:
        """Returns seconds of the first training step, or of everything up to the second."""
        return repeat(self._once, seconds, least=1 if self._model == "static_rnn" else 3)

    def _once(self) -> float:
        tf = self._library.tf
        start = time.perf_counter()
        with tf.Graph().as_default():
            train, feeds = training(tf, self._model)
            initialize = tf.global_variables_initializer()
            with tf.Session(config=self._library.config()) as session:
                session.run(initialize)
                first = time.perf_counter()
                session.run(train, feeds)
                first = time.perf_counter() - first
                session.run(train, feeds)
        return first if self._of == "first step" else time.perf_counter() - start
