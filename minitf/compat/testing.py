"""`tf.test`: a test with a graph and a session of its own, fixed seeds, and servers for a cluster.

class SquareTest(tf.test.TestCase):
    def test_square(self):
        with self.session():
            self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])

if __name__ == "__main__":
    tf.test.main()
"""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from minitf.compat import as_bytes
from minitf.core.cluster.cluster_spec import ClusterSpec, free_address
from minitf.core.cluster.service.server import Server
from minitf.core.graph import nest, stacks
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.graph import Graph
from minitf.core.runtime.run.devices import make_devices
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.library.eager import context as eager
from minitf.library.platform import flags

# ---- assertions --------------------------------------------------------------------------------


class Assertions(unittest.TestCase):
    """The assertions; `TestCase` adds graphs and sessions."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Ours stand before Abseil's, also where its `parameterized.TestCase` comes first."""
        super().__init_subclass__(**kwargs)
        for name, method in vars(Assertions).items():
            if name.startswith("assert") and getattr(cls, name).__module__.startswith("absl."):
                setattr(cls, name, method)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, or of a nest of them."""
        raise NotImplementedError

    # ---- numbers ---------------------------------------------------------------------------

    def _array(self, value: Any) -> np.ndarray:
        tensor_like = any(hasattr(value, name) for name in ("op", "graph", "numpy"))
        if tensor_like and not isinstance(value, type):
            value = self.evaluate(value)
        return np.asarray(value)

    _GetNdArray = _array  # the name that TensorFlow's own and others' test cases use

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Two arrays, or two nests of the same form, agree: `|a - b| <= atol + rtol * |b|`."""
        a, b = (self.eval_to_list(x) if hasattr(x, "ragged_rank") else x for x in (a, b))
        self._close(a, b, rtol, atol, [], msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: list[str], msg: Any) -> None:
        where = f"a{''.join(path)}"
        a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
                self.fail(f"Can't compare a dict to something else at {where}. {msg or ''}")
            self.assertCountEqual(a.keys(), b.keys(), f"mismatched keys at {where}. {msg or ''}")
            for key in a:
                self._close(a[key], b[key], rtol, atol, [*path, f"[{key!r}]"], msg)
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            try:
                whole = self._array(self.evaluate(a)), self._array(self.evaluate(b))
                in_parts = any(array.dtype == object for array in whole)  # as of dicts
            except (ValueError, TypeError):  # a ragged nest
                in_parts = True
            if in_parts:
                self.assertEqual(len(a), len(b), f"mismatched length at {where}. {msg or ''}")
                for i, (first, second) in enumerate(zip(a, b, strict=True)):
                    self._close(first, second, rtol, atol, [*path, f"[{i}]"], msg)
                return
            a, b = whole
        self._close_arrays(self._array(a), self._array(b), rtol, atol, where, msg)

    def _close_arrays(
        self, a: np.ndarray, b: np.ndarray, rtol: float, atol: float, where: str, msg: Any
    ) -> None:
        shapes = f"Shape mismatch: expected {a.shape}, got {b.shape} at {where}. {msg or ''}"
        self.assertEqual(a.shape, b.shape, shapes)
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, equal_nan=True, err_msg=f"at {where}. {msg or ''}"
        )

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Two arrays have one shape and equal elements; NaN equals NaN. Ragged ones: as lists."""
        if hasattr(a, "ragged_rank") or hasattr(b, "ragged_rank"):
            self.assertEqual(self.eval_to_list(a), self.eval_to_list(b), msg)
            return
        a, b = self._array(a), self._array(b)
        for array in (a, b):  # text compares as the bytes that a tensor holds
            if array.dtype.kind == "U":
                a, b = (np.vectorize(as_bytes, otypes=[object])(x) for x in (a, b))
                break
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}"
        )
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            places = np.argwhere(~np.asarray(same))[:5].tolist()
            raise AssertionError(
                f"Arrays are not equal, first at {places}. {msg or ''}\nlhs: {a}\nrhs: {b}"
            )

    def eval_to_list(self, value: Any) -> Any:
        """The values of tensors, ragged ones or not, as nested lists."""
        if hasattr(value, "graph") or hasattr(value, "numpy"):
            value = self.evaluate(value)
        if hasattr(value, "to_list") or hasattr(value, "tolist"):
            value = value.to_list() if hasattr(value, "to_list") else value.tolist()
        if isinstance(value, (list, tuple)):
            return [self.eval_to_list(each) for each in value]
        return as_bytes(value) if isinstance(value, str) else value


# ---- tests -------------------------------------------------------------------------------------


RANDOM_SEED = 87654321


class _TestSession(Session):
    """A session whose graph is current where the session is entered, on the CPU unless asked."""

    def __init__(self, graph: Graph | None, config: Any, force_gpu: bool) -> None:
        super().__init__(
            graph=graph, config=config or ConfigProto(allow_soft_placement=not force_gpu)
        )

    @contextlib.contextmanager
    def entered(self, use_gpu: bool, force_gpu: bool) -> Iterator[_TestSession]:
        """The session and its graph are the default ones in this block."""
        device = ("/device:GPU:0" if force_gpu else None) if use_gpu else "/cpu:0"
        with self.graph.as_default(), self.as_default(), self.graph.device(device):
            yield self


class EagerSession:
    """Stands for a session where operations run at once.

    Args:
      test: whose `evaluate` it calls.
    """

    def __init__(self, test: TestCase) -> None:
        self._test = test

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of tensors.

        Raises:
          RuntimeError: when something is fed.
        """
        if feed_dict:
            raise RuntimeError("Nothing can be fed where operations run at once.")
        return self._test.evaluate(fetches)


