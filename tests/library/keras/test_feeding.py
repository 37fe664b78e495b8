"""Workers that make batches ahead of who takes them."""

import itertools
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.keras.feeding import made_ahead

utils = tf.keras.utils


class Squares(utils.Sequence):
    def __init__(self, count: int) -> None:
        self.count, self.rounds, self.threads = count, 0, set()

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> np.ndarray:
        self.threads.add(threading.get_ident())
        return np.array([index**2])

    def on_epoch_end(self) -> None:
        self.rounds += 1


def taken(given: Any, count: int, workers: int = 1, ahead: int = 10, **how: bool) -> list[int]:
    batches = made_ahead(given, workers, ahead, **how)
    found = [int(np.ravel(batch)[0]) for batch in itertools.islice(batches, count)]
    batches.close()
    return found


@pytest.mark.parametrize("workers", [1, 3])
def test_batches_come_in_order_round_after_round(workers: int) -> None:
    squares = Squares(4)
    assert taken(squares, 10, workers, 3) == [0, 1, 4, 9, 0, 1, 4, 9, 0, 1]
    assert squares.rounds == 2
    assert len(squares.threads) >= 1
    assert threading.get_ident() not in squares.threads


def test_shuffled_rounds_have_every_batch() -> None:
    found = taken(Squares(5), 10, shuffle=True)
    assert sorted(found[:5]) == sorted(found[5:]) == [0, 1, 4, 9, 16]


def test_a_generator_ends_and_nothing_is_lost() -> None:
    assert taken(iter(range(50)), 60, workers=4) == list(range(50))


def test_an_error_reaches_who_takes() -> None:
    class Broken(Squares):
        def __getitem__(self, index: int) -> np.ndarray:
            raise ZeroDivisionError("here")

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError, match="here"):
        taken(Broken(2), 1)
    assert threading.active_count() <= before


def test_rows_of_a_file_are_shuffled_by_batches(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["x"], file["y"] = np.ones((20, 2), np.float32), np.ones(20, np.float32)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        model.fit(file["x"], file["y"], batch_size=5, verbose=0, shuffle="batch")
        with pytest.raises(TypeError, match='If using HDF5 input data, pass shuffle="batch"'):
            model.fit(file["x"], file["y"], batch_size=5, verbose=0)


@pytest.mark.parametrize("kind", ["sequence", "generator"])
def test_ctrl_c_ends_a_training_at_once(kind: str) -> None:
    class Slow(utils.Sequence):
        def __len__(self) -> int:
            return 1_000_000

        def __getitem__(self, index: int) -> Any:
            time.sleep(1.0)
            return np.zeros([4, 3]), np.zeros([4, 1])

    given = Slow() if kind == "sequence" else iter(Slow())
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    main, sent = threading.main_thread(), []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.pthread_kill(main.ident, signal.SIGINT)

    timer = threading.Timer(1.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit_generator(given, steps_per_epoch=1_000_000, verbose=0)
    assert time.monotonic() - sent[0] < 5  # ten batches were ordered ahead
