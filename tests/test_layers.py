"""The layers hold in the real tree, and the check sees each kind of violation in a made one."""

import re
from pathlib import Path

import pytest

from scripts.layers import ROOT, check_library, check_widgets, imports_of
from tests.compiled import whole_project


def _tree(root: Path, files: dict[str, str]) -> Path:
    """Writes a small project below `root`: paths of `minitf/` and `widgets/` and their text."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def _messages(root: Path, files: dict[str, str]) -> list[str]:
    tree = _tree(root, files)
    return [str(violation) for violation in check_library(tree) + check_widgets(tree)]


@whole_project
def test_the_front_of_the_house_shows_five_names() -> None:
    shown = {path.name for path in (ROOT / "minitf").iterdir() if path.name != "__pycache__"}
    layers = {"api", "core", "library", "fast", "compat"}
    assert shown == layers | {"__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (
            "core/graph/graph.py",
            "from minitf.core.ops import math",
            "upwards: graph stands below ops",
        ),
        (
            "core/ops/math.py",
            "\nimport minitf.core.train.optimizers",
            ":2: imports upwards: ops stands below train",
        ),
        ("core/ops/math.py", "from ...library import nets", "upwards: core stands below library"),
        ("library/nets/conv.py", "import minitf.fast.cuda", "upwards: library stands below fast"),
        ("library/nets/conv.py", "import minitf.compat.x", "upwards: library stands below compat"),
        (
            "core/runtime/plan/plan.py",
            "from minitf.core.gradients import tape",
            "sideways: runtime and gradients",
        ),
        ("compat/v1.py", "import minitf", "imports minitf through the public API"),
        (
            "core/ops/a.py",
            "from minitf import constant",
            "imports minitf.constant through the public API",
        ),
        (
            "core/ops/a.py",
            "from minitf import linalg",
            "imports minitf.linalg through the public API",
        ),
        (
            "core/ops/a.py",
            "x = importlib.import_module('minitf.core.ops.b')",
            "minitf.core.ops.b inside a function",
        ),
        ("attic/old.py", "import minitf.core.graph.graph", "attic is none of the layers"),
        ("core/attic/old.py", "import minitf.core.graph.graph", "the package attic has no layer"),
        ("core/ops/math.py", "def f():\n    import os", ":2: imports os inside a function"),
        (
            "core/ops/math.py",
            "class C:\n  async def f(self):\n    import os",
            "os inside a function",
        ),
        ("core/ops/math.py", "def f():\n    import cupy", "cupy, which only fast/cuda/gpu.py may"),
        (
            "core/ops/math.py",
            "import distributed",
            "distributed, which only core/cluster/wire/comm.py, library/clusters/ may",
        ),
        ("core/ops/math.py", "import pandas", "imports pandas, which minitf does not depend on"),
        (
            "core/ops/math.py",
            "if TYPE_CHECKING:\n    from minitf.core.runtime import plan",
            "upwards: ops stands below runtime",
        ),
        ("core/ops/math.py", "\nset_later: int", ":2: declares set_later for another file to set"),
        (
            "core/runtime/run/x.py",
            "from minitf.core.ops import math\nmath.hook = 1",
            ":2: sets math.hook of another file",
        ),
    ],
)
def test_a_violation_is_named(tmp_path: Path, path: str, text: str, message: str) -> None:
    found = _messages(tmp_path, {f"minitf/{path}": text})
    assert found
    assert any(message in violation for violation in found), found
    assert all(violation.startswith(f"minitf/{path}:") for violation in found)


def test_an_import_for_types_makes_no_cycle(tmp_path: Path) -> None:
    files = {
        "minitf/core/ops/array.py": "from minitf.core.ops import math",
        "minitf/core/ops/math.py": "if TYPE_CHECKING:\n    from minitf.core.ops import array",
    }
    assert _messages(tmp_path, files) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from minitf.core.graph import graph", "not minitf.core.graph.graph"),
        ("import minitf.core.ops.math", "not minitf.core.ops.math"),
        ("import pandas", "imports pandas, which the widgets do not depend on"),
        ("def f():\n    import json", "imports json inside a function"),
    ],
)
def test_a_widget_that_looks_behind_the_front_is_named(
    tmp_path: Path, text: str, message: str
) -> None:
    (violation,) = _messages(tmp_path, {"widgets/minitf_widgets/graph.py": text})
    assert message in violation


def test_relative_imports_are_resolved() -> None:
    found = imports_of("from . import a\nfrom ..ops.math import *\nfrom .b import c", "minitf.nn")
    assert [item.module for item in found] == ["minitf.nn.a", "minitf.ops.math", "minitf.nn.b.c"]


def test_only_the_tests_of_the_fast_wing_name_it() -> None:
    """With `minitf/fast` deleted all other tests pass; `make without-fast` shows it."""
    tests = ROOT / "tests"
    places = {"compiled.py", Path(__file__).name}
    files = [path for path in tests.rglob("*.py") if tests / "fast" not in path.parents]
    named = [
        path
        for path in files
        if re.search(r"(import|from) minitf(\.| import )fast", path.read_text())
    ]
    assert {path.name for path in named} <= places, named
