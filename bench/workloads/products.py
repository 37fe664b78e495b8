"""One large matrix product, which both sides leave to a library: OpenBLAS here, oneDNN there."""

from collections.abc import Callable

from bench.case import Case, Library

CASES = (
    Case(
        "matmul 2048 x 2048",
        "products",
        {"size": 2048},
        seconds=0.5,
        cores=True,
        bound="OpenBLAS, at nine tenths of what oneDNN reaches on this processor.",
    ),
)


def build(library: Library, size: int) -> Callable[[], object]:
    tf = library.tf
    x, y = (tf.Variable(tf.random_normal([size, size])) for _ in range(2))
    product = tf.matmul(x, y).op
    session = library.session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(product)
