"""An editor knows every name: Jedi finds it, its signature and its docstring.

`tests/typed_names.py` shows that a type checker does.
"""

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
