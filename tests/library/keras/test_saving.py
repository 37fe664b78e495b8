"""Models in files: weights, whole models, checkpoints; files that are not what they say."""

import json
import shutil
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

h5py = pytest.importorskip("h5py")
L, Input, Model, Sequential = tf.keras.layers, tf.keras.Input, tf.keras.Model, tf.keras.Sequential
X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
Y = X.sum(axis=1, keepdims=True)


def small(name=None):
    return Sequential([L.Dense(3, "relu", input_shape=(4,), name="a"), L.Dense(1, name="b")], name)


class Net(Model):
    def __init__(self):
        super().__init__()
        self.a, self.rest = L.Dense(3), [L.Dense(1)]

    def call(self, inputs):
        return self.rest[0](self.a(inputs))


def test_a_file_is_laid_out_as_keras_does(tmp_path: Path) -> None:
    model = small()
    model.save_weights(str(tmp_path / "w.h5"))
    with h5py.File(tmp_path / "w.h5") as file:
        assert list(file.attrs["layer_names"]) == [b"a", b"b"]
        assert file.attrs["keras_version"] == "2.2.4-tf" and file.attrs["backend"] == "tensorflow"
        assert list(file["a"].attrs["weight_names"]) == [b"a/kernel:0", b"a/bias:0"]
        np.testing.assert_array_equal(file["a/a/kernel:0"], model.get_weights()[0])
    assert [p.name for p in tmp_path.iterdir()] == ["w.h5"]


def test_an_added_loss_is_saved_with_its_model(tmp_path: Path) -> None:
    inputs = Input([4])
    hidden = L.Dense(3, "tanh")(inputs)
    model = Model(inputs, L.Dense(1)(hidden))
    model.add_loss(tf.reduce_sum(hidden**2))
    model.add_loss(tf.reduce_mean(model.output) * 0.1)
    model.compile("sgd", "mse")
    wanted, path = model.evaluate(X, Y, verbose=0), str(tmp_path / "m.h5")
    for _ in range(2):  # a model from a file is saved as well
        model.save(path)
        model = tf.keras.models.load_model(path)
        assert len(model.losses) == 2 and len(model.layers) == 3
        assert model.evaluate(X, Y, verbose=0) == pytest.approx(wanted)


def test_a_model_is_written_from_any_graph() -> None:
    with tf.Graph().as_default():
        model = Model(x := Input([4]), L.Dense(3, name="mine")(x))
        model.add_loss(tf.reduce_mean(model.output) * tf.reduce_sum(model.layers[1].kernel))
        model.add_loss(tf.reduce_sum(model.layers[1].kernel), inputs=[x])  # it needs no input
    added = json.loads(model.to_json())["config"]["layers"][2:]
    assert [each["class_name"] for each in added] == [*["TensorFlowOpLayer"] * 2, "AddLoss"]


def test_long_lists_of_names_go_in_parts(tmp_path: Path) -> None:
    from minitf.library.keras.saving import hdf5

    names = [f"{'layer' * 20}_{i}" for i in range(2000)]
    with h5py.File(tmp_path / "n.h5", "w") as file:
        hdf5.write_names(file, "layer_names", names)
        assert "layer_names0" in file.attrs and "layer_names3" in file.attrs
        assert hdf5.read_names(file, "layer_names") == names
        assert hdf5.read_names(file, "others") == []


