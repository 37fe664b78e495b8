"""The floors hold in the real tree, and the check sees each kind of violation in a made one."""

from pathlib import Path

import pytest

from scripts.layers import ROOT, check_library, check_widgets, imports_of


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


def test_no_file_of_minitf_imports_upwards() -> None:
    assert [str(violation) for violation in check_library(ROOT)] == []


def test_the_widgets_see_only_descriptions() -> None:
    assert [str(violation) for violation in check_widgets(ROOT)] == []


def test_a_house_in_order_has_no_violations(tmp_path: Path) -> None:
    files = {
        "minitf/__init__.py": "from minitf import linalg\nimport_module('minitf.cluster.comm')",
        "minitf/linalg.py": '"""Names."""\nfrom minitf.ops.math import det\n__all__ = ["det"]',
        "minitf/framework/graph.py": "import threading\nimport numpy as np\n",
        "minitf/ops/math.py": "from minitf.framework import graph\n",
        "minitf/fast/cuda/gpu.py": "def find():\n    import cupy\n",
        "minitf/cluster/comm.py": "import distributed\nfrom minitf.runtime import gpu\n",
        "widgets/minitf_widgets/graph.py": "from minitf.framework import graph_def",
    }
    assert _messages(tmp_path, files) == []


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (
            "framework/graph.py",
            "from minitf.ops import math",
            "upwards: framework stands below ops",
        ),
        (
            "ops/math.py",
            "\nimport minitf.train.adam",
            ":2: imports upwards: ops stands below train",
        ),
        ("ops/math.py", "from ..keras import models", "upwards: ops stands below keras"),
        (
            "runtime/plan.py",
            "from minitf.transforms import tape",
            "sideways: runtime and transforms",
        ),
        ("summary.py", "from minitf.cluster import comm", "sideways: summary and cluster"),
        ("compat/v1.py", "import minitf", "imports minitf through the face"),
        ("ops/math.py", "from minitf import constant", "imports minitf.constant through the face"),
        ("ops/math.py", "from minitf import linalg", "imports minitf.linalg through the face"),
        ("linalg.py", "def norm(): pass", ":1: a namespace of the face holds names only"),
        (
            "ops/a.py",
            "x = importlib.import_module('minitf.ops.b')",
            "minitf.ops.b inside a function",
        ),
        ("attic/old.py", "import minitf.framework.graph", "the room attic has no floor"),
        ("ops/math.py", "def f():\n    import os", ":2: imports os inside a function"),
        ("ops/math.py", "class C:\n  async def f(self):\n    import os", "os inside a function"),
        ("ops/math.py", "def f():\n    import cupy", "imports cupy, which only runtime/gpu.py"),
        ("ops/math.py", "import distributed", "imports distributed, which only cluster/ may"),
        ("ops/math.py", "import pandas", "imports pandas, which minitf does not depend on"),
        (
            "ops/math.py",
            "if TYPE_CHECKING:\n    from minitf.runtime import plan",
            "upwards: ops stands below runtime",
        ),
    ],
)
def test_a_violation_is_named(tmp_path: Path, path: str, text: str, message: str) -> None:
    found = _messages(tmp_path, {f"minitf/{path}": text})
    assert found
    assert any(message in violation for violation in found), found
    assert all(violation.startswith(f"minitf/{path}:") for violation in found)


def test_a_cycle_in_one_room_is_named(tmp_path: Path) -> None:
    files = {
        "minitf/ops/__init__.py": "",
        "minitf/ops/array.py": "from minitf.ops import math",
        "minitf/ops/math.py": "from .nn import relu",
        "minitf/ops/nn.py": "import minitf.ops.array",
    }
    (violation,) = _messages(tmp_path, files)
    circle = "minitf.ops.array -> minitf.ops.math -> minitf.ops.nn -> minitf.ops.array"
    assert violation == f"minitf/ops/array.py:1: import each other: {circle}"


def test_an_import_for_types_makes_no_cycle(tmp_path: Path) -> None:
    files = {
        "minitf/ops/array.py": "from minitf.ops import math",
        "minitf/ops/math.py": "if TYPE_CHECKING:\n    from minitf.ops import array",
    }
    assert _messages(tmp_path, files) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from minitf.framework import graph", "not minitf.framework.graph"),
        ("import minitf", "not minitf"),
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
