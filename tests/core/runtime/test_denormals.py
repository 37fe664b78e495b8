"""Numbers below the normal ones are zero inside a step with large arrays, and nowhere else."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.kernels import float_mode, threads

pytestmark = pytest.mark.skipif(
    not float_mode.supported, reason="the floating-point mode of this processor is not known"
)
TINY = np.full(2000, 1.5e-38, np.float32)


def still_there() -> bool:
    """Whether this thread computes with denormals."""
    return bool((TINY * np.float32(0.5)).all())


def test_inside_a_step_only() -> None:
    x = tf.placeholder(tf.float32, [2000])
    with tf.Session() as sess:
        assert not sess.run(x * 0.5, {x: TINY}).any()
    assert still_there()


def test_after_errors_and_interrupts() -> None:
    x = tf.placeholder(tf.float32, [2000])

    def interrupt(values: np.ndarray) -> np.ndarray:
        assert not still_there()
        raise KeyboardInterrupt

    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.check_numerics(x / 0.0, "bad"), {x: TINY})
        assert still_there()
        with pytest.raises(KeyboardInterrupt):
            sess.run(tf.py_func(interrupt, [x], tf.float32), {x: TINY})
    assert still_there()


def test_in_the_threads_that_share_an_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_count", 2)
    result = np.ones(4000, np.float32)

    def work(start: int, stop: int) -> None:
        np.multiply(np.float32(1.5e-38), np.float32(0.5), out=result[start:stop])

    threads.split(work, 4000, 2000)
    assert result[:2000].all() and not result[2000:].any()  # the first part is the caller's own