def test_layers_get_the_values_of_their_names(tmp_path: Path) -> None:
    model, path = small(), str(tmp_path / "w.h5")
    model.save_weights(path)
    other = Sequential([L.Dense(3, input_shape=(4,), name="a"), L.Dense(2, name="c")])
    other.load_weights(path, by_name=True)
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    odd = Sequential([L.Dense(5, input_shape=(4,), name="a"), L.Dense(1, name="x")])
    with pytest.raises(
        ValueError, match=r'Layer #0 \(named "a"\), weight .*a.*/kernel:0.* has shape'
    ):
        odd.load_weights(path, by_name=True)
    bare = Sequential([L.Dense(1, use_bias=False, input_shape=(3,), name="b")])
    words = r'Layer #1 \(named "b"\) expects 1 weight\(s\), but the saved weights have 2 element'
    with pytest.raises(ValueError, match=words):
        bare.load_weights(path, by_name=True)
    with pytest.raises(ValueError, match="containing 2 layers into a model with 1 layers"):
        Sequential([L.Dense(3, input_shape=(4,))]).load_weights(path)
    with pytest.raises(ValueError, match="have not yet been created"):
        Sequential([L.Dense(3)]).save_weights(path)
    with pytest.raises(ValueError, match="looks like an HDF5 file"):
        model.save_weights(path, save_format="tf")
    with pytest.raises(tf.errors.NotFoundError):
        model.load_weights(str(tmp_path / "none"))


@pytest.mark.parametrize("eager", [False, True])
def test_a_whole_model_goes_on_where_it_was(tmp_path, eager) -> None:
    path = str(tmp_path / "model.h5")

    def run() -> None:
        x = Input((4,))
        model = Model(x, L.Dense(1)(L.BatchNormalization()(small("inner")(x)) * 2.0))
        model.compile(tf.keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
        model.fit(X, Y, epochs=2, verbose=0)
        model.save(path)
        again = tf.keras.models.load_model(path)
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-5)
        np.testing.assert_allclose(again.evaluate(X, Y, verbose=0), model.evaluate(X, Y, verbose=0))
        kept = model.optimizer.get_weights()
        for got, wanted in zip(again.optimizer.get_weights(), kept, strict=True):
            np.testing.assert_array_equal(got, wanted)
        for each in (model, again):
            each.fit(X, Y, epochs=1, verbose=0, shuffle=False)
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-4)

    if eager:
        with eager_mode():
            run()
    else:
        run()


def test_metrics_of_files_may_tell_what_is_so_anyway():
    metrics, neither = tf.keras.metrics, {"name": "a", "dtype": "float32"}
    share = metrics.Precision.from_config({**neither, "top_k": None, "class_id": None})
    assert share.get_config() == {**neither, "thresholds": None}
    told = {**neither, "num_thresholds": 200, "curve": "ROC"}
    later = {"multi_label": False, "num_labels": None, "label_weights": None, "from_logits": False}
    area = metrics.AUC.from_config({**told, "summation_method": "interpolation", **later})
    assert area.get_config() == told
    with pytest.raises(TypeError, match="summation_method"):
        metrics.AUC.from_config({**told, "summation_method": "minoring"})


def test_losses_and_metrics_that_stand_in_files_are_added():
    x = Input((4,))
    y = L.Dense(1, name="y")(x)
    model = Model(x, [y, L.Lambda(tf.reduce_sum, name="sum")(y)])
    config = model.get_config()
    config["output_layers"].pop()
    for name, more in (
        ("AddLoss", {"unconditional": False}),
        ("AddMetric", {"aggregation": "mean", "metric_name": "m"}),
    ):
        part = {"name": name, "class_name": name, "config": {"name": name, **more}}
        config["layers"].append({**part, "inbound_nodes": [[["sum", 0, 0, {}]]]})
    again = Model.from_config(config, {"reduce_sum": tf.reduce_sum})
    again.compile("sgd")
    again.set_weights(model.get_weights())
    assert again.metrics_names == ["loss", "m"] and [z.name for z in again.layers][1:] == ["y"]
    np.testing.assert_allclose(again.evaluate(X, verbose=0), [model.predict(X)[1]] * 2, rtol=1e-5)


