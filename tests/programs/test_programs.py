"""Programs as courses of 2016 to 2019 have them run through `python -m minitf`, and learn.

None of them knows minitf. The digits they read are scikit-learn's, in files of MNIST's form.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conformance import oracle_venv

HERE = Path(__file__).resolve().parent


def at_least(pattern: str, bound: float) -> Callable[[str], bool]:
    """The last number after `pattern` is no less than `bound`."""
    return lambda text: float(re.findall(rf"{pattern}\s*(-?[\d.]+)", text)[-1]) >= bound


def falls(pattern: str, factor: float) -> Callable[[str], bool]:
    """Of "pattern A then B", B is at most `factor` times A."""

    def check(text: str) -> bool:
        before, after = re.findall(rf"{pattern} ([\d.]+) (?:then|against) ([\d.]+)", text)[-1]
        return float(after) <= factor * float(before)

    return check


def says(*lines: str) -> Callable[[str], bool]:
    """All of these are printed."""
    return lambda text: all(line in text for line in lines)


CHECKS: dict[str, Callable[[str], bool]] = {
    "hello_world": says("b'Hello, TensorFlow!'"),
    "basic_operations": says(
        "constants: 2 + 3 = 5", "constants: 2 * 3 = 6", "sum 5", "product 6", "[[12.]]"
    ),
    "eager_basics": says(
        "a + b = 5", "[[5.0, 1.0], [6.0, 1.0]]", "[[11.0, 1.0], [3.0, 0.0]]", "m[1][0] = 1",
        "dy/dw = 8",
    ),
    "keras_save_restore": lambda text: (
        "same: True better: True" in text and at_least("Accuracy:", 0.8)(text)
    ),
    "wide_deep": lambda text: "exported: True" in text and at_least("Accuracy:", 0.75)(text),
    "eager_network": lambda text: "variables: 4" in text and at_least("Accuracy:", 0.8)(text),
    "linear_regression": lambda text: abs(float(re.findall(r"W=([\d.]+) b", text)[-1]) - 0.25) < 0.03,
    "linear_regression_eager": lambda text: (
        abs(float(re.findall(r"W= ([\d.]+)", text)[-1]) - 1.5) < 0.1
    ),
    "nearest_neighbor": at_least("Accuracy:", 0.8),
    "kmeans": at_least("Test Accuracy:", 0.55),
    "gradient_boosted_trees": at_least("Accuracy:", 0.7),
    "random_forest": at_least("Test Accuracy:", 0.75),
    "word2vec": at_least("same kind:", 0.5),
    "cnn_layers": at_least("Testing Accuracy:", 0.8),
    "recurrent_network": at_least("Testing Accuracy:", 0.7),
    "bidirectional_rnn": at_least("Testing Accuracy:", 0.6),
    "dynamic_rnn": at_least("Testing Accuracy:", 0.7),
    "variational_autoencoder": falls("Loss:", 0.6),
    "gan": falls("Distance:", 0.7),
    "dcgan": says("Variables: 6 and 8", "Pictures: (16, 28, 28, 1)"),
    "save_restore": lambda text: (
        at_least("Accuracy:", 0.8)(text)
        and says("Model restored: True", "Imported: ['w1', 'b1', 'w2', 'b2']")(text)
    ),
    "tensorboard_basic": at_least("Accuracy:", 0.75),
    "tensorboard_advanced": at_least("Accuracy:", 0.7),
    "image_dataset": at_least("Accuracy:", 0.9),
    "multigpu_basics": says("Equal: True"),
    "multigpu_cnn": at_least("Testing Accuracy:", 0.75),
    "fully_connected_feed": at_least("Precision @ 1:", 0.78),
}  # fmt: skip


#: packages beside NumPy that a program, or what it calls, works with
NEEDS = {
    "fully_connected_feed": "tensorboard",
    "image_dataset": "PIL",
    "tensorboard_advanced": "tensorboard",
    "tensorboard_basic": "tensorboard",
}


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the four files of MNIST: 20,000 and 1,000 digits of scikit-learn's."""
    pytest.importorskip("sklearn", reason="scikit-learn, whose digits are used, is not installed")
    from minitf.library.datasets.mnist import digits_like_mnist

    folder = tmp_path_factory.mktemp("digits")
    train, train_labels, test, test_labels = digits_like_mnist()
    for name, array in (
        ("train-images-idx3-ubyte", train[:20000]),
        ("train-labels-idx1-ubyte", train_labels[:20000]),
        ("t10k-images-idx3-ubyte", test[:1000]),
        ("t10k-labels-idx1-ubyte", test_labels[:1000]),
    ):
        header = np.array([2048 + array.ndim, *array.shape], ">u4").tobytes()
        data = gzip.compress(header + array.tobytes(), compresslevel=1)
        (folder / f"{name}.gz").write_bytes(data)
    return folder


