"""Whole programs, as a user starts them: import, building, training with checkpoints."""

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.case import Case, Library, Sample
from bench.workloads.startup import DONT_KEEP, MODULES

CASES = (
    Case(
        "whole program: DNNClassifier, 1,000 steps on digits",
        "programs",
        {"name": "classifier"},
        wanted=4.0,
        threads=None,
        rounds=5,
    ),
)

#: scikit-learn's digits would cost both sides its import; these are as large
_CLASSIFIER = """
import tempfile
import numpy as np
import {module} as tf

data = np.load("{data}")
x, y = data["x"], data["y"]

def inputs(epochs):
    return tf.estimator.inputs.numpy_input_fn(
        {{"x": x}}, y, batch_size=128, num_epochs=epochs, shuffle=epochs is None)

with tempfile.TemporaryDirectory() as folder:
    columns = [tf.feature_column.numeric_column("x", shape=[64])]
    model = tf.estimator.DNNClassifier([128, 64], columns, model_dir=folder, n_classes=10)
    model.train(inputs(None), steps=1000)
    assert model.evaluate(inputs(1))["accuracy"] > 0.9
"""
_PROGRAMS = {"classifier": _CLASSIFIER}


def build(library: Library, name: str) -> "Program":
    return Program(library, _PROGRAMS[name])


class Program:
    """Runs a program in an interpreter of its own, again and again."""

    def __init__(self, library: Library, text: str):
        folder = tempfile.TemporaryDirectory(prefix="minitf-bench-")
        library.closing.append(folder.cleanup)
        data = Path(folder.name) / "digits.npz"
        rng = np.random.default_rng(0)
        centres = rng.random((10, 64), np.float32)
        y = np.arange(1797, dtype=np.int32) % 10
        noise = rng.normal(0.0, 0.2, (len(y), 64)).astype(np.float32)
        np.savez(data, x=centres[y] + noise, y=y)
        text = text.format(module=MODULES[library.name], data=data)
        self._command = [library.python, "-c", text]
        self._environment = {k: v for k, v in os.environ.items() if k != DONT_KEEP}

    def sample(self, seconds: float) -> Sample:
        """The seconds of one run; the very first one also fills file caches."""
        before, start = _seconds_of_children(), time.perf_counter()
        subprocess.run(self._command, check=True, capture_output=True, env=self._environment)
        return Sample(time.perf_counter() - start, _seconds_of_children() - before, 1)


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
