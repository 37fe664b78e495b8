"""The arithmetic of batch normalization: statistics of each channel, and what is made with them.

    y = (x - mean) * factor + offset          one pass, after one for mean and variance

Images are looked at as [outer, channels, inner]: inner is 1 when the channels are last, and the
size of an image when they come second.
"""

from __future__ import annotations

from typing import Any

from minitf.core.kernels.table import kernel


def _lifted(vector: Any) -> Any:
    return vector[:, None]


def channel_sums(xp: Any, x: Any) -> Any:
    """The sum of each channel of [outer, channels, inner]; of rows, by BLAS."""
    if x.shape[2] != 1 or x.dtype.kind not in "fc" or x.itemsize < 4:
        return x.sum(axis=(0, 2), dtype=x.dtype)
    return xp.ones(len(x), x.dtype) @ x[:, :, 0]


def _by_channel(x: Any, *vectors: Any) -> bool:
    """Whether vectors have a number for each channel of [outer, channels, inner]."""
    return x.ndim == 3 and all(v.shape == x.shape[1:2] for v in vectors)


@kernel(compiled="batch_norm", takes=_by_channel)
def moments(xp: Any, x: Any) -> tuple[Any, Any]:
    """Mean and variance of each channel of [outer, channels, inner]."""
    count = x.dtype.type(max(1, x.shape[0] * x.shape[2]))
    mean = channel_sums(xp, x) / count
    centred = x - _lifted(mean)
    centred *= centred
    return mean, channel_sums(xp, centred) / count


@kernel(compiled="batch_norm", takes=_by_channel)
def normalized(xp: Any, x: Any, mean: Any, factor: Any, offset: Any) -> Any:
    """(x - mean) * factor + offset, for [outer, channels, inner] and a vector by channel each."""
    y = x - _lifted(mean)
    y *= _lifted(factor)
    y += _lifted(offset)
    return y


@kernel(
    compiled="batch_norm",
    takes=lambda dy, x, *vectors: dy.shape == x.shape and _by_channel(x, *vectors),
)
def gradient_sums(xp: Any, dy: Any, x: Any, mean: Any) -> tuple[Any, Any]:
    """For each channel the sum of dy, and that of dy * (x - mean)."""
    product = x - _lifted(mean)
    product *= dy
    return channel_sums(xp, dy), channel_sums(xp, product)


@kernel(
    compiled="batch_norm",
    takes=lambda dy, x, *vectors: dy.shape == x.shape and _by_channel(x, *vectors),
)
def mixed(xp: Any, dy: Any, x: Any, mean: Any, a: Any, b: Any, c: Any) -> Any:
    """dy * a + (x - mean) * b + c, with a vector by channel each: the gradient by x."""
    dx = x - _lifted(mean)
    dx *= _lifted(b)
    dx += _lifted(c)
    dx += dy * _lifted(a)
    return dx
