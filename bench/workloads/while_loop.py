"""A `while_loop` whose body is almost nothing: what a turn costs."""

from collections.abc import Callable

from bench.case import Case, Library

CASES = (Case("while_loop of 1000 turns", "while_loop", {"turns": 1000}, wanted=25.0, crowd=True),)


def build(library: Library, turns: int) -> Callable[[], object]:
    tf = library.tf
    factor = tf.placeholder(tf.float32, [])
    _, product = tf.while_loop(
        lambda i, product: i < turns,
        lambda i, product: (i + 1, product * factor),
        [tf.constant(0), tf.constant(1.0)],
    )
    session = library.session()
    return lambda: session.run(product, {factor: 1.001})
