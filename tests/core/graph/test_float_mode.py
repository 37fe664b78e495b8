"""The floating-point mode: switched for the block, in this thread, and back."""

import threading

import numpy as np
import pytest

from minitf.core.kernels import float_mode
from minitf.core.kernels.float_mode import denormals_as_zero

TINY = np.full(64, 1e-40, np.float32)

pytestmark = pytest.mark.skipif(not float_mode.supported, reason="the mode is not known here")


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
