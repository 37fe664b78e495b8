"""The images of all lessons: handwritten digits of 8 by 8 pixels."""

from __future__ import annotations

import numpy as np

__all__ = ["read_digits"]


def read_digits() -> list[np.ndarray]:
    """Returns scikit-learn's digits: three quarters for training, the others for testing.

    Returns: [training images, test images, training labels, test labels].
      Images are [n, 64], float32 from 0 (white) to 1 (ink); labels are [n], int64.
    """
    # At the first call: they take longer to import than all the rest of a lesson.
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    pixels = (images / 16).astype(np.float32)
    labels = labels.astype(np.int64)
    return train_test_split(pixels, labels, test_size=0.25, random_state=0, stratify=labels)
