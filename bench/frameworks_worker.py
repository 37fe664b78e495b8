"""One program of `frameworks.py` in a process of its own: minitf, tensorflow, torch or jax.

The models are those of `workloads/`: the same layers, the same loss, the same optimizer. The batch
is a tensor of PyTorch or JAX from the start, as their programs have it; minitf and TensorFlow are
fed, as a program for TensorFlow 1.x does it.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.case import time_calls  # noqa: E402
from bench.worker import library_of  # noqa: E402
from bench.workloads import cnn, embedding, lstm, mlp, ridge, tutorial  # noqa: E402

Step = Callable[[], object]
WORDS, SIZE, ROWS = 50_000, 128, 1024  # of the embedding


@dataclass(frozen=True)
class Network:
    """A classifier of ten classes.

    Attributes:
      layers: ("dense", units), ("conv", filters, size, padding), ("pool",), ("dropout",) and
        ("lstm",), before the last layer, which has ten units.
      shape: of an input.
      adam: whether Adam trains it; SGD otherwise.
      batch: examples of a step.
    """

    layers: tuple[tuple[Any, ...], ...]
    shape: tuple[int, ...]
    adam: bool = False
    batch: int = 128

    def chain(self) -> Iterator[tuple[str, tuple[Any, ...], tuple[int, ...], tuple[int, ...]]]:
        """Yields for each layer, the last one included, what it is and the shapes around it."""
        shape = self.shape
        for kind, *of in (*self.layers, ("logits", 10)):
            before = shape
            if kind == "conv":
                less = of[1] - 1 if of[2] == "valid" else 0
                shape = (shape[0] - less, shape[1] - less, of[0])
            elif kind == "pool":
                shape = (shape[0] // 2, shape[1] // 2, shape[2])
            elif kind == "lstm":
                shape = (lstm.UNITS,)
            elif kind in ("dense", "logits"):
                shape = (of[0],)
            yield kind, tuple(of), before, shape

    def operations(self) -> float:
        """Returns the floating-point operations in the products of one training step.

        Each product of a layer comes once more in the gradient of its weights, and once more in
        that of its inputs, which the first layer does not need.
        """
        found = 0.0
        for number, (kind, of, before, after) in enumerate(self.chain()):
            times = 3 if number else 2
            if kind == "conv":
                found += times * np.prod(after) * of[1] ** 2 * before[2]
            elif kind in ("dense", "logits"):
                found += times * np.prod(before) * of[0]
            elif kind == "lstm":  # the gradient of its state it needs even so
                wide = 4 * lstm.UNITS
                found += lstm.STEPS * wide * (times * lstm.INPUTS + 3 * lstm.UNITS)
        return 2.0 * self.batch * found


def _perceptron(batch: int, *hidden: int) -> Network:
    return Network(tuple(("dense", units) for units in hidden), (784,), batch=batch)


NETWORKS = {
    "mlp-32": _perceptron(32, 128),
    "mlp": _perceptron(128, 128),
    "mlp-512": _perceptron(512, 128),
    "wide": _perceptron(128, 1024, 1024),
    "cnn": Network(
        (("conv", 32, 3, "valid"), ("pool",), ("dense", 128), ("dropout",)), (28, 28, 1), adam=True
    ),
    "lenet": Network(
        (
            *(("conv", 32, 5, "same"), ("pool",), ("conv", 64, 5, "same"), ("pool",)),
            *(("dense", 1024), ("dropout",)),
        ),
        (28, 28, 1),
        adam=True,
    ),
    "lstm": Network((("lstm",),), (lstm.STEPS, lstm.INPUTS)),
}
MODEL_NAMES = {
    "tiny": "a = (b+c) \\* (c+2)",
    "ridge": "ridge 20,000 x 10, full batch",
    "embedding": "embedding 50,000 x 128, 1,024 rows",
    "mlp-32": "MLP 784-128-10, SGD, batch 32",
    "mlp": "MLP 784-128-10, SGD, batch 128",
    "mlp-512": "MLP 784-128-10, SGD, batch 512",
    "wide": "MLP 784-1024-1024-10, SGD, batch 128",
    "cnn": "CNN 28x28, Adam, batch 128",
    "lenet": "LeNet 5x5x32, 5x5x64, Adam, batch 128",
    "lstm": "LSTM of 28 steps, batch 128",
}
MODELS = tuple(MODEL_NAMES)
#: Bytes that a step moves at least: the examples are read for the answers and for the gradient; the
#: rows of the table and their targets are read, and the rows are updated.
BYTES = {"ridge": 2.0 * 4 * ridge.EXAMPLES * ridge.FEATURES, "embedding": 4.0 * 4 * ROWS * SIZE}


def least_seconds(model: str, limits: dict[str, float]) -> float:
    """Returns the time of a step that does nothing but its products, or its passes over memory.

    Args:
      limits: operations and bytes a second, by `machine.limits`.
    """
    if model in NETWORKS:
        return NETWORKS[model].operations() / limits["operations"]
    return BYTES.get(model, 0.0) / limits["bytes"]


class Graphs:
    """minitf or TensorFlow on a device."""

    def __init__(self, name: str, device: str) -> None:
        self._library = library_of(name, None)
        self._tf = self._library.tf
        self._device = f"/{device}:0"
        self.version = self._tf.__version__

    def launch(self) -> Step:
        """An empty kernel through CuPy, the card's way of minitf; an empty run on a processor."""
        if self._device == "/cpu:0":
            with self._tf.Graph().as_default():
                self._tf.no_op()
                session = self._tf.Session()
            return lambda: [session.run([]) for _ in range(100)]
        cupy = importlib.import_module("cupy")
        empty = cupy.RawKernel('extern "C" __global__ void empty() {}', "empty")

        def step() -> None:
            for _ in range(100):
                empty((1,), (1,), ())
            cupy.cuda.Device().synchronize()

        return step

    def build(self, model: str) -> Step:
        tf, library = self._tf, self._library
        of_tf = {
            "tiny": lambda: tutorial.build(library),
            "ridge": lambda: ridge.build(library, ridge.EXAMPLES),
            "embedding": lambda: embedding.build(library, WORDS, SIZE, ROWS),
        }
        with tf.Graph().as_default(), tf.device(self._device):
            if model in of_tf:
                return of_tf[model]()
            network = NETWORKS[model]
            if model == "lstm":
                train, feeds = lstm.training(tf, "static_rnn", network.batch)
            elif network.adam:
                train, feeds = cnn.training(tf, {"cnn": "small"}.get(model, model), network.batch)
            else:
                hidden = [units for _, units in network.layers]
                train, feeds = mlp.perceptron(tf, "SGD", network.batch, hidden)
            session = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
            session.run(tf.global_variables_initializer())
        return lambda: session.run(train, feeds)