def run_program(name: str, folder: Path, digits: Path) -> subprocess.CompletedProcess:
    """Runs a program in an empty folder that has the digits."""
    (folder / "MNIST_data").symlink_to(digits)
    shutil.copy(HERE / f"{name}.py", folder)
    return subprocess.run(
        [sys.executable, "-m", "minitf", f"{name}.py"],
        cwd=folder,
        env={**os.environ, "MINITF_SIMULATED_GPUS": "2" if "gpu" in name else ""},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_every_program_has_a_check() -> None:
    assert {p.stem for p in HERE.glob("*.py") if not p.stem.startswith("test_")} == set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_program(name: str, tmp_path: Path, digits: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    done = run_program(name, tmp_path, digits)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert CHECKS[name](done.stdout), done.stdout


# ---- beside the real TensorFlow -------------------------------------------------------------------

# Programs without random numbers of TensorFlow's and without what 2.15 dropped print the same.
SAME = ("hello_world", "basic_operations", "linear_regression", "multigpu_basics")

AS_VERSION_1 = """
import runpy, sys, tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
sys.modules["tensorflow"] = tf
for path in sys.argv[1:]:
    runpy.run_path(path, run_name="__main__")
    tf.reset_default_graph()
    print("== end", flush=True)
"""


@pytest.fixture(scope="module")
def printed_in_tensorflow(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the programs print there, one after the other in one process."""
    try:
        python = oracle_venv.find()
    except oracle_venv.NoOracle as reason:
        if os.environ.get("MINITF_ORACLE") == "required":
            raise
        pytest.skip(str(reason))
    folder = tmp_path_factory.mktemp("theirs")
    for name in SAME:
        # A machine without a GPU: /gpu:0 must be allowed to be the CPU.
        source = (HERE / f"{name}.py").read_text()
        source = source.replace("ConfigProto(", "ConfigProto(allow_soft_placement=True, ")
        (folder / f"{name}.py").write_text(source)
    real = subprocess.run(
        [str(python), "-c", AS_VERSION_1, *(f"{name}.py" for name in SAME)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert real.returncode == 0, real.stderr[-4000:]
    return dict(zip(SAME, real.stdout.split("== end\n")[:-1], strict=True))


@pytest.mark.conformance
@pytest.mark.parametrize("name", SAME)
def test_same_as_tensorflow(
    name: str, tmp_path: Path, digits: Path, printed_in_tensorflow: dict[str, str]
) -> None:
    ours = run_program(name, tmp_path, digits)
    number = r"-?\d+\.\d+"
    texts = [printed_in_tensorflow[name], ours.stdout]
    texts = ["\n".join(x for x in text.splitlines() if "device:" not in x) for text in texts]
    assert re.sub(number, "N", texts[0]) == re.sub(number, "N", texts[1])
    values = [[float(n) for n in re.findall(number, text)] for text in texts]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-3, atol=1e-6)