def test_classes_of_the_program_must_be_given(tmp_path: Path) -> None:
    class Twice(L.Layer):
        def call(self, inputs):
            return inputs * 2.0

    path = str(tmp_path / "m.h5")
    Sequential([Twice(input_shape=(4,))]).save(path)
    with pytest.raises(ValueError, match="Unknown layer: Twice"):
        tf.keras.models.load_model(path)
    model = tf.keras.models.load_model(path, custom_objects={"Twice": Twice}, compile=False)
    assert isinstance(model.layers[0], Twice)
    with pytest.raises(NotImplementedError, match="doesn't|isn't safely serializable"):
        Net().save(path)


def test_a_checkpoint_goes_to_a_class_that_is_not_built(tmp_path: Path) -> None:
    with eager_mode():
        first, path = Net(), str(tmp_path / "ckpt")
        expected = first(X).numpy()
        first.save_weights(path)
        second = Net()
        second.load_weights(path)
        np.testing.assert_array_equal(second(X).numpy(), expected)
        with pytest.raises(NotImplementedError, match="by_name=True"):
            second.load_weights(path, by_name=True)


def test_a_restored_object_gives_values_to_layers_made_later(tmp_path: Path) -> None:
    with eager_mode():
        first = Net()
        expected = first(X).numpy()
        path = tf.train.Checkpoint(net=first).save(str(tmp_path / "c"))
        second = Net()
        checkpoint = tf.train.Checkpoint(net=second)
        status = checkpoint.restore(path)
        with pytest.raises(AssertionError, match="Unresolved object"):
            status.assert_consumed()
        np.testing.assert_array_equal(second(X).numpy(), expected)
        status.assert_consumed()


def test_a_checkpoint_holds_a_model_and_its_optimizer(tmp_path: Path) -> None:
    with eager_mode():

        def made():
            model = small()
            model.compile("adam", loss="mse")
            return model, tf.train.Checkpoint(model=model, optimizer=model.optimizer)

        model, checkpoint = made()
        model.fit(X, Y, epochs=1, verbose=0)
        path = checkpoint.save(str(tmp_path / "c"))
        names = [name for name, _ in tf.train.list_variables(path)]
        assert "model/layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE" in names
        assert any(".OPTIMIZER_SLOT/optimizer/m" in name for name in names)
        other, second = made()
        other.fit(X, Y, epochs=1, verbose=0)
        second.restore(path).assert_consumed()
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        for got, wanted in zip(other.optimizer.get_weights(), model.optimizer.get_weights()):
            np.testing.assert_array_equal(got, wanted)


def test_an_exported_model_serves_and_comes_back(tmp_path: Path) -> None:
    model, path = small(), str(tmp_path / "saved")
    tf.keras.experimental.export_saved_model(model, path)
    with tf.Graph().as_default(), tf.Session() as session:
        graph = tf.saved_model.load(session, ["serve"], path)
        signature = graph.signature_def["serving_default"]
        given, got = signature.inputs["a_input"].name, signature.outputs["b"].name
        served = session.run(got, {given: X})
    again = tf.keras.experimental.load_from_saved_model(path)
    np.testing.assert_allclose(again.predict(X), served, rtol=1e-6)
    np.testing.assert_allclose(model.predict(X), served, rtol=1e-6)


@pytest.mark.parametrize("eager", [False, True])
def test_an_exported_model_trains_on_with_its_optimizer(tmp_path: Path, eager: bool) -> None:
    path = str(tmp_path / "saved")
    with eager_mode() if eager else nullcontext():
        model = small()
        model.compile(tf.keras.optimizers.Adam(0.01), loss="mse")
        model.fit(X, Y, epochs=2, verbose=0)
        tf.keras.experimental.export_saved_model(model, path)
        again = tf.keras.experimental.load_from_saved_model(path)
        again.compile(tf.keras.optimizers.Adam(0.01), loss="mse")
        for each in (model, again):
            each.fit(X, Y, epochs=2, verbose=0, shuffle=False)
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-5)
        pairs = zip(again.optimizer.get_weights(), model.optimizer.get_weights(), strict=True)
        for got, wanted in pairs:
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-7)
        names = [name for name, _ in tf.train.list_variables(path + "/variables/variables")]
        slot = "layer_with_weights-0/kernel/.OPTIMIZER_SLOT/optimizer/m"
        assert f"{slot}/.ATTRIBUTES/VARIABLE_VALUE" in names
        with pytest.raises(NotImplementedError, match="export_saved_model"):
            model.save(path, save_format="tf")


