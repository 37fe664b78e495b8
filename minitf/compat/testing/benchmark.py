"""`tf.test.Benchmark`: how long an operation takes, measured in a session.

class MatMulBenchmark(tf.test.Benchmark):
    def benchmarkSquare(self):
        x = tf.random_normal([512, 512])
        with tf.Session() as sess:
            self.run_op_benchmark(sess, tf.matmul(x, x), name="square")

tf.test.main() with --benchmarks=MatMul runs it; without, the tests of the program.
"""

from __future__ import annotations

import re

from minitf.core.graph import logging

_known: list[type] = []


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
