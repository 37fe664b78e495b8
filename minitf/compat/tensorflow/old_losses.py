"""`tf.contrib.losses` of before TensorFlow 0.12: `weight` and `targets`, and two names of losses.

Like old_tensorflow.py; this file, and those losses with it, few programs need.
"""

from __future__ import annotations

from types import SimpleNamespace

from minitf.compat.contrib import losses
from minitf.compat.tensorflow.old_packages import renamed

_NEWER = {"weight": "weights", "targets": "labels", "target": "labels"}

LOSSES = SimpleNamespace(
    **{
        name: renamed(function, **_NEWER)
        for name, function in vars(losses).items()
        if getattr(function, "__module__", None) == losses.__name__ and name[0] != "_"
    }
)
LOSSES.sum_of_squares = LOSSES.mean_squared_error