def test_files_that_lead_elsewhere_are_refused(tmp_path: Path) -> None:
    model, path = small(), str(tmp_path / "w.h5")
    model.save_weights(path)
    (tmp_path / "secret").write_bytes(b"\0" * 48)

    def spoiled(spoil):
        with h5py.File(path, "r+") as file:
            if "a/kernel:0" in file["a"]:
                del file["a/a/kernel:0"]
            spoil(file)
        with pytest.raises(ValueError, match="Layer #0|there is no|is no array of this file"):
            model.load_weights(path)

    spoiled(lambda f: f["a"].__setitem__("a/kernel:0", h5py.ExternalLink("other.h5", "/x")))
    spoiled(lambda f: f["a"].__setitem__("a/kernel:0", h5py.SoftLink("/b/b/kernel:0")))
    outside = [(str(tmp_path / "secret"), 0, 48)]
    spoiled(lambda f: f["a"].create_dataset("a/kernel:0", (4, 3), "f", external=outside))
    spoiled(lambda f: f["a"].create_dataset("a/kernel:0", (10**6, 10**6), "f"))
    spoiled(lambda f: f["a"].create_group("a/kernel:0"))
    many = {"shape": (4, 3), "maxshape": (None, None), "chunks": (2**14, 2**14)}
    spoiled(lambda f: f["a"].create_dataset("a/kernel:0", dtype="f", **many))
    spoiled(lambda f: f["a"].attrs.__setitem__("weight_names", [b"../b/b/kernel:0", b"a/bias:0"]))


@pytest.mark.parametrize("group", ["model_weights", "optimizer_weights"])
@pytest.mark.parametrize("kind", ["external", "soft", "array"])
def test_groups_of_a_model_lie_in_its_file(tmp_path: Path, group: str, kind: str) -> None:
    path, other = str(tmp_path / "m.h5"), str(tmp_path / "other.h5")
    model = small()
    model.compile(tf.keras.optimizers.Adam(0.01), loss="mse")
    model.fit(X, Y, verbose=0)
    model.save(path)
    shutil.copy(path, other)
    link = {"external": h5py.ExternalLink(other, group), "soft": h5py.SoftLink("/elsewhere")}
    with h5py.File(path, "r+") as file:
        file.move(group, "elsewhere")
        file[group] = link.get(kind, np.zeros(3))
    with pytest.raises(ValueError, match=rf"m\.h5: .*{group}"):
        tf.keras.models.load_model(path)
    if group == "model_weights":
        with pytest.raises(ValueError, match=rf"m\.h5: .*{group}"):
            model.load_weights(path)


def of_operations() -> Model:
    x = Input((2,))
    h = tf.cast(tf.reshape(tf.nn.relu(x * [1.0, -1.0]), [-1, 2]), tf.float64)
    return Model(x, tf.reduce_sum(tf.concat([h, h], 1), axis=1, keepdims=True))


