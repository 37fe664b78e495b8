"""Graphs of CUDA: a step on a card that runs again and again is captured once, then replayed.

To start a kernel from Python costs several microseconds, and the kernels of a small model take
less. A graph of CUDA starts all kernels of a step with one call:

    first run      the plain program: compiles the kernels, makes the slots
    second run     the same program is run while a stream captures: nothing is computed, but what
                   would be started is kept, with its addresses; then the graph is launched
    from then on   copy the feeds into their places, launch, copy the fetches out of theirs

      feed ──> pinned ──copy──> [input]──┐        the graph         ┌──[output]──copy──> fetch
                                         └─> kernel ─ kernel ─ ... ─┘
                                    variables keep their addresses, too

An address that a graph uses is its own until the graph is gone: its memory comes from a pool that
nobody else allocates from. An update that made a new array is made to end with a copy into the old
one. A graph holds for one combination of shapes and types of the feeds. What cannot be captured,
as a kernel that reads a number back, runs as the plain program for good, and the log says so once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import logging
from minitf.core.graph.state import VariableState
from minitf.core.runtime.plan.subgraph import Node
from minitf.fast.cuda import gpu, gpu_blas

_MOST_GRAPHS = 4  # for one program, each for other shapes
_WARM, _REFUSED = object(), object()

_streams: dict[int, Any] = {}
_locks: dict[int, threading.RLock] = {}
_lock = threading.Lock()


def may_be_captured(nodes: Sequence[Node]) -> bool:
    """Whether the whole step is here, and does nothing but start kernels and update variables."""
    return all(
        node.type not in ("_Send", "_Recv")
        and (not node.op_def.takes_context or node.op_def.ref_inputs or node.op_def.recordable)
        for node in nodes
    )


def _capturing_stream(ordinal: int) -> tuple[Any, threading.RLock]:
    """The stream on which this card's programs are captured, one at a time.

    It is not the card's own, where other threads may go on meanwhile.
    """
    with _lock:
        if ordinal not in _streams:
            _streams[ordinal] = gpu.module().cuda.Stream(non_blocking=True)
            _locks[ordinal] = threading.RLock()
        return _streams[ordinal], _locks[ordinal]


class _Graph:
    """One captured step.

    Args:
      start: the program: starts the kernels, returns arrays on the card.
      states: the variables that it may read and update.
      args: of the run for which it is captured.
      ordinal: which card.
    """

    def __init__(
        self, start: Callable, states: Sequence[VariableState], args: Sequence[Any], ordinal: int
    ) -> None:
        cupy = gpu.module()
        self._ordinal = ordinal
        self._staged = [gpu.empty_pinned(np.shape(a), a.dtype) for a in args]
        self._inputs = [cupy.empty(np.shape(a), a.dtype) for a in args]
        self._pool = cupy.cuda.MemoryPool()
        if not all(state.is_initialized for state in states):
            raise ValueError("a variable has no value")
        self._variables = [(s, s.value) for s in states]
        stream, lock = _capturing_stream(ordinal)
        with lock, stream, cupy.cuda.using_allocator(self._pool.malloc):
            gpu_blas.prepare(cupy)
            stream.begin_capture()
            try:
                self._outputs = start(None, *self._inputs)
                self._keep_addresses(cupy)
            except BaseException:
                self._restore()
                _give_up(stream)
                raise
            self._graph = stream.end_capture()

    def _keep_addresses(self, cupy: Any) -> None:
        """Ends every update that made a new array with a copy into the variable's old one."""
        changed = [(s, old, s.value) for s, old in self._variables if s.value is not old]
        olds = [old for _, old in self._variables]
        for _, old, new in changed:
            if new.shape != old.shape or new.dtype != old.dtype:
                raise ValueError("a variable changes its shape")
            if any(new is each or getattr(new, "base", None) is each for each in olds):
                raise ValueError("a variable becomes another's value")
        for state, old, new in changed:
            cupy.copyto(old, new)
            state.value = old

    def _restore(self) -> None:
        for state, old in self._variables:
            state.value = old

    def run(self, args: Sequence[Any]) -> tuple:
        """Runs the step; waits once, for the fetches."""
        with gpu.on(self._ordinal) as stream:
            for state, own in self._variables:
                if state.value is not own:  # another program has made a new array
                    own[...] = state.value
                    state.value = own
            for staged, place, value in zip(self._staged, self._inputs, args, strict=True):
                staged[...] = value
                place.set(staged, stream)
            self._graph.launch(stream)
            return gpu.fetched(self._outputs, self._ordinal)

    def fits(self) -> bool:
        """Whether the variables still have the shapes it was captured with."""
        return all(
            state.is_initialized and state.value.shape == own.shape
            for state, own in self._variables
        )


def _give_up(stream: Any) -> None:
    try:
        stream.end_capture()
    except Exception:  # noqa: S110 - a capture that failed may have ended already
        pass


class Captured:
    """A program that is captured when it runs again; called like the program.

    Args:
      start: the program without copies of its fetches.
      plain: the program.
      states: the variables that it may read and update.
      ordinal: which card.
      device: its name, for the log.
    """

    def __init__(
        self,
        start: Callable[..., tuple],
        plain: Callable[..., tuple],
        states: Sequence[VariableState],
        ordinal: int,
        device: str,
    ) -> None:
        self._start, self._plain, self._states = start, plain, states
        self._ordinal, self._device = ordinal, device
        self._graphs: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def __call__(self, rendezvous: Any, *args: Any) -> tuple:
        key = tuple((np.shape(a), getattr(a, "dtype", None)) for a in args)
        with self._lock:  # its inputs and outputs are those of one run at a time
            found = self._graphs.get(key)
            if found is _WARM:
                found = self._graphs[key] = self._capture(args)
            if found is None and len(self._graphs) < _MOST_GRAPHS:
                self._graphs[key] = _WARM
            if isinstance(found, _Graph) and found.fits():
                return found.run(args)
        return self._plain(rendezvous, *args)

    def _capture(self, args: Sequence[Any]) -> Any:
        try:
            with gpu.on(self._ordinal):
                return _Graph(self._start, self._states, args, self._ordinal)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            logging.info(f"A step on {self._device} runs kernel by kernel: {reason}")
            return _REFUSED
