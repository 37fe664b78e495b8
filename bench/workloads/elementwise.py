"""Elementwise functions of 10 million floats, which are larger than any cache.

The values stay in the library: what is run is the op, so that no copy to the caller counts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.case import Case, Library

BOUND = {
    "polynomial": "80 MB go through memory, 2.7 to 3.2 ms.",
    "gelu": "Seven steps beside a tanh; in NumPy each is a pass over a block in the cache.",
    "softmax": "Four passes over a block in the cache, an exponential among them; 80 MB of memory.",
    "exp": "80 MB go through memory.",
    "sum": "40 MB are read, at 25 to 40 GB/s a core: 1 to 1.6 ms; two wait for one memory.",
}

CASES = tuple(
    Case(
        f"{name} of 10 M floats",
        "elementwise",
        {"of": of},
        wanted=wanted,
        wanted_fast=fast,
        seconds=0.5,
        crowd=True,
        cores=True,
        bound=BOUND[of],
    )
    for name, of, wanted, fast in (
        ("polynomial of 7 ops", "polynomial", 1.4, 3.0),
        ("gelu", "gelu", 2.0, 4.0),
        ("softmax of rows", "softmax", 0.8, 1.0),
        ("exp", "exp", None, None),
        ("sum", "sum", None, None),
    )
)


def build(library: Library, of: str) -> Callable[[], object]:
    tf = library.tf
    x = tf.Variable(tf.random_normal([10_000, 1_000]))
    built = {
        "polynomial": polynomial,
        "gelu": gelu,
        "softmax": lambda tf, x: tf.nn.softmax(x),
        "exp": lambda tf, x: tf.exp(x),
        "sum": lambda tf, x: tf.reduce_sum(x),
    }
    result = built[of](tf, x).op
    session = library.session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(result)


def polynomial(tf: Any, x: Any) -> Any:
    return (((0.5 * x + 1.0) * x - 2.0) * x + 3.0) * x


def gelu(tf: Any, x: Any) -> Any:
    """Builds the approximation by tanh, as programs of its day wrote it."""
    inner = np.sqrt(2.0 / np.pi) * (x + 0.044715 * tf.pow(x, 3))
    return x * (0.5 * (1.0 + tf.tanh(inner)))
