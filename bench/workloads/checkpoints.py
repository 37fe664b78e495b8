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
    "Python spends 6 us on a variable to save it and 3 to restore it, as much as TensorFlow; large "
    "ones are checksums and copies."
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
    Case(
        "save 200 small variables with their graph",
        "checkpoints",
        {"of": "200 small variables", "do": "save", "graph": True},
        cores=True,
        bound="The 2,000 operations of the graph are written in Python, 28 us each.",
    ),
)


def build(library: Library, of: str, do: str, graph: bool = False) -> Callable[[], object]:
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
    saver.save(session, path, write_meta_graph=graph)
    if do == "save":
        return lambda: saver.save(session, path, write_meta_graph=graph)
    return lambda: saver.restore(session, path)
