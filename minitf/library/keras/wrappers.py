"""Models as scikit-learn's estimators: `tf.keras.wrappers.scikit_learn`.

    search = GridSearchCV(KerasClassifier(build_fn=make_model), {"units": [8, 16]})

`build_fn` makes a compiled model. Arguments are those of `build_fn`, `fit`, `predict` and
`evaluate`; each call takes those that it knows.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.library.keras.engine.training import Trainer
from minitf.library.keras.utils.arrays import to_categorical


class _Wrapped:
    """What both have in common.

    Args:
      build_fn: a function that makes the model; by default the method `__call__` of a subclass.

    Raises:
      ValueError: when an argument is known nowhere.
    """

    _mixin = ""  # the class of scikit-learn's that says what kind of estimator it is

    def __init__(self, build_fn: Callable[..., Any] | None = None, **sk_params: Any) -> None:
        self.build_fn, self.sk_params = build_fn, sk_params
        self.check_params(sk_params)

    def __sklearn_tags__(self) -> Any:
        """What kind of estimator this is, as scikit-learn asks since version 1.6."""
        base = sys.modules["sklearn.base"]  # who asks has it
        return type(
            "Tags", (getattr(base, self._mixin), base.BaseEstimator), {}
        )().__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has made a model."""
        return hasattr(self, "model")

    def _builder(self) -> Callable[..., Any]:
        return self.build_fn or self.__call__  # type: ignore[operator]

    def check_params(self, params: dict[str, Any]) -> None:
        """Raises ValueError when an argument is known nowhere."""
        methods = (Trainer.fit, Trainer.predict, Trainer.evaluate, self._builder())
        known = {name for method in methods for name in inspect.signature(method).parameters}
        for name in params:
            if name not in known and name != "nb_epoch":
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """The arguments, as scikit-learn asks for them."""
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> _Wrapped:
        """Changes arguments."""
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def filter_sk_params(
        self, fn: Callable[..., Any], override: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Those of the arguments that a function knows.

        Args:
          fn: the function.
          override: arguments that come before.
        """
        known = inspect.signature(fn).parameters
        return {**{k: v for k, v in self.sk_params.items() if k in known}, **(override or {})}

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model and trains it; returns the history."""
        builder = self._builder()
        self.model = builder(**self.filter_sk_params(builder))
        if getattr(self.model.loss, "__name__", self.model.loss) == "categorical_crossentropy":
            y = to_categorical(y) if np.ndim(y) != 2 else y
        return self.model.fit(x, y, **self.filter_sk_params(Trainer.fit, kwargs))


class KerasClassifier(_Wrapped):
    """A model whose outputs are probabilities of classes, as an estimator."""

    _estimator_type, _mixin = "classifier", "ClassifierMixin"

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Makes a model and trains it.

        Args:
          x: the examples.
          y: their classes, or rows with a 1 for the class.
        """
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim in (1, 2):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> np.ndarray:
        """The most probable class of each example."""
        outputs = self.model.predict(x, **self.filter_sk_params(Trainer.predict, kwargs))
        wide = outputs.shape[-1] > 1
        return self.classes_[outputs.argmax(-1) if wide else (outputs > 0.5).astype("int32")]

    def predict_proba(self, x: Any, **kwargs: Any) -> np.ndarray:
        """The probabilities, [examples, classes]."""
        outputs = self.model.predict(x, **self.filter_sk_params(Trainer.predict, kwargs))
        return np.hstack([1 - outputs, outputs]) if outputs.shape[1] == 1 else outputs

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The accuracy.

        Raises:
          ValueError: when the model was not compiled with it.
        """
        y = np.searchsorted(self.classes_, y)
        names = self.model.metrics_names
        if getattr(self.model.loss, "__name__", self.model.loss) == "categorical_crossentropy":
            y = to_categorical(y) if np.ndim(y) != 2 else y
        results = self.model.evaluate(x, y, **self.filter_sk_params(Trainer.evaluate, kwargs))
        for name, value in zip(names, results if isinstance(results, list) else [results]):
            if name in ("accuracy", "acc"):
                return float(value)
        raise ValueError(
            "The model is not configured to compute accuracy. You should pass "
            '`metrics=["accuracy"]` to the `model.compile()` method.'
        )


class KerasRegressor(_Wrapped):
    """A model whose output is a number, as an estimator."""

    _estimator_type, _mixin = "regressor", "RegressorMixin"

    def predict(self, x: Any, **kwargs: Any) -> np.ndarray:
        """The outputs."""
        return np.squeeze(self.model.predict(x, **self.filter_sk_params(Trainer.predict, kwargs)))

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """-loss: the larger the better."""
        loss = self.model.evaluate(x, y, **self.filter_sk_params(Trainer.evaluate, kwargs))
        return -float(loss[0] if isinstance(loss, list) else loss)