def test_operations_of_a_model_come_back() -> None:
    model = of_operations()
    again = tf.keras.models.model_from_json(model.to_json())
    assert [layer.name for layer in again.layers] == [layer.name for layer in model.layers]
    np.testing.assert_array_equal(again.predict(X[:, :2]), model.predict(X[:, :2]))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("name", "a\nimport os", "Node name contains invalid characters"),
        ("op", "_Send", "Op type not registered '_Send'"),
        ("op", "NoSuchOp", "Op type not registered 'NoSuchOp'"),
        ("input", ["a b"], "Unknown input node 'a b'"),
        ("device", "/job:a b", "Malformed device specification"),
        ("attr", {"x": {"i": 1}}, "NodeDef mentions attr 'x' not in"),
        ("attr", {"T": {"i": 1}}, "AttrValue had value with type 'int' when 'type' expected"),
    ],
)
def test_operations_of_a_model_are_looked_at_as_those_of_a_graph(key, value, words) -> None:
    config = json.loads(of_operations().to_json())
    (relu,) = (each for each in config["config"]["layers"] if each["name"].endswith("Relu"))
    relu["config"]["node_def"][key] = value
    with pytest.raises((ValueError, tf.errors.NotFoundError), match=words):
        tf.keras.models.model_from_json(json.dumps(config))


def test_variables_of_an_optimizer_are_looked_at_before_they_are_read(
    tmp_path: Path, monkeypatch
) -> None:
    path, told = str(tmp_path / "m.h5"), []
    model = small()
    model.compile(tf.keras.optimizers.Adam(0.01), loss="mse")
    model.fit(X, Y, verbose=0)
    model.save(path)
    monkeypatch.setattr("minitf.core.graph.logging.warning", lambda *text: told.append(text[0]))
    with h5py.File(path, "r+") as file:
        group = file["optimizer_weights"]
        name = group.attrs["weight_names"][1].decode()
        del group[name]
        group.create_dataset(name, (10**6, 10**6), "f")  # 4 TB of zeros that take no place
    tf.keras.models.load_model(path)
    assert len(told) == 1 and told[0].startswith("Error in loading the saved optimizer state")
    with h5py.File(path, "r+") as file:
        del file["optimizer_weights"][name]
        file["optimizer_weights"][name] = h5py.ExternalLink("other.h5", "/x")
    with pytest.raises(ValueError, match="there is no"):
        tf.keras.models.load_model(path)


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    load = tf.keras.models.load_model
    with pytest.raises(OSError, match="does not exist"):
        load(str(tmp_path / "none"))
    (tmp_path / "text.h5").write_text("no model")
    with pytest.raises(OSError, match="Unable to load model"):
        load(str(tmp_path / "text.h5"))
    small().save_weights(str(tmp_path / "w.h5"))
    with pytest.raises(ValueError, match="No model found in config file"):
        load(str(tmp_path / "w.h5"))
    with h5py.File(tmp_path / "evil.h5", "w") as file:
        config = {"class_name": "Lambda", "config": {"function": ["4wEAAAA=", None, None],
                  "function_type": "lambda", "name": "l"}}  # fmt: skip
        model = {"class_name": "Sequential", "config": {"name": "s", "layers": [config]}}
        file.attrs["model_config"] = json.dumps(model)
        file.create_group("model_weights").attrs["layer_names"] = np.asarray([b"l"])
        file["model_weights"].create_group("l")
    with pytest.raises(ValueError, match="Code in a configuration is not run"):
        load(str(tmp_path / "evil.h5"))
    model = load(str(tmp_path / "evil.h5"), custom_objects={"l": lambda x: x * 2.0}, compile=False)
    assert isinstance(model.layers[0], L.Lambda)


def test_a_model_that_awaits_weights_leaves_other_graphs_alone(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        model = Net()
        model(tf.constant(X))
        model.save_weights(str(tmp_path / "w"))
    with tf.Graph().as_default():
        waiting = Net()
        waiting.load_weights(str(tmp_path / "w"))
        with tf.Graph().as_default(), tf.device("/job:ps/task:1"):  # where no session runs
            tf.layers.dense(tf.constant(X), 2)
        waiting(tf.constant(X))
        for own, saved in zip(waiting.get_weights(), _weights(tmp_path / "w"), strict=True):
            np.testing.assert_array_equal(own, saved)


def _weights(path: Path) -> list[np.ndarray]:
    with tf.Graph().as_default():
        model = Net()
        model(tf.constant(X))
        model.load_weights(str(path))
        return model.get_weights()
