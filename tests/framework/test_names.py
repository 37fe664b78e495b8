"""The phone books of the face: every public name is where its book says."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import minitf
from minitf.framework.names import late_names

ROOT = Path(minitf.__file__).parent
BOOKS = sorted(
    ".".join(("minitf", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if any(
        isinstance(node, ast.Assign) and "late_names(" in ast.unparse(node.value)
        for node in ast.parse(path.read_text()).body
    )
)


@pytest.mark.parametrize("module", BOOKS)
def test_every_name_is_where_its_book_says(module: str) -> None:
    namespace = importlib.import_module(module)
    for name in namespace.__all__:
        assert getattr(namespace, name) is not None or name == "newaxis"
    assert set(namespace.__all__) <= set(dir(namespace))


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(AttributeError, match="module 'minitf.nn' has no attribute 'conv17d'"):
        _ = minitf.nn.conv17d


def test_a_book_has_aliases_and_lines_that_go_on() -> None:
    namespace = {"__name__": "here", "own": 1}
    find, names, public = late_names(namespace, "math: floor up=ceil\n    pi")
    assert public == ["floor", "own", "pi", "up"]
    assert find("up")(1.5) == 2
    assert namespace["up"] is find("up")
    assert {"floor", "pi", "up"} <= set(names())


def test_an_op_whose_file_nobody_asked_for_is_found() -> None:
    code = (
        "import sys, minitf\n"
        "assert 'minitf.ops.image_codec' not in sys.modules\n"
        "from minitf.framework.op_def import get_op_def\n"
        "print(get_op_def('DecodePng').type, get_op_def('FIFOQueueV2').type)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["DecodePng", "FIFOQueueV2"]
