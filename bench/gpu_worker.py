"""One program of `gpu.py` in a process of its own: minitf, torch, torch.compile or jax.

The models are those of `workloads/` (`mlp.py`, `cnn.py` and `lstm.py`), batch 128: the same
layers, the same loss, the same optimizer. The batch lies on the card for PyTorch and JAX, as their
programs have it; minitf is fed, as a program for TensorFlow 1.x does it.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.case import time_calls  # noqa: E402
from bench.workloads import cnn, lstm, mlp  # noqa: E402

BATCH = 128


def batch_of(model: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns inputs and classes of one step."""
    made = {
        "mlp": lambda: np.random.default_rng(0).random((BATCH, 784), np.float32),
        "cnn": lambda: cnn.images(BATCH),
        "lstm": lambda: lstm.rows(BATCH),
    }
    return made[model](), np.random.default_rng(1).integers(0, 10, BATCH)


class Minitf:
    """minitf on `/gpu:0`."""

    def __init__(self, device: str = "/gpu:0") -> None:
        self._tf = importlib.import_module("minitf")
        self._device = device
        self.version = self._tf.__version__

    def launch(self) -> Callable[[], object]:
        """An empty kernel through CuPy, the card's way of minitf."""
        cupy = importlib.import_module("cupy")
        empty = cupy.RawKernel('extern "C" __global__ void empty() {}', "empty")

        def step() -> None:
            for _ in range(100):
                empty((1,), (1,), ())
            cupy.cuda.Device().synchronize()

        return step

    def build(self, model: str) -> Callable[[], object]:
        tf = self._tf
        with tf.Graph().as_default(), tf.device(self._device):
            train, feeds = {
                "mlp": lambda: mlp.perceptron(tf, "SGD", BATCH),
                "cnn": lambda: cnn.training(tf, "small", BATCH),
                "lstm": lambda: lstm.training(tf, "static_rnn", BATCH),
            }[model]()
            session = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
            session.run(tf.global_variables_initializer())
        return lambda: session.run(train, feeds)


