"""The `>>>` examples in the docstrings of minitf run, and print what they say.

An example finds the names of its module, `tf`, `np`, and, where it uses one, a session `sess` of an
empty graph. What it writes below /tmp/ goes to a folder of the test. One item a module.
"""

import ast
import doctest
import importlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minitf
from minitf.core.graph import stacks
from minitf.core.ops.examples import EXAMPLES
from minitf.library.eager.context import forget_collections

ROOT = Path(minitf.__file__).parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MAX_SKIPPED = 14  # examples that need more than one process
EAGERLY = "enable_eager_execution"


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yields (name, docstring) of a module and of all in it whose docstrings have examples."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                yield getattr(node, "name", path.stem), text


MODULES = [path for path in sorted(ROOT.rglob("*.py")) if any(docstrings(path))]


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, and afterwards no default graph and no eager execution."""
    monkeypatch.chdir(tmp_path)
    yield
    stacks.set_global_default(None)
    forget_collections()


def fails(name: str, text: str, path: Path, folder: Path) -> str:
    """Runs the examples of one docstring; returns what is wrong with them."""
    stacks.set_global_default(None)
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    module = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    names = {**vars(importlib.import_module(module)), "tf": minitf, "np": np}
    text = text.replace("/tmp/", f"{folder}/")
    examples = doctest.DocTestParser().get_doctest(text, names, name, str(path), 0)
    code = "\n".join(example.source for example in examples.examples)
    if EAGERLY not in code:
        minitf.set_random_seed(1)
    sess = examples.globs["sess"] = minitf.InteractiveSession() if "sess" in code else None
    said: list[str] = []
    # NumPy 2 would show the type of a scalar.
    with np.printoptions(legacy="1.25"):
        doctest.DocTestRunner(optionflags=OPTIONS).run(examples, out=said.append)
    if sess is not None:
        sess.close()
    return "".join(said)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_print_what_they_say(path: Path, tmp_path: Path) -> None:
    faults = "".join(fails(name, text, path, tmp_path) for name, text in docstrings(path))
    if missing := re.search(r"(?:ModuleNotFound|Import)Error: .*", faults):
        pytest.skip(f"an optional package is not here: {missing[0]}")
    assert not faults, faults


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_functions_from_tables(name: str, tmp_path: Path) -> None:
    text = getattr(minitf, name).__doc__
    assert text.count(">>>") == 1
    faults = fails(name, text, ROOT / "core" / "ops" / "examples.py", tmp_path)
    assert not faults, faults


def test_few_examples_are_left_out() -> None:
    texts = [text for path in MODULES for _, text in docstrings(path)]
    skipped = [line for text in texts for line in text.splitlines() if "+SKIP" in line]
    assert len(skipped) <= MAX_SKIPPED
