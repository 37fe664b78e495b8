"""Handwritten digits for a machine without a network: scikit-learn's, in the form of MNIST.

The 1,797 digits of 8x8 pixels (UCI, 43 writers) come with scikit-learn. They are enlarged to 20x20,
set into 28x28 as MNIST's are, and repeated with small shifts until there are as many as in MNIST.
The originals are divided first, so that no written digit is in two of the parts:

    originals   1,200 | 237 | 360
                  |      |     |
    images     55,000 | 5,000 | 10,000      train | validation | test
"""

from __future__ import annotations

import numpy as np

_ORIGINALS = (237, 1437, 1797)  # where the parts end among the originals
_IMAGES = (5_000, 55_000, 10_000)
_SHIFT = 1


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns the digits as MNIST has them; the same at each call.

    Returns: train images [60000, 28, 28] and labels [60000], test images [10000, 28, 28] and labels
      [10000], all uint8. The first 5,000 of the train images are the validation part.
    Raises:
      ImportError: when scikit-learn is not installed.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    small = _enlarge(digits.images)
    rng = np.random.default_rng(0)
    parts, start = [], 0
    for end, count in zip(_ORIGINALS, _IMAGES, strict=True):
        chosen = start + rng.permutation(np.arange(count) % (end - start))
        parts.append((_set_into_28(small[chosen], rng), digits.target[chosen].astype(np.uint8)))
        start = end
    (held, held_labels), (train, train_labels), test = parts
    return np.concatenate([held, train]), np.concatenate([held_labels, train_labels]), *test


def _enlarge(images: np.ndarray) -> np.ndarray:
    """8x8 pixels of 0..16 -> 20x20 pixels of 0..255, linear between the pixels."""
    positions = np.clip((np.arange(20) + 0.5) * 8 / 20 - 0.5, 0, 7)
    weights = np.maximum(0, 1 - np.abs(positions[:, None] - np.arange(8)))
    large = weights @ images @ weights.T * (255 / 16)
    return np.clip(np.rint(large), 0, 255).astype(np.uint8)


def _set_into_28(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """20x20 pixels in the middle of 28x28, at most one pixel off."""
    framed = np.zeros((len(images), 28, 28), np.uint8)
    down, right = rng.integers(4 - _SHIFT, 4 + _SHIFT + 1, size=(2, len(images)))
    for y in np.unique(down):
        for x in np.unique(right):
            here = (down == y) & (right == x)
            framed[here, y : y + 20, x : x + 20] = images[here]
    return framed
