"""`fit` of Keras models: the perceptron and the small network for images of every first lesson."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.case import Case, Library

STEPS = 50

ADAM = (
    "Adam in NumPy makes 9 to 12 passes over each array: a third of a step of the perceptron, of "
    "which the training loop takes a tenth. The CNN has convolutions and 690,000 weights."
)

CASES = (
    Case(
        "Keras fit, MLP, batch 32, default threads on both sides",
        "keras",
        {"network": "perceptron", "batch": 32},
        wanted=2.0,
        threads=None,
        bound=ADAM,
    ),
    Case(
        "Keras fit, MLP, batch 128, default threads on both sides",
        "keras",
        {"network": "perceptron", "batch": 128},
        wanted=1.2,
        threads=None,
        bound=ADAM,
    ),
    Case(
        "Keras fit, CNN, batch 32, default threads on both sides",
        "keras",
        {"network": "images", "batch": 32},
        wanted=1.2,
        threads=None,
        bound=ADAM,
    ),
    Case(
        "Keras predict, MLP, batch 32, default threads",
        "keras",
        {"network": "perceptron", "batch": 32, "method": "predict"},
        threads=None,
    ),
)


def _layers(keras: Any, network: str) -> list[Any]:
    layers = keras.layers
    if network == "perceptron":
        return [
            layers.Flatten(input_shape=(28, 28)),
            layers.Dense(128, activation="relu"),
            layers.Dropout(0.2),
            layers.Dense(10, activation="softmax"),
        ]
    return [
        layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(128, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(10, activation="softmax"),
    ]


def build(library: Library, network: str, batch: int, method: str = "fit") -> Callable[[], object]:
    """Returns a function that makes `STEPS` steps; a call is an epoch."""
    keras, graph = library.tf.keras, library.tf.get_default_graph()
    keras.backend.set_session(library.session())
    model = keras.Sequential(_layers(keras, network))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    rng = np.random.default_rng(0)
    shape = (28, 28) if network == "perceptron" else (28, 28, 1)
    x = rng.random((STEPS * batch, *shape), np.float32)
    y = rng.integers(0, 10, STEPS * batch)
    if method == "predict":
        return _inside(graph, lambda: model.predict(x, batch))
    return _inside(graph, lambda: model.fit(x, y, batch, verbose=0))


def _inside(graph: Any, step: Callable[[], object]) -> Callable[[], object]:
    """A step with a graph as the default one: Keras adds to it when it first trains."""

    def run() -> object:
        with graph.as_default():
            return step()

    return run
