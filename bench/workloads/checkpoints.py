"""Saving and restoring with `tf.train.Saver`: 100 MB in ten variables, and 200 small variables.

The files are written to the system's folder for temporary files, again and again under one name.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.case import Case, Library

SIZES = {"100 MB": (10, [2500, 1000]), "200 small variables": (200, [16])}
WANTED = {"100 MB": 1.5, "200 small variables": 3.0}
BOUND = (
    "Python takes 2 us to save a variable and 3 to restore one, three new files take 0.4 ms; large "
    "variables are limited by checksums and copies."
)

CASES = (
    *(
        Case(
            f"{verb} {of}",
            "checkpoints",
            {"of": of, "do": verb},
            wanted=wanted,
            crowd=True,
            cores=True,
            bound=BOUND,
        )
        for of, wanted in WANTED.items()
        for verb in ("save", "restore")
    ),
    *(
        Case(
            f"save 200 small variables, {when} graph",
            "checkpoints",
            {"of": "200 small variables", "do": "save", "graph": graph},
            cores=True,
            bound="A graph is written in Python, 16 us an operation; its file serves again until "
            "it changes.",
        )
        for when, graph in (("the same", "as it is"), ("another", "with another operation"))
    ),
)


def build(library: Library, of: str, do: str, graph: str = "") -> Callable[[], object]:
    tf = library.tf
    number, shape = SIZES[of]
    for i in range(number):
        tf.Variable(tf.random_normal(shape), name=f"v{i}")
    saver = tf.train.Saver()
    session = library.session()
    session.run(tf.global_variables_initializer())
    folder = tempfile.TemporaryDirectory(prefix="minitf-bench-")
    library.closing.append(folder.cleanup)
    path = str(Path(folder.name) / "model")
    saver.save(session, path, write_meta_graph=bool(graph))
    if graph == "with another operation":
        return lambda: (tf.no_op(), saver.save(session, path))
    if do == "save":
        return lambda: saver.save(session, path, write_meta_graph=bool(graph))
    return lambda: saver.restore(session, path)