class Torch:
    """PyTorch, eagerly or compiled."""

    def __init__(self, compiled: bool, device: str) -> None:
        self._torch = importlib.import_module("torch")
        self._compiled = compiled
        self._device = {"gpu": "cuda"}.get(device, device)
        self.version = self._torch.__version__

    def launch(self) -> Step:
        """The smallest kernel it starts: one element is set to zero."""
        one = self._torch.empty(1, device=self._device)

        def step() -> None:
            for _ in range(100):
                one.zero_()
            self._wait()

        return step

    def build(self, model: str) -> Step:
        torch, on = self._torch, {"device": self._device}
        rng = np.random.default_rng(0)
        x: Any
        if model == "tiny":
            first, second = torch.tensor(3.0, **on), torch.tensor(4.0, **on)
            product = self._maybe_compiled(lambda b, c: (b + c) * (c + 2.0))
            return lambda: product(first, second).item()
        if model == "ridge":
            network = torch.nn.Linear(ridge.FEATURES, 1)
            x = rng.normal(size=(ridge.EXAMPLES, ridge.FEATURES)).astype(np.float32)
            y = rng.normal(size=(ridge.EXAMPLES, 1)).astype(np.float32)

            def loss(answer: Any, y: Any) -> Any:
                return ((answer - y) ** 2).mean() + 0.01 * (network.weight**2).sum()

            return self._training(network, x, y, loss)
        if model == "embedding":
            network = torch.nn.Embedding(WORDS, SIZE, sparse=True)
            x, y = rng.integers(0, WORDS, ROWS), rng.random((ROWS, SIZE), np.float32)
            return self._training(network, x, y, torch.nn.functional.mse_loss)
        x, y = batch_of(model)
        if len(NETWORKS[model].shape) == 3:
            x = x.transpose(0, 3, 1, 2)
        return self._training(
            self._network(NETWORKS[model]),
            x,
            y,
            torch.nn.functional.cross_entropy,
            NETWORKS[model].adam,
        )

    def _training(self, network: Any, x: Any, y: Any, loss: Any, adam: bool = False) -> Step:
        torch = self._torch
        network.to(self._device)
        x = torch.tensor(np.ascontiguousarray(x), device=self._device)
        y = torch.tensor(y, device=self._device)
        made = torch.optim.Adam if adam else torch.optim.SGD
        optimizer = made(network.parameters(), lr=0.001)
        run = self._maybe_compiled(network)

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            loss(run(x), y).backward()
            optimizer.step()
            self._wait()

        return step

    def _maybe_compiled(self, function: Any) -> Any:
        return self._torch.compile(function) if self._compiled else function

    def _network(self, network: Network) -> Any:
        nn, layers = self._torch.nn, []
        if network.layers == (("lstm",),):
            return self._reader()
        for kind, of, before, _ in network.chain():
            if kind == "conv":
                filters, size, padding = of
                layers += [nn.Conv2d(before[2], filters, size, padding=padding), nn.ReLU()]
            elif kind == "pool":
                layers.append(nn.MaxPool2d(2))
            elif kind == "dropout":
                layers.append(nn.Dropout(0.5))
            else:
                layers += [nn.Flatten(), nn.Linear(int(np.prod(before)), of[0])]
                layers += [nn.ReLU()] if kind == "dense" else []
        return nn.Sequential(*layers)

    def _reader(self) -> Any:
        nn = self._torch.nn

        class Reader(nn.Module):  # type: ignore[name-defined]
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
    """JAX: the whole step under `jit`; its state is given up to the next step."""

    def __init__(self, device: str) -> None:
        self._jax = importlib.import_module("jax")
        self._jax.config.update("jax_platforms", {"gpu": "cuda"}.get(device, device))
        self.version = self._jax.__version__

    def launch(self) -> Step:
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

    def build(self, model: str) -> Step:
        jax, jnp, rng = self._jax, self._jax.numpy, np.random.default_rng(0)
        if model == "tiny":
            product = jax.jit(lambda b, c: (b + c) * (c + 2.0))
            return lambda: float(product(3.0, 4.0))
        if model == "ridge":
            x = jnp.asarray(rng.normal(size=(ridge.EXAMPLES, ridge.FEATURES)), jnp.float32)
            y = jnp.asarray(rng.normal(size=(ridge.EXAMPLES, 1)), jnp.float32)

            def of_ridge(parameters: Any, key: Any) -> Any:
                w, b = parameters
                return jnp.mean((x @ w + b - y) ** 2) + 0.01 * jnp.sum(w**2)

            return self._training(of_ridge, [jnp.zeros((ridge.FEATURES, 1)), jnp.zeros(())])
        if model == "embedding":
            return self._embedding(rng)
        return self._network(NETWORKS[model], *batch_of(model))

    def _embedding(self, rng: Any) -> Step:
        jax, jnp = self._jax, self._jax.numpy
        ids = jnp.asarray(rng.integers(0, WORDS, ROWS))
        targets = jnp.asarray(rng.random((ROWS, SIZE), np.float32))

        def train(table: Any) -> Any:
            rows = table[ids]
            slope = jax.grad(lambda rows: jnp.mean((rows - targets) ** 2))(rows)
            return table.at[ids].add(-slope)

        return self._repeated(train, jnp.asarray(rng.random((WORDS, SIZE), np.float32)))

    def _network(self, network: Network, images: np.ndarray, classes: np.ndarray) -> Step:
        jax, jnp, rng = self._jax, self._jax.numpy, np.random.default_rng(2)
        x, y = jnp.asarray(images), jnp.asarray(classes)

        def layer(*shape: int) -> tuple[Any, Any]:
            fan_in = int(np.prod(shape[:-1]))
            w = rng.normal(0.0, fan_in**-0.5, shape).astype(np.float32)
            return jnp.asarray(w), jnp.zeros(shape[-1])

        parameters = []
        for kind, of, before, _ in network.chain():
            if kind == "conv":
                parameters.append(layer(of[1], of[1], before[2], of[0]))
            elif kind == "lstm":
                parameters.append(layer(lstm.INPUTS + lstm.UNITS, 4 * lstm.UNITS))
            elif kind in ("dense", "logits"):
                parameters.append(layer(int(np.prod(before)), of[0]))

        def loss(parameters: Any, key: Any) -> Any:
            chosen = jax.nn.log_softmax(self._logits(network.layers, list(parameters), x, key))
            return -jnp.take_along_axis(chosen, y[:, None], 1).mean()

        return self._training(loss, parameters, network.adam)

    def _logits(self, layers: Sequence[Any], parameters: list[Any], x: Any, key: Any) -> Any:
        jax, jnp = self._jax, self._jax.numpy
        for kind, *of in layers:
            if kind == "conv":
                (w, b), padding = parameters.pop(0), of[2].upper()
                x = jax.lax.conv_general_dilated(
                    x, w, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
                )
                x = jax.nn.relu(x + b)
            elif kind == "pool":
                window = (1, 2, 2, 1)
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
            elif kind == "dropout":
                x = jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x * 2.0, 0.0)
            elif kind == "lstm":
                x = self._last_row(parameters.pop(0), x)
            else:
                w, b = parameters.pop(0)
                x = jax.nn.relu(x.reshape(len(x), -1) @ w + b)
        w, b = parameters.pop(0)
        return x @ w + b

    def _last_row(self, parameters: Any, x: Any) -> Any:
        jax, jnp = self._jax, self._jax.numpy
        w, b = parameters

        def cell(carry: Any, row: Any) -> Any:
            c, h = carry
            i, j, f, o = jnp.split(jnp.concatenate([row, h], 1) @ w + b, 4, axis=1)
            c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
            return (c, jax.nn.sigmoid(o) * jnp.tanh(c)), None

        zero = jnp.zeros((len(x), lstm.UNITS))
        (_, h), _ = jax.lax.scan(cell, (zero, zero), x.swapaxes(0, 1))
        return h

    def _training(self, loss: Any, parameters: Any, adam: bool = False) -> Step:
        jax, jnp, tree = self._jax, self._jax.numpy, self._jax.tree_util.tree_map

        def train(state: Any) -> Any:
            parameters, m, v, t, key = state
            key, mine = jax.random.split(key)
            gradients = jax.grad(loss)(parameters, mine)
            if not adam:
                step = tree(lambda p, g: p - 0.001 * g, parameters, gradients)
                return step, m, v, t, key
            t = t + 1.0
            m = tree(lambda m, g: 0.9 * m + 0.1 * g, m, gradients)
            v = tree(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradients)
            rate = 0.001 * jnp.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
            step = tree(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), parameters, m, v)
            return step, m, v, t, key

        m, v = (tree(jnp.zeros_like, parameters) if adam else () for _ in range(2))
        return self._repeated(train, (parameters, m, v, jnp.zeros(()), jax.random.PRNGKey(0)))

    def _repeated(self, train: Any, first: Any) -> Step:
        jax = self._jax
        compiled, state = jax.jit(train, donate_argnums=0), [first]

        def step() -> None:
            state[0] = compiled(state[0])
            jax.block_until_ready(state[0])

        return step


def batch_of(model: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns inputs and classes of one step of a network."""
    network = NETWORKS[model]
    inputs = np.random.default_rng(0).random((network.batch, *network.shape), np.float32)
    return inputs, np.random.default_rng(1).integers(0, 10, network.batch)


def program_of(name: str, device: str) -> Any:
    """Returns the program `name` of `frameworks.PROGRAMS` on "cpu" or "gpu"."""
    made: dict[str, Callable[[], Any]] = {
        "minitf": lambda: Graphs("minitf", device),
        "tensorflow": lambda: Graphs("tensorflow", device),
        "torch": lambda: Torch(False, device),
        "torch.compile": lambda: Torch(True, device),
        "jax": lambda: Jax(device),
    }
    return made[name]()


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    program = program_of(*sys.argv[1:])
    step: Step = lambda: None  # noqa: E731
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
