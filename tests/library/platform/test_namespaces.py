"""The public namespaces: every name is where its stub says, at run time and for an editor."""

import copy
import importlib
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import minitf

ROOT = Path(minitf.__file__).parent
BOOKS = sorted(
    ".".join(("minitf", *path.relative_to(ROOT / "api").with_suffix("").parts)).removesuffix(
        ".__init__"
    )
    for path in (ROOT / "api").rglob("*.pyi")
)


@pytest.mark.parametrize("module", BOOKS)
def test_every_name_is_where_its_stub_says(module: str) -> None:
    namespace = importlib.import_module(module)
    assert namespace.__all__
    for name in namespace.__all__:
        assert getattr(namespace, name) is not None or name == "newaxis"
    assert set(namespace.__all__) <= set(dir(namespace))


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(AttributeError, match="module 'minitf.nn' has no attribute 'conv17d'"):
        _ = minitf.nn.conv17d
    with pytest.raises(ModuleNotFoundError, match="minitf.nothing"):
        importlib.import_module("minitf.nothing")


@pytest.mark.parametrize(
    ("module", "name", "meant"),
    [
        ("minitf", "Placeholder", "placeholder"),
        ("minitf.train", "AdamOptimiser", "AdamOptimizer"),
        ("minitf.keras.optimizers", "adam", "Adam"),
        ("minitf.nn", "soft_max", "softmax"),
    ],
)
def test_a_slip_is_told_from_a_name_that_was_left_out(module: str, name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"'{name}'; did you mean '{meant}'\\?$"):
        getattr(importlib.import_module(module), name)
    with pytest.raises(AttributeError, match="; minitf leaves out what programs do not use"):
        _ = importlib.import_module(module).quite_another


def test_namespaces_are_imported_as_modules_are() -> None:
    code = (
        "from minitf.nn import relu\n"
        "import minitf.train\n"
        "from minitf.contrib.layers import fully_connected\n"
        "import minitf as tf\n"
        "assert relu is tf.nn.relu and minitf.train.AdamOptimizer is tf.train.AdamOptimizer\n"
        "print(minitf.train.__doc__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "The names of `tf.train`.\n"


def test_a_namespace_travels_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(minitf.train)) is minitf.train
    assert copy.deepcopy({"nn": minitf.nn})["nn"] is minitf.nn


def test_an_op_whose_file_nobody_asked_for_is_found() -> None:
    code = (
        "import sys, minitf\n"
        "assert 'minitf.library.images.image_codec' not in sys.modules\n"
        "from minitf.core.graph.op_def import get_op_def\n"
        "print(get_op_def('DecodePng').type, get_op_def('FIFOQueueV2').type)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["DecodePng", "FIFOQueueV2"]


@pytest.mark.parametrize("name", ["", "app", "compat", "config", "flags", "losses", "train"])
def test_tab_offers_no_private_names(name):
    space = getattr(minitf, name) if name else minitf
    offered = [each for each in dir(space) if not each.startswith("__")]
    assert not [each for each in offered if each.startswith("_")]
    held = [getattr(space, each) for each in offered]
    modules = [each.__name__ for each in held if isinstance(each, ModuleType)]
    assert not [each for each in modules if not each.startswith("minitf")]
    assert not {"Any", "annotations", "core", "library"} & set(offered)
