"""A chain of scalar ops, each waiting for the one before: what one op costs.

Additions and multiplications by the fed value take turns, so that neither library can fold the
chain into fewer ops.
"""

from collections.abc import Callable

from bench.case import Case, Library

CASES = tuple(
    Case(
        f"chain of {length} scalar ops",
        "chain",
        {"length": length},
        wanted=wanted,
        crowd=length == 1000,
        bound="An op on NumPy's scalars takes 38 ns, one of the chain 39, and a run 0.6 us.",
    )
    for length, wanted in ((10, 30.0), (100, 15.0), (1000, 6.0))
)


def build(library: Library, length: int) -> Callable[[], object]:
    tf = library.tf
    x = tf.placeholder(tf.float32, [])
    y = x
    for i in range(length):
        y = y * x if i % 2 else y + x
    session = library.session()
    return lambda: session.run(y, {x: 0.5})
