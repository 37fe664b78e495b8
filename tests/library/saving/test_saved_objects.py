"""Saved models of objects, without TensorFlow: what is refused, and what goes round."""

from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.saving import structured_values
from minitf.library.saving.saved_objects import SavedObjects


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    "value",
    [
        None, True, -3, 2**40, 1.5, "text", tf.float32, [1, (2, None)], {"a": [], "b": {}},
        tf.TensorSpec([None, 2], tf.string, "x"), tf.SparseTensorSpec([None, 3], tf.int64),
        tf.RaggedTensorSpec([None, None], tf.float32), Pair(1, "x"),
        ((tf.TensorSpec(None, tf.bool), 3), {"k": tf.TensorSpec([], tf.int32)}),
    ],
)  # fmt: skip
def test_structured_values_go_round(value: Any) -> None:
    found = structured_values.decode(structured_values.encode(value))
    assert repr(found) == repr(value)


def test_structured_values_of_others() -> None:
    with pytest.raises(TypeError, match="No encoder"):
        structured_values.encode(object())
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        structured_values.decode(structured_values.encode(deep))


def saved(thing: Any, folder: Path, **kwargs: Any) -> Any:
    tf.saved_model.save(thing, str(folder / "m"), **kwargs)
    return tf.saved_model.load(str(folder / "m"))


def test_a_variable_that_hangs_on_nothing(tmp_path: Path) -> None:
    v, module = tf.Variable(1.0), tf.Module()
    module.f = tf.function(lambda: v + 1.0, input_signature=[])
    with pytest.raises(AssertionError, match="references untracked object"):
        tf.saved_model.save(module, str(tmp_path / "m"))
    assert not (tmp_path / "m" / "saved_model.pb").exists()
    module.v = v
    assert saved(module, tmp_path).f().numpy() == 2.0


def test_what_is_no_object_and_no_signature(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Expected a Trackable object"):
        tf.saved_model.save(3, str(tmp_path))
    module = tf.Module()
    module.f = tf.function(lambda x: x)
    for wrong in (module.f, 3, {"a": lambda x: x}):
        with pytest.raises(ValueError, match="Expected a TensorFlow function"):
            tf.saved_model.save(module, str(tmp_path), signatures=wrong)
    nested = tf.function(lambda: {"a": [tf.constant(1)]}, input_signature=[])
    with pytest.raises(ValueError, match="Got a non-Tensor value"):
        tf.saved_model.save(module, str(tmp_path), signatures=nested)
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="eager execution"):
        tf.saved_model.save(module, str(tmp_path))

    @tf.function
    def inside() -> None:
        tf.saved_model.save(module, str(tmp_path))

    with pytest.raises(AssertionError, match="inside a traced"):
        inside()
    with pytest.raises(TypeError, match="A session or the directory"):
        tf.saved_model.load(3, ["serve"], str(tmp_path))
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load_v2(str(tmp_path / "nothing"))


def test_files_are_taken_along(tmp_path: Path) -> None:
    module = tf.Module()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "words.txt").write_text(f"of {name}")
        setattr(module, name, tf.saved_model.Asset(str(tmp_path / name / "words.txt")))
    module.f = tf.function(
        lambda: (tf.io.read_file(module.a.asset_path), tf.io.read_file(module.b.asset_path)),
        input_signature=[],
    )
    found = saved(module, tmp_path)
    (tmp_path / "a" / "words.txt").unlink()
    assert [t.numpy() for t in found.f()] == [b"of a", b"of b"]
    assert sorted(p.name for p in (tmp_path / "m" / "assets").iterdir()) == [
        "words.txt", "words.txt_1",
    ]  # fmt: skip
    served = found.signatures["serving_default"]()
    assert served["output_1"].numpy() == b"of b"


def test_a_checkpoint_with_an_optimizer_and_its_steps(tmp_path: Path) -> None:
    class Fit(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], name="w")
            self.optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            self.step()

        @tf.function(input_signature=[])
        def step(self) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.w**2.0)
            (gradient,) = tape.gradient(loss, [self.w])
            self.optimizer.apply_gradients([(gradient, self.w)])
            return loss

    fit = Fit()
    found = saved(fit, tmp_path)
    for _ in range(3):
        assert found.step().numpy() == pytest.approx(fit.step().numpy())
    np.testing.assert_allclose(found.w.numpy(), fit.w.numpy())


def test_what_was_loaded_is_saved_again(tmp_path: Path) -> None:
    module = tf.Module()
    module.scale = tf.Variable([2.0, 3.0])
    module.f = tf.function(lambda x, power=1: x * module.scale**power)
    module.f(tf.constant(1.0), 2.0)
    module.f(tf.constant([1.0, 1.0]), 3.0)
    module.g = module.f.get_concrete_function(tf.TensorSpec([], tf.float32), 2.0)
    once = saved(module, tmp_path)
    assert once.g(tf.constant(2.0)).numpy().tolist() == [8.0, 18.0]
    once.scale.assign([1.0, 2.0])
    (tmp_path / "again").mkdir()
    twice = saved(once, tmp_path / "again", signatures={"g": once.g})
    for found in (once, twice):
        assert found.f(tf.constant(2.0), 2.0).numpy().tolist() == [2.0, 8.0]
        assert found.f(tf.constant([1.0, 3.0]), 3.0).numpy().tolist() == [1.0, 24.0]
        with pytest.raises(ValueError, match="Could not find matching"):
            found.f(tf.constant(1.0))
    assert twice.signatures["g"](x=tf.constant(1.0))["output_0"].numpy().tolist() == [1.0, 4.0]


def test_in_a_session(tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(3.0, name="v")
    module.f = tf.function(
        lambda x: {"y": x * module.v}, input_signature=[tf.TensorSpec([None], tf.float32, "x")]
    )
    tf.saved_model.save(module, str(tmp_path / "m"))
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, [tf.saved_model.SERVING], str(tmp_path / "m"))
        signature = meta.signature_def["serving_default"]
        feeds = {signature.inputs["x"].name: [1.0, 2.0]}
        assert session.run(signature.outputs["y"].name, feeds).tolist() == [3.0, 6.0]


def test_bytes_that_are_no_objects() -> None:
    whole = SavedObjects().encode()
    assert whole == b""
    for wrong in (b"", b"\x0a\x04\x0a\x02\x08\x07", b"\x0a\xff", b"\x08\x01"):
        with pytest.raises(ValueError):  # noqa: PT011 - each says another thing
            SavedObjects.decode(wrong)
