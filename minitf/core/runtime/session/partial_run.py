"""`Session.partial_run`: one step of a graph, in parts, with feeds that come later.

    handle = sess.partial_run_setup([y, z], [a, b])
    y1 = sess.partial_run(handle, y, {a: 1.0})
    z1 = sess.partial_run(handle, z, {b: 2.0 * y1})      # what `y` computed is not computed again

Each part computes whatever the feeds so far allow, and keeps the values; they are feeds of the
parts that follow.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import errors
from minitf.core.graph.composites import is_composite
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.session.feeds import feed_tensor, plain_feeds
from minitf.core.runtime.session.fetches import Fetches


class PartialRun:
    """What is known of one step.

    Args:
      session: the session that runs it.
      fetches: all that will be fetched, as for `Session.run`.
      feeds: all tensors that will be fed.
    Raises:
      InvalidArgumentError: when nothing is to be fetched.
    """

    def __init__(self, session: Any, fetches: Any, feeds: Any) -> None:
        self._session = session
        parsed = Fetches(session.graph, fetches)
        self._unfetched: dict[Any, bool] = dict.fromkeys((*parsed.tensors, *parsed.targets), True)
        if not self._unfetched:
            raise errors.InvalidArgumentError.of(
                "Must specify at least one target to fetch or execute."
            )
        whole = [each._components() if is_composite(each) else [each] for each in feeds or ()]
        self._unfed = {feed_tensor(session.graph, part): True for each in whole for part in each}
        self._values: dict[Tensor, Any] = {}
        self._done: set[Operation] = set()

    def run(self, fetches: Any, feed_dict: dict | None) -> Any:
        """Runs one part; the arguments are those of `Session.run`.

        Raises:
          InvalidArgumentError: when a fetch or feed was not announced, or comes again.
        """
        graph = self._session.graph
        parsed = Fetches(graph, fetches)
        for key, value in plain_feeds(feed_dict or {}).items():
            tensor = feed_tensor(graph, key)
            _take(self._unfed, tensor, "fed", "feed")
            self._values[tensor] = value
        asked = (*parsed.tensors, *parsed.targets)
        for each in asked:
            _take(self._unfetched, each, "fetched", "fetch")
        possible = [op for op in self._ready() if op not in self._done]
        self._done.update(possible)
        tensors = [t for op in possible for t in op.outputs if _may_be_kept(graph, t)]
        tensors += [t for t in parsed.tensors if t not in self._values and t not in tensors]
        given = {t: v for t, v in self._values.items() if graph.is_feedable(t)}
        values = self._session.run([*tensors, *parsed.targets], given)
        self._values.update(zip(tensors, values, strict=False))
        return parsed.packer()([self._values[t] for t in parsed.tensors])

    def _ready(self) -> list[Operation]:
        """What the fetches need and the feeds so far allow, inputs first."""
        ready: dict[Operation, bool] = {}
        waiting = [each if isinstance(each, Operation) else each.op for each in self._unfetched]
        seen: set[Operation] = set()
        order: list[Operation] = []
        while waiting:
            op = waiting.pop()
            if op in seen:
                continue
            seen.add(op)
            order.append(op)
            waiting += [t.op for t in op.inputs if t not in self._values] + list(op.control_inputs)
        order.sort(key=lambda op: op._id)
        for op in order:
            fed = all(t in self._values for t in op.outputs) and bool(op.outputs)
            ready[op] = fed or (
                op.type != "Placeholder"
                and not any(t in self._unfed for t in op.outputs)
                and all(t in self._values or ready.get(t.op, False) for t in op.inputs)
                and all(ready.get(before, before in self._done) for before in op.control_inputs)
            )
        return [op for op in order if ready[op] and not all(t in self._values for t in op.outputs)]


def _may_be_kept(graph: Any, tensor: Tensor) -> bool:
    """Whether a later part is fed the value; what shares a variable's memory is read again."""
    op = tensor.op
    shares = op.op_def.forwards and op.type != "ReadVariableOp" and op.inputs[0].dtype._is_ref_dtype
    return (
        graph.is_feedable(tensor)
        and not shares
        and not tensor.dtype._is_ref_dtype
        and (tensor.dtype.name not in ("resource", "variant"))
    )


def _take(left: dict[Any, bool], key: Any, done: str, what: str) -> None:
    if key not in left:
        raise errors.InvalidArgumentError.of(f"{key.name} was not specified in partial_run_setup.")
    if not left[key]:
        raise errors.InvalidArgumentError.of(f"{key.name} has already been {done}.")
    left[key] = False
