"""Saved objects from a stranger: each file is read, or refused in one error that names it."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.formats import wire
from minitf.library.saving.load_objects import load_v2
from minitf.library.saving.saved_objects import SavedFunction, SavedNode, SavedObjects
from minitf.library.saving.structured_values import encode


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


def _written(folder: Path, objects: SavedObjects, *parts: bytes) -> str:
    """A saved model of these objects, and of more fields of its graph."""
    graph = b"".join([*parts, wire.field(7, objects.encode())])
    (folder / "saved_model.pb").write_bytes(wire.field(2, graph))
    return str(folder)


def _tuple(inner: int) -> SavedNode:
    return SavedNode(text="trackable_tuple_wrapper", children={"0": inner})


def _variable(*sizes: int) -> SavedNode:
    return SavedNode("variable", dtype=tf.float32, shape=tf.TensorShape(sizes), text="v")


def _calling(bound: int, *nodes: SavedNode) -> SavedObjects:
    """A function that captured an object."""
    function = SavedNode("bare_concrete_function", text="f")
    return SavedObjects([function, *nodes], {"f": SavedFunction([bound])})


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        (SavedObjects([SavedNode(children={"a": 7})]), "not there"),
        (SavedObjects([SavedNode(slots=[(0, "m", 2**40)])]), "not there"),
        (SavedObjects([SavedNode("constant", text="none")]), "constant 'none'"),
        (SavedObjects([_variable(2**40, 2**20)]), "'v' of shape .* has no value"),
        (SavedObjects([]), "not there"),
    ],
)  # fmt: skip
def test_hostile_objects_are_refused(objects: SavedObjects, text: str, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    folder = _written(tmp_path, objects)
    with pytest.raises(ValueError, match=text) as caught:
        load_v2(folder)
    assert folder in str(caught.value)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KB


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "a/../../b"])
def test_files_outside_of_the_model_are_refused(name: str, tmp_path: Path) -> None:
    asset = wire.field(6, wire.field(2, name.encode()))
    folder = _written(tmp_path, SavedObjects([SavedNode("asset")]), asset)
    with pytest.raises(ValueError, match="leads out of the saved model"):
        load_v2(folder)


def test_a_named_tuple_runs_no_code() -> None:
    name = "x\n    import os\n"
    entry = wire.field(1, name.encode()) + wire.field(2, encode(1))
    data = wire.field(54, wire.field(1, b"T") + wire.field(2, entry))
    function = wire.field(1, b"f") + wire.field(2, wire.field(3, data))
    whole = SavedObjects([SavedNode()]).encode() + wire.field(2, function)
    with pytest.raises(ValueError, match="identifiers"):
        SavedObjects.decode(whole)
