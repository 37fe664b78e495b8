"""Numbers below the normal ones are zero inside a step with large arrays, and nowhere else.

The mode of the processor is switched for a block, in one thread, and back.
"""

import threading

import numpy as np
import pytest

import minitf as tf
from minitf.core.kernels import float_mode, threads
from minitf.core.kernels.float_mode import denormals_as_zero

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


def halved() -> float:
    return float((TINY * np.float32(0.5))[0])


def test_denormals_are_zero_inside_only() -> None:
    assert halved() > 0
    with denormals_as_zero:
        assert halved() == 0
    assert halved() > 0


def test_nested_blocks_end_with_the_outermost() -> None:
    with denormals_as_zero:
        with denormals_as_zero:
            assert halved() == 0
        assert halved() == 0
    assert halved() > 0


def test_an_error_switches_back() -> None:
    with pytest.raises(KeyError), denormals_as_zero:
        raise KeyError
    assert halved() > 0


def test_other_threads_keep_their_mode() -> None:
    found: list[float] = []
    inside = threading.Event()

    def look() -> None:
        inside.wait(10)
        found.append(halved())

    thread = threading.Thread(target=look)
    thread.start()
    with denormals_as_zero:
        inside.set()
        thread.join()
    assert found[0] > 0


def test_a_processor_whose_mode_is_not_known_needs_no_memory_for_it(monkeypatch) -> None:
    monkeypatch.setattr(float_mode, "supported", False)
    monkeypatch.setattr(float_mode, "ctypes", None)  # as in WebAssembly, where it may be missing
    with float_mode._Mode():
        assert halved() > 0
