"""`tf.test.TestCase`: a test with a graph and a session of its own, and fixed seeds.

class SquareTest(tf.test.TestCase):
    def test_square(self):
        with self.session():
            self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])

if __name__ == "__main__":
    tf.test.main()
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from minitf.compat.testing.assertions import Assertions
from minitf.core.graph import nest, stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.library.eager import context as eager

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
