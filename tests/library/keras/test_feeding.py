"""Batches that a program makes while a model trains."""

import itertools

import numpy as np
import pytest

import minitf as tf
from minitf.library.keras.feeding import rounds


class Squares(tf.keras.utils.Sequence):
    def __init__(self) -> None:
        self.rounds = 0

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return index**2

    def on_epoch_end(self) -> None:
        self.rounds += 1


def test_batches_come_round_after_round() -> None:
    squares = Squares()
    found = list(itertools.islice(rounds(squares, shuffle=False), 10))
    assert found == [0, 1, 4, 9, 0, 1, 4, 9, 0, 1]
    assert squares.rounds == 2
    found = list(itertools.islice(rounds(squares, shuffle=True), 8))
    assert sorted(found[:4]) == sorted(found[4:]) == [0, 1, 4, 9]


def test_rows_of_a_file_are_shuffled_by_batches(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["x"], file["y"] = np.ones((20, 2), np.float32), np.ones(20, np.float32)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        model.fit(file["x"], file["y"], batch_size=5, verbose=0, shuffle="batch")
        with pytest.raises(TypeError, match='If using HDF5 input data, pass shuffle="batch"'):
            model.fit(file["x"], file["y"], batch_size=5, verbose=0)
