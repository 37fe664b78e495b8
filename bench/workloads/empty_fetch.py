"""`Session.run` on nothing: what a call costs before any op runs."""

from collections.abc import Callable

from bench.case import Case, Library

CASES = (Case("run([])", "empty_fetch", wanted=10.0),)


def build(library: Library) -> Callable[[], object]:
    library.tf.constant(1.0)  # an empty graph is an error
    session = library.session()
    fetches: list[object] = []
    return lambda: session.run(fetches)
