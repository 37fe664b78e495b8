"""`tf.contrib.learn` of before TensorFlow 0.12: estimators that look for their columns in the data.

    DNNClassifier(hidden_units=[10, 20], n_classes=3).fit(x=x, y=y, steps=200)

Like old_tensorflow.py; this file, and estimators with it, few programs need.
"""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace
from typing import Any

from minitf.compat.contrib import learn
from minitf.compat.contrib.feature_columns import real_valued_column


def _finds_its_columns(kind: Any) -> None:
    """Lets a class do without `feature_columns`: one column holds the array, however wide."""
    make = kind.__init__
    place = list(inspect.signature(kind).parameters).index("feature_columns")

    @functools.wraps(make)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) <= place:
            kwargs.setdefault("feature_columns", [real_valued_column("")])
        make(self, *args, **kwargs)

    kind.__init__ = __init__


for _kind in (
    learn.DNNClassifier,
    learn.DNNRegressor,
    learn.LinearClassifier,
    learn.LinearRegressor,
):
    _finds_its_columns(_kind)

LEARN = SimpleNamespace()  # whoever asks here gets the estimators, as they are from now on