class TestCase(Assertions):
    """A test of a program that builds graphs; see the module and `Assertions`."""

    _cached: _TestSession | None = None
    _folder: tempfile.TemporaryDirectory | None = None

    def setUp(self) -> None:
        """Every test starts with an empty graph and the same seeds."""
        super().setUp()
        self._forget_session()
        random.seed(RANDOM_SEED)
        np.random.seed(RANDOM_SEED)  # noqa: NPY002  (tests draw from it)
        stacks.graphs.items.clear()  # a test before that failed may have left a block open
        stacks.reset_default_graph()
        eager.forget_collections()
        stacks.get_default_graph().seed = RANDOM_SEED

    def tearDown(self) -> None:
        """Closes the session that the test kept."""
        self._forget_session()
        super().tearDown()

    def _forget_session(self) -> None:
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    # ---- sessions and values ------------------------------------------------------------------

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, or of a nest of them; what is no tensor stays as it is."""
        leaves = nest.flatten(tensors)
        if stacks.executing_eagerly():
            return nest.pack_sequence_as(tensors, [_value(leaf) for leaf in leaves])
        fetched = [leaf for leaf in leaves if _fetchable(leaf)]
        if not fetched:
            return tensors
        session = stacks.get_default_session()
        entered = self.test_session() if session is None else contextlib.nullcontext(session)
        with entered as session:
            values = iter(session.run(fetched))
        return nest.pack_sequence_as(
            tensors, [next(values) if _fetchable(leaf) else leaf for leaf in leaves]
        )

    @contextlib.contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A new session; it and its graph are the default ones in this block.

        Args:
          graph: another graph than the current one.
          config: a `ConfigProto`; by default soft placement is allowed.
          use_gpu: leave the placing free; otherwise everything is on the CPU.
          force_gpu: everything is on the first GPU.
        """
        if stacks.executing_eagerly():
            yield EagerSession(self)
            return
        with contextlib.closing(_TestSession(graph, config, force_gpu)) as session:
            with session.entered(use_gpu, force_gpu):
                yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """As `session`, the same one whenever this test asks.

        Raises:
          ValueError: when it is asked for with other arguments than before.
        """
        if stacks.executing_eagerly():
            yield EagerSession(self)
            return
        asked = (graph, config, force_gpu)
        if self._cached is None:
            self._cached = _TestSession(graph, config, force_gpu)
            self._cached_for = asked
        for i, name in enumerate(("graph", "config", "force_gpu")):
            if self._cached_for[i] is not asked[i]:
                raise ValueError(
                    f"The {name} used to get the cached session is different than the one that "
                    "was used to create the session. Maybe create a new session with "
                    "self.session()"
                )
        with self._cached.entered(use_gpu, force_gpu):
            yield self._cached

    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Any:
        """The older name of `cached_session`, or of `session` when a graph is given."""
        if self._testMethodName == "test_session":  # unittest takes it for a test, by its name
            self.skipTest("Not a test.")
        make = self.cached_session if graph is None else self.session
        return make(graph, config, use_gpu, force_gpu)

    test_session.__test__ = False  # type: ignore[attr-defined]


def _fetchable(value: Any) -> bool:
    return hasattr(value, "graph") or hasattr(value, "_as_graph_element")


def _value(value: Any) -> Any:
    """The value of a tensor that has one; anything else as it is."""
    return value.numpy() if hasattr(value, "numpy") else value


# ---- the program, its folder and its devices ---------------------------------------------------


_folder = ""


def main(argv: list[str] | None = None) -> None:
    """Parses the flags, runs every test of the program, and exits with the result.

    Args:
      argv: the command line; `sys.argv` by default.
    """
    rest = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    unittest.main(module="__main__", argv=rest)


def get_temp_dir() -> str:
    """A folder for this program, which is removed at its end."""
    global _folder
    if not _folder:
        _folder = tempfile.mkdtemp(prefix="minitf_test_", dir=os.environ.get("TEST_TMPDIR"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


def _gpus() -> list[Any]:
    return [d for d in make_devices() if DeviceSpec.from_string(d.name).device_type == "GPU"]


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether a session would find a GPU; a simulated one counts unless `cuda_only`.

    Args:
      cuda_only: count CUDA devices only.
      min_cuda_compute_capability: of a card; every card that CuPy can use is new enough.
    """
    return any(not cuda_only or "simulated" not in gpu.description.lower() for gpu in _gpus())


def gpu_device_name() -> str:
    """The name of the first GPU, "/device:GPU:0", or "" when there is none."""
    return "/device:GPU:0" if _gpus() else ""


def is_built_with_cuda() -> bool:
    """Whether CUDA devices can be used: CuPy finds one."""
    return is_gpu_available(cuda_only=True)


# ---- servers -----------------------------------------------------------------------------------


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Any], list[Any]]:
    """Starts servers at free ports of this machine.

    Args:
      num_workers: how many tasks of the job "worker".
      num_ps: how many of the job "ps".
      protocol: of the servers.
      worker_config, ps_config: a `ConfigProto` for each.
    Returns: the workers' servers, and those of the parameter servers.
    Example:
      >>> workers, ps = tf.test.create_local_cluster(2, 1)  # it takes ports  # doctest: +SKIP
      >>> sessions = [tf.Session(worker.target) for worker in workers]  # doctest: +SKIP
    """
    counts = {"worker": num_workers, "ps": num_ps}
    jobs = {job: [free_address() for _ in range(n)] for job, n in counts.items() if n}
    cluster = ClusterSpec(jobs)

    def servers(job: str, config: Any) -> list[Any]:
        return [
            Server(cluster, job_name=job, task_index=i, config=config, protocol=protocol)
            for i in range(counts[job])
        ]

    return servers("worker", worker_config), servers("ps", ps_config)
