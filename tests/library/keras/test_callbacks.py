"""Callbacks that write: tables, checkpoints, TensorBoard's files; the order of the others."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager import context

K, C = tf.keras, tf.keras.callbacks
X = np.linspace(-1, 1, 48).reshape(12, 4).astype("f")
Y = X.sum(axis=1, keepdims=True)


def fit(*callbacks, **options):
    model = K.Sequential([K.layers.Dense(1, input_shape=(4,))])
    model.compile("sgd", "mse", metrics=["mae"])
    given = {"epochs": 3, "verbose": 0, "callbacks": list(callbacks), **options}
    return model, model.fit(X, Y, **given).history


def test_csv_goes_on_with_a_file(tmp_path):
    path = tmp_path / "log.csv"
    _, history = fit(C.CSVLogger(path))
    fit(C.CSVLogger(path, append=True), epochs=1)
    lines = path.read_text().split()
    assert lines[0] == "epoch,loss,mean_absolute_error"
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "1", "2", "0"]
    assert float(lines[1].split(",")[1]) == history["loss"][0]


class Saves:
    """Notes what a checkpoint saves, in place of the model."""

    def __init__(self, checkpoint):
        self.paths = []
        checkpoint.set_model(self)

    def save(self, path, overwrite=True):
        self.paths.append(path)

    save_weights = save


def test_checkpoints_have_names_of_values(capsys):
    saver = C.ModelCheckpoint("w{epoch:02d}-{val_loss:.1f}", verbose=1, save_best_only=True)
    saves = Saves(saver)
    for epoch, loss in enumerate([3.0, 4.0, 2.0]):
        saver.on_epoch_end(epoch, {"val_loss": loss})
    assert saves.paths == ["w01-3.0", "w03-2.0"]
    assert capsys.readouterr().out.split("\n")[1:-1:2] == [
        "Epoch 00001: val_loss improved from inf to 3.00000, saving model to w01-3.0",
        "Epoch 00002: val_loss did not improve from 3.00000",
        "Epoch 00003: val_loss improved from 3.00000 to 2.00000, saving model to w03-2.0",
    ]


def test_checkpoints_of_several_epochs():
    options = {"period": 2, "save_weights_only": True, "save_freq": "epoch"}
    every_second = C.ModelCheckpoint("w{epoch}", **options)
    saves = Saves(every_second)
    for epoch in range(4):
        every_second.on_epoch_end(epoch, {})
    assert saves.paths == ["w2", "w4"]
    with pytest.raises(KeyError, match="Failed to format this callback filepath"):
        C.ModelCheckpoint("w{what}").on_epoch_end(0, {})
    with pytest.raises(TypeError, match="save_freq"):
        C.ModelCheckpoint("w", save_freq=100)


def test_tensorboard_writes_values_weights_and_graph(tmp_path):
    pytest.importorskip("tensorboard")
    board = C.TensorBoard(tmp_path, histogram_freq=2, write_images=True, update_freq="epoch")
    _, history = fit(board, validation_split=0.5)
    (path,) = map(str, tmp_path.iterdir())
    events = list(tf.train.summary_iterator(path))
    values = {v.tag: v for e in events for v in e.summary.value}
    assert {"epoch_loss", "epoch_val_mean_absolute_error"} <= set(values)
    assert values["epoch_loss"].simple_value == pytest.approx(history["loss"][2])
    assert values["dense/kernel_0"].histo.num == 4
    assert values["dense/kernel_0/image"].image.width == 4
    assert any(e.graph_def for e in events)
    with pytest.raises(ValueError, match="received: batch"):
        C.TensorBoard(tmp_path, update_freq="batch")


def test_rates_are_said(capsys):
    model, history = fit(C.LearningRateScheduler(lambda epoch: 0.5 / (epoch + 1), verbose=1))
    assert history["lr"] == pytest.approx([0.5, 0.25, 0.5 / 3])
    said = "Epoch 00002: LearningRateScheduler reducing learning rate to 0.25."
    assert said in capsys.readouterr().out
    with pytest.raises(ValueError, match="should be float"):
        fit(C.LearningRateScheduler(lambda epoch: 1))
    with pytest.raises(ValueError, match="factor >= 1.0"):
        C.ReduceLROnPlateau(factor=1.0)


def test_a_value_that_is_not_there_is_warned_of(caplog):
    fit(C.EarlyStopping())
    assert "Early stopping conditioned on metric `val_loss` which is not available" in caplog.text


def test_early_stopping_says_so(capsys):
    stop = C.EarlyStopping("loss", min_delta=100, verbose=1, restore_best_weights=True)
    _, history = fit(stop, epochs=9)
    assert len(history["loss"]) == 2
    out = capsys.readouterr().out
    assert "Restoring model weights from the end of the best epoch." in out
    assert "Epoch 00002: early stopping" in out


def test_eager_training_tells_the_same_callbacks(tmp_path):
    pytest.importorskip("tensorboard")
    with context.eager_mode():
        board, table = C.TensorBoard(tmp_path / "board"), C.CSVLogger(tmp_path / "log.csv")
        saver = C.ModelCheckpoint(tmp_path / "best.h5", save_weights_only=True)
        model, history = fit(board, table, saver, C.ReduceLROnPlateau(), validation_split=0.5)
        weights = model.get_weights()
        model.train_on_batch(X, Y)
        model.load_weights(str(tmp_path / "best.h5"))
        np.testing.assert_array_equal(model.get_weights()[0], weights[0])
    assert len((tmp_path / "log.csv").read_text().split()) == 4
    assert len(list((tmp_path / "board").iterdir())) == 1
    assert {"loss", "val_loss", "lr"} <= set(history)


def test_hooks_are_told_a_dict_even_when_there_is_nothing_to_tell():
    told = {}

    class Hears(C.Callback):
        def on_train_begin(self, logs=None):
            told["train"] = logs

        def on_epoch_begin(self, epoch, logs=None):
            told["epoch"] = logs

        def on_test_end(self, logs=None):
            told["test"] = logs

    fit(Hears(), validation_split=0.5)
    assert told == {"train": {}, "epoch": {}, "test": {}}


def test_a_bar_is_shown_again_at_once_where_that_is_asked_for(capsys):
    bar = K.utils.Progbar(10, interval=1000)
    bar.update(1)
    bar.update(2, [("loss", 0.5)])
    assert "2/10" not in capsys.readouterr().out
    bar.update(3, [("loss", 0.5)], force=True)
    assert capsys.readouterr().out.endswith("] - ETA: 0s - loss: 0.5000")