class Torch:
    """PyTorch, eagerly or compiled."""

    def __init__(self, compiled: bool, device: str = "cuda") -> None:
        self._torch = importlib.import_module("torch")
        self._compiled = compiled
        self._device = device
        self.version = self._torch.__version__

    def launch(self) -> Callable[[], object]:
        """The smallest kernel it starts: one element is set to zero."""
        one = self._torch.empty(1, device=self._device)

        def step() -> None:
            for _ in range(100):
                one.zero_()
            self._wait()

        return step

    def build(self, model: str) -> Callable[[], object]:
        torch = self._torch
        network = self._network(model).to(self._device)
        inputs, classes = batch_of(model)
        if model == "cnn":
            inputs = inputs.transpose(0, 3, 1, 2)
        x = torch.tensor(np.ascontiguousarray(inputs), device=self._device)
        y = torch.tensor(classes, device=self._device)
        made = torch.optim.Adam if model == "cnn" else torch.optim.SGD
        optimizer = made(network.parameters(), lr=0.001)
        run = torch.compile(network) if self._compiled else network

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(run(x), y).backward()
            optimizer.step()
            self._wait()

        return step

    def _network(self, model: str) -> Any:
        nn = self._torch.nn
        if model == "mlp":
            return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
        if model == "cnn":
            return nn.Sequential(
                *(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
                *(nn.Linear(32 * 13 * 13, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10)),
            )

        class Reader(nn.Module):  # type: ignore[misc, name-defined]
            """The LSTM and what it thinks after the last row."""

            def __init__(self) -> None:
                super().__init__()
                self.cell = nn.LSTM(lstm.INPUTS, lstm.UNITS, batch_first=True)
                self.head = nn.Linear(lstm.UNITS, lstm.CLASSES)

            def forward(self, x: Any) -> Any:
                return self.head(self.cell(x)[0][:, -1])

        return Reader()

    def _wait(self) -> None:
        if self._device == "cuda":
            self._torch.cuda.synchronize()


class Jax:
    """JAX: the whole step under `jit`."""

    def __init__(self) -> None:
        self._jax = importlib.import_module("jax")
        self.version = self._jax.__version__

    def launch(self) -> Callable[[], object]:
        """The smallest program it starts: one element is negated."""
        jax = self._jax
        negate = jax.jit(lambda x: -x)
        one = jax.numpy.zeros(1)

        def step() -> None:
            x = one
            for _ in range(100):
                x = negate(x)
            x.block_until_ready()

        return step

    def build(self, model: str) -> Callable[[], object]:
        jax, jnp = self._jax, self._jax.numpy
        rng = np.random.default_rng(2)

        def dense(fan_in: int, fan_out: int) -> tuple[Any, Any]:
            w = rng.normal(0.0, fan_in**-0.5, (fan_in, fan_out)).astype(np.float32)
            return jnp.asarray(w), jnp.zeros(fan_out)

        def cell(parameters: Any, carry: Any, x: Any) -> Any:
            c, h = carry
            w, b = parameters
            i, j, f, o = jnp.split(jnp.concatenate([x, h], 1) @ w + b, 4, axis=1)
            c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
            return (c, jax.nn.sigmoid(o) * jnp.tanh(c)), None

        def logits(parameters: Any, x: Any, key: Any) -> Any:
            if model == "lstm":
                zero = jnp.zeros((BATCH, lstm.UNITS))
                (_, x), _ = jax.lax.scan(
                    lambda carry, row: cell(parameters[0], carry, row),
                    (zero, zero),
                    x.swapaxes(0, 1),
                )
            elif model == "cnn":
                w, b = parameters[0]
                x = jax.lax.conv_general_dilated(
                    x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
                )
                x = jax.lax.reduce_window(
                    jax.nn.relu(x + b), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
                ).reshape(BATCH, -1)
            denses = parameters if model == "mlp" else parameters[1:]
            for number, (w, b) in enumerate(denses):
                if number:
                    x = jax.nn.relu(x)
                    if model == "cnn":
                        x = jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x * 2.0, 0.0)
                x = x @ w + b
            return x

        def loss(parameters: Any, x: Any, y: Any, key: Any) -> Any:
            chosen = jax.nn.log_softmax(logits(parameters, x, key))
            return -jnp.take_along_axis(chosen, y[:, None], 1).mean()

        @jax.jit
        def train(state: Any, x: Any, y: Any) -> Any:
            parameters, m, v, t, key = state
            key, mine = jax.random.split(key)
            tree = jax.tree_util.tree_map
            gradients = jax.grad(loss)(parameters, x, y, mine)
            if model != "cnn":
                step = tree(lambda p, g: p - 0.001 * g, parameters, gradients)
                return step, m, v, t, key
            t = t + 1.0
            m = tree(lambda m, g: 0.9 * m + 0.1 * g, m, gradients)
            v = tree(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradients)
            rate = 0.001 * jnp.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
            step = tree(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), parameters, m, v)
            return step, m, v, t, key

        if model == "mlp":
            parameters = [dense(784, 128), dense(128, 10)]
        elif model == "lstm":
            parameters = [dense(lstm.INPUTS + lstm.UNITS, 4 * lstm.UNITS), dense(lstm.UNITS, 10)]
        else:
            filters = rng.normal(0.0, 0.3, (3, 3, 1, 32)).astype(np.float32)
            first = (jnp.asarray(filters), jnp.zeros(32))
            parameters = [first, dense(32 * 13 * 13, 128), dense(128, 10)]
        zeros = jax.tree_util.tree_map(jnp.zeros_like, parameters)
        state = [(parameters, zeros, zeros, jnp.zeros(()), jax.random.PRNGKey(0))]
        inputs, classes = batch_of(model)
        x, y = jnp.asarray(inputs), jnp.asarray(classes)

        def step() -> None:
            state[0] = train(state[0], x, y)
            jax.block_until_ready(state[0])

        return step


def program_of(name: str) -> Any:
    """Returns the program `name` of `gpu.PROGRAMS`."""
    made: dict[str, Callable[[], Any]] = {
        "minitf": Minitf,
        "torch": lambda: Torch(compiled=False),
        "torch.compile": lambda: Torch(compiled=True),
        "jax": Jax,
    }
    return made[name]()


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    program = program_of(sys.argv[1])
    step: Callable[[], object] = lambda: None  # noqa: E731
    for line in sys.stdin:
        request = json.loads(line)
        answer: Any = {}
        if request["do"] == "facts":
            launch = program.launch()
            launch()
            answer = {"version": program.version, "launch": time_calls(launch, 0.3).value / 100}
        elif request["do"] == "build":
            step = program.build(request["model"])
            for _ in range(5):
                step()
        else:
            answer = time_calls(step, request["seconds"]).value
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
