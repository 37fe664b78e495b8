"""`tf.test.Benchmark`: how long an operation takes, measured in a session.

class MatMulBenchmark(tf.test.Benchmark):
    def benchmarkSquare(self):
        x = tf.random_normal([512, 512])
        with tf.Session() as sess:
            self.run_op_benchmark(sess, tf.matmul(x, x), name="square")

tf.test.main() with --benchmarks=MatMul runs it; without, the tests of the program.
"""

from __future__ import annotations

import inspect
import re
import time
from typing import Any

import numpy as np

from minitf.core.graph import logging
from minitf.core.runtime.session.config import ConfigProto

_known: list[type] = []


class Benchmark:
    """A class whose methods `benchmark...` measure something; its subclasses are found."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _known.append(cls)

    def _name(self, overwrite_name: str | None = None) -> str:
        if overwrite_name:
            return f"{type(self).__name__}.{overwrite_name}"
        names = (info.function for info in inspect.stack())
        method = next((name for name in names if name.startswith("benchmark")), "benchmark")
        return f"{type(self).__name__}.{method}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict | None = None,
        name: str | None = None,
        metrics: list | None = None,
    ) -> None:
        """Prints what was measured.

        Args:
          iters: how often it ran.
          cpu_time, wall_time: seconds for each.
          throughput: MB a second.
          extras: anything else.
          name: instead of the method's name.
          metrics: further values.
        """
        values: dict[str, Any] = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time}
        values |= {"throughput": throughput, **(extras or {}), "metrics": metrics or None}
        said = ", ".join(f"{key}: {value}" for key, value in values.items() if value is not None)
        print(f"{self._name(name)}: {said}", flush=True)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors that have them."""
        return tensors.numpy() if hasattr(tensors, "numpy") else tensors

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: dict | None = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Runs an operation some times, reports the median time, and returns it with others.

        Args:
          sess: the session.
          op_or_tensor: what to run.
          feed_dict: what to feed.
          burn_iters: runs before the clock starts.
          min_iters: runs that count.
          store_trace, store_memory_usage: not used.
          name, extras: see `report_benchmark`.
          mbs: MB that a run handles, for the throughput.
        Returns: "iters", "wall_time", "throughput" and "extras".
        """
        target = getattr(op_or_tensor, "op", op_or_tensor)
        for _ in range(burn_iters):
            sess.run(target, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(target, feed_dict=feed_dict)
            seconds.append(time.perf_counter() - start)
        median = float(np.median(seconds))
        throughput = mbs / median if median else 0.0
        result = {
            "name": self._name(name),
            "iters": min_iters,
            "wall_time": median,
            "throughput": throughput,
            "extras": {**(extras or {}), "wall_time_mean": float(np.mean(seconds))},
        }
        self.report_benchmark(min_iters, None, median, throughput or None, extras, name)
        return result


TensorFlowBenchmark = Benchmark


def benchmark_config() -> ConfigProto:
    """The configuration for sessions of benchmarks."""
    return ConfigProto()


def run_benchmarks(pattern: str) -> None:
    """Runs the benchmarks whose name, "Class.method", matches somewhere."""
    expression = re.compile("" if pattern == "all" else pattern)
    ran = 0
    for each in _known:
        for name in sorted(dir(each)):
            if name.startswith("benchmark") and expression.search(f"{each.__name__}.{name}"):
                getattr(each(), name)()
                ran += 1
    if not ran:
        logging.warning("No benchmark matches %r.", pattern)
