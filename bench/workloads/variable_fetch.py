"""Reading a variable's value."""

from collections.abc import Callable

from bench.case import Case, Library

CASES = (
    Case("fetch a scalar variable", "variable_fetch", {"shape": []}, wanted=30.0, crowd=True),
    Case("fetch a 784x128 variable", "variable_fetch", {"shape": [784, 128]}),
)


def build(library: Library, shape: list[int]) -> Callable[[], object]:
    tf = library.tf
    variable = tf.Variable(tf.zeros(shape))
    session = library.session()
    session.run(variable.initializer)
    return lambda: session.run(variable)
