"""Models of Keras in files go from TensorFlow to minitf and back: HDF5 and checkpoints of objects."""

from pathlib import Path
from typing import Any

import pytest

import minitf
from tests.conformance.compare import compare
from tests.conformance.oracle import Oracle
from tests.conformance.runner import run_case

pytestmark = pytest.mark.conformance

_START = """
L, Model, Sequential = tf.keras.layers, tf.keras.Model, tf.keras.Sequential
x = np.linspace(-1, 1, 48, dtype="f").reshape(4, 3, 4); y = x.sum(axis=(1, 2))[:, None]
def made():
    i = L.Input((3, 4), name="i"); inner = Sequential([L.Dense(3, activation="relu", input_shape=(3, 4), name="d"), L.BatchNormalization(name="n")], name="inner")
    h = L.LSTM(2, name="lstm")(inner(i)); j = L.Flatten(name="f")(L.Conv1D(2, 2, padding="same", name="c")(i))
    m = Model(i, L.Dense(1, name="out", kernel_regularizer=tf.keras.regularizers.l2(.01))(L.concatenate([h, j], name="both")), name="m")
    m.compile(optimizer=optimizer(), loss="mse", metrics=["mae"])
    return m
# some gradients are nearly nothing: Adam, which divides by their size, would make rounding large
optimizer = lambda: getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers).Adam(epsilon=1e-2)
"""
SAVE = (
    _START
    + """
m = made(); m.fit(x, y, epochs=2, batch_size=2, verbose=0)
m.save(path + "/m.h5"); m.save_weights(path + "/w.h5"); m.save_weights(path + "/ckpt/w"); show(m.predict(x), m.evaluate(x, y, verbose=0))
"""
)
LOAD = _START + """
m = tf.keras.models.load_model(path + "/m.h5"); show(m.predict(x), m.evaluate(x, y, verbose=0), m.optimizer.get_weights(), [l.name for l in m.layers], [w.shape.as_list() for w in m.weights])
m.train_on_batch(x, y); show(m.get_weights())
for name in ("/w.h5", "/ckpt/w"):
    n = made(); n.load_weights(path + name); show(n.predict(x))
k = made(); k.load_weights(path + "/m.h5", by_name=True); show(k.predict(x)); j = tf.keras.models.model_from_json(m.to_json()); j.set_weights(m.get_weights()); show(j.predict(x), j.count_params())
"""  # fmt: skip
OBJECTS = """
import os
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.first = tf.keras.layers.Dense(3); self.rest = [tf.keras.layers.Dense(2), {"last": tf.keras.layers.Dense(1)}]
    def call(self, x): return self.rest[1]["last"](self.rest[0](self.first(x)))
def made():
    net = Net(); net(np.ones([1, 4], "f")); optimizer = tf.train.AdamOptimizer(0.1)
    def step():
        with tf.GradientTape() as tape: loss = tf.reduce_sum(net(np.ones([2, 4], "f")) ** 2.)
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return net, optimizer, step, tf.train.Checkpoint(net=net, optimizer=optimizer)
"""
SAVE_OBJECTS = (
    "# eager\n"
    + OBJECTS
    + """
net, optimizer, step, checkpoint = made(); step(); show(checkpoint.save(path + "/c")[len(path):])
"""
)
LOAD_OBJECTS = "# eager\n" + OBJECTS + """
net, optimizer, step, checkpoint = made(); step(); checkpoint.restore(path + "/c-1").assert_consumed(); show(net.get_weights()); step(); show(net.get_weights())
show([n for n, _ in tf.train.list_variables(path + "/c-1")])
"""  # fmt: skip


def program(text: str, path: Path) -> str:
    eager, _, rest = text.partition("\n") if text.startswith("# eager") else ("", "", text)
    return f"{eager}\npath = {str(path)!r}\n{rest}".lstrip("\n")


def ran(answer: Any) -> Any:
    assert not answer.get("error"), answer["error"]
    return answer


@pytest.mark.parametrize(("save", "load"), [(SAVE, LOAD), (SAVE_OBJECTS, LOAD_OBJECTS)])
def test_models_go_both_ways(oracle: Oracle, tmp_path: Path, save: str, load: str) -> None:
    pytest.importorskip("h5py")
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for path in (theirs, ours):
        path.mkdir()
    ran(oracle.ask(program(save, theirs)))
    ran(run_case(minitf, program(save, ours)))
    for path in (theirs, ours):
        wanted = ran(oracle.ask(program(load, path)))
        assert not compare(wanted, ran(run_case(minitf, program(load, path))), 1e-4)
