"""An editor knows every name: type checkers and Jedi find it, its signature and its docstring."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

jedi = pytest.importorskip("jedi", reason="Jedi comes with JupyterLab")

ROOT = Path(__file__).resolve().parents[3]


def script(source: str) -> "jedi.Script":
    return jedi.Script(source, path=ROOT / "program.py", project=jedi.Project(ROOT))


@pytest.mark.parametrize(
    ("call", "name", "parameter", "says"),
    [
        ("tf.nn.conv2d(", "conv2d", "input", ">>> tf.nn.conv2d(images"),
        ("tf.train.AdamOptimizer(", "AdamOptimizer", "learning_rate", "Adam"),
        ("tf.matmul(", "matmul", "transpose_a", "sess.run(tf.matmul"),
    ],
)
def test_jedi_shows_a_signature_and_a_docstring(
    call: str, name: str, parameter: str, says: str
) -> None:
    (found,) = script(f"import minitf as tf\n{call}").get_signatures(2, len(call))
    assert found.name == name
    assert parameter in [each.name for each in found.params]
    assert says in found.docstring()


def test_jedi_completes_names_of_a_namespace() -> None:
    found = script("import minitf as tf\ntf.nn.rel").complete(2, 9)
    assert {"relu", "relu6", "relu_layer"} <= {each.name for each in found}


@pytest.mark.slow
def test_a_type_checker_knows_names_by_both_ways(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import minitf as tf\n"
        "reveal_type(tf.nn.conv2d)\nreveal_type(tf.train.AdamOptimizer(0.1))\nreveal_type(tf.mul)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", str(program)],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout
    shown = done.stdout.splitlines()
    assert "def (input:" in shown[0] and "Tensor" in shown[0]
    assert shown[1].endswith('"minitf.core.train.optimizers.AdamOptimizer"')
    assert "Tensor" in shown[2]
