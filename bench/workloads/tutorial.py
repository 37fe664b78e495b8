"""The first graph of the course: a = (b + c) * (c + 2), with b and c fed."""

from collections.abc import Callable

from bench.case import Case, Library

CASES = (Case("a = (b+c) * (c+2), two feeds", "tutorial", wanted=30.0, crowd=True),)


def build(library: Library) -> Callable[[], object]:
    tf = library.tf
    b = tf.placeholder(tf.float32, [], name="b")
    c = tf.placeholder(tf.float32, [], name="c")
    d = b + c
    e = c + 2.0
    a = d * e
    session = library.session()
    return lambda: session.run(a, {b: 3.0, c: 4.0})
