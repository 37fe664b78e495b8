"""From a new graph to its first steps: planning and emission, which each new cell pays."""

import time

from bench.case import Case, Library, Sample, repeat
from bench.workloads.mlp import perceptron

CASES = (
    Case(
        "first step of the MLP with Adam",
        "first_run",
        {"of": "first step"},
        limit=0.1,
        seconds=0.4,
        rounds=5,
    ),
    Case(
        "MLP with Adam: from building to the second step",
        "first_run",
        {"of": "everything"},
        seconds=0.8,
        rounds=5,
    ),
)


def build(library: Library, of: str) -> "FirstRun":
    return FirstRun(library, of)


class FirstRun:
    """Builds the perceptron in a new graph each time and runs it in a new session."""

    def __init__(self, library: Library, of: str):
        self._library = library
        self._of = of

    def sample(self, seconds: float) -> Sample:
        """Returns seconds of the first training step, or of everything up to the second."""
        return repeat(self._once, seconds)

    def _once(self) -> float:
        tf = self._library.tf
        start = time.perf_counter()
        with tf.Graph().as_default():
            train, feeds = perceptron(tf, "Adam", 32)
            initialize = tf.global_variables_initializer()
            with tf.Session(config=self._library.config()) as session:
                session.run(initialize)
                first = time.perf_counter()
                session.run(train, feeds)
                first = time.perf_counter() - first
                session.run(train, feeds)
        return first if self._of == "first step" else time.perf_counter() - start
