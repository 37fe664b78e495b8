"""`Session`: runs operations of a graph.

    run ─ the entry for (fetches, feeds) ─ convert the feeds ─ the step's program ─ pack the values
            └─ made at the first such run: `Fetches`, feed converters, `Backend.prepare`

The entry is found by the objects that the caller passes, so that from the second run on a training
loop does little more than its arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from operator import call
from typing import Any, NamedTuple

from minitf.core.graph import stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.core.runtime.run.step_stats import WatchedOp
from minitf.core.runtime.session.backend import Backend, DeviceAttributes, Step, make_backend
from minitf.core.runtime.session.config import ConfigProto, RunMetadata, RunOptions
from minitf.core.runtime.session.fetches import (
    Fetches,
    feed_converter,
    feed_tensor,
    key_of,
    plain_feeds,
)

_MAX_ENTRIES = 4096  # combinations of fetches and feeds; a program that makes more starts over


class _Entry(NamedTuple):
    """The prepared step of one combination of fetches and feeds."""

    step: Step
    direct: Callable | None
    rendezvous: Rendezvous | None
    converters: list[Callable]
    mutations: int
    pack: Callable


class BaseSession:
    """The base of `Session` and `InteractiveSession`.

    Args:
      target: '' for this process, or the address of a task of a cluster, as
        'grpc://localhost:2222'.
      graph: the graph to run; the default graph when None.
      config: a `ConfigProto`.
    """

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: ConfigProto | None = None
    ) -> None:
        if isinstance(target, bytes):
            target = target.decode()
        if not isinstance(target, str):
            raise TypeError(f"target must be a string, but got {target!r}")
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(f"config must be a tf.ConfigProto, but got {config!r}")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        self._graph = stacks.get_default_graph() if graph is None else graph
        self._target = target
        self._config = config or ConfigProto()
        self._closed = False
        self._entries: dict[Any, _Entry] = {}
        self._backend: Backend = make_backend(target, self._graph, self._config)

    @property
    def graph(self) -> Graph:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The serialized graph."""
        return self._graph.as_graph_def(add_shapes=True)

    @property
    def sess_str(self) -> str:
        """The target."""
        return self._target

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that the session's operations may run on."""
        return self._backend.list_devices()

    def as_default(self) -> AbstractContextManager[Any]:
        """A context in which `eval()` and `run()` of tensors and operations use this session."""
        return stacks.sessions.entered(self)

    def run(
        self,
        fetches: Any,
        feed_dict: dict | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """Computes `fetches`, and all that they need.

        Args:
          fetches: a tensor, operation, variable or name, or lists, tuples and dicts of them.
          feed_dict: values for tensors, mostly placeholders.
          options: of this run; FULL_TRACE fills `run_metadata.step_stats`.
          run_metadata: filled with what `options` ask for, such as times.
        Returns: the values, in the structure of `fetches`: arrays, and NumPy scalars for rank 0;
          None for an operation.
        Raises:
          OpError: what failed, with the operation that failed.
          TypeError, ValueError: when something cannot be fetched or fed.
          RuntimeError: when the session is closed.
        """
        if options is not None or run_metadata is not None:
            return self._run_with_options(fetches, feed_dict, options, run_metadata)
        try:
            kind = type(fetches)
            # namedtuples of equal contents are equal, whatever their class
            asked = (kind, *fetches) if kind is list or isinstance(fetches, tuple) else fetches
            key = (asked, *feed_dict) if feed_dict else (asked,)
            entry = self._entries.get(key)
            if entry is not None and entry.mutations != self._graph._mutations:
                entry = None
            feeds = feed_dict.values() if feed_dict else ()
        except (TypeError, AttributeError):  # nested, or no dict
            entry = None
        if entry is None:  # new, or stale: outside of `except`, so that errors begin here
            plain = plain_feeds(feed_dict) if isinstance(feed_dict, Mapping) else feed_dict
            if plain is not feed_dict:
                return self.run(fetches, plain)
            entry = self._entry(fetches, feed_dict, traced=False)
            feeds = (feed_dict or {}).values()
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        args = [*map(call, entry.converters, feeds)]
        if entry.direct is None:
            return entry.pack(entry.step.run(args, None, None))
        try:
            return entry.pack(entry.direct(entry.rendezvous, *args))
        except Exception as error:
            entry.step.raise_located(error)

    def _run_with_options(
        self, fetches: Any, feed_dict: dict | None, options: Any, metadata: Any
    ) -> Any:
        if options is not None and not isinstance(options, RunOptions):
            raise TypeError(f"options must be a tf.RunOptions, but got {options!r}")
        traced = options is not None and options.trace_level > RunOptions.NO_TRACE
        if metadata is not None:
            metadata.__init__()  # it tells of this run alone
        feed_dict = plain_feeds(feed_dict or {})
        entry = self._entry(fetches, feed_dict, traced)
        feeds = feed_dict.values()
        args = [c(v) for c, v in zip(entry.converters, feeds, strict=True)]
        return entry.pack(entry.step.run(args, options, metadata))

    def _entry(self, fetches: Any, feed_dict: dict | None, traced: bool) -> _Entry:
        """Returns the prepared entry, from the cache or new."""
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph._nodes_by_name:
            raise RuntimeError(
                "The Session graph is empty.  Add operations to the graph before calling run()."
            )
        if feed_dict is not None and not isinstance(feed_dict, Mapping):
            raise TypeError("input must be a dictionary")
        mutations, key = self._graph._mutations, None
        try:
            key = (key_of(fetches), *(feed_dict or {}))
            found = None if traced else self._entries.get(key)
        except TypeError:  # something that may change unseen: only the step is kept
            found = key = None
        if found is not None and found.mutations == mutations:
            return found
        parsed = Fetches(self._graph, fetches)
        feeds = [feed_tensor(self._graph, key) for key in feed_dict or {}]
        structure_key = (*parsed.tensors, None, *parsed.targets, traced, *feeds)
        if len(self._entries) >= _MAX_ENTRIES:
            self._entries.clear()
        step_entry = self._entries.get(structure_key)
        if step_entry is None or step_entry.mutations != mutations:
            step = self._backend.prepare(parsed.tensors, parsed.targets, feeds, traced)
            converters = [feed_converter(t) for t in feeds]
            direct = step.direct(len(feeds))
            step_entry = _Entry(step, direct, step.rendezvous, converters, mutations, list)
            self._entries[structure_key] = step_entry
        entry = step_entry._replace(pack=parsed.packer())
        if key is not None and not traced:
            self._entries[key] = entry
        return entry

    def explain(self, fetches: Any, feeds: Any = ()) -> str:
        """The straight-line program that `run(fetches)` runs on each device, as text to read.

        Comments before it show the changes of each pass. In this process the text is an
        `Explanation`, with the program alone in `program` and each pass in `stages`.

        Args:
          fetches: as for `run`.
          feeds: the tensors that would be fed (the keys of a feed_dict will do).
        """
        return self._entry(fetches, dict.fromkeys(feeds), traced=False).step.explain()

    def watch(
        self,
        fetches: Any,
        watcher: Callable[[WatchedOp], None],
        feed_dict: dict | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """Runs `fetches` once, and shows the outputs of each operation.

        No pass rewrites the plan, so that the watcher sees the operations of the graph, in the
        order in which they run; those in branches and loops come each time.

        Args:
          fetches, feed_dict, run_metadata: as for `run`; the times are always traced.
          watcher: called with each operation as a `WatchedOp` when it ends, one at a time. An
            error in it ends the run.
        Returns: as `run`.
        Raises:
          UnimplementedError: for a session of a cluster.
        Example:
          >>> x = tf.constant(2.0, name="x")
          >>> sess.watch(x * x, lambda op: print(op.name, op.tensors))
          x {'x:0': np.float32(2.0)}
          mul {'mul:0': np.float32(4.0)}
          4.0
        """
        feed_dict = plain_feeds(feed_dict or {})
        parsed = Fetches(self._graph, fetches)
        feeds = [feed_tensor(self._graph, key) for key in feed_dict]
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        step = self._backend.prepare_watched(parsed.tensors, parsed.targets, feeds)
        args = [feed_converter(tensor)(feed_dict[key]) for tensor, key in zip(feeds, feed_dict)]
        return parsed.packer()(step.run(args, metadata=run_metadata, watcher=watcher))

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable:
        """Returns a function that runs `fetches` on values for `feed_list`, given one by one."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError("`feed_list` must be a list or tuple.")
        feeds = list(feed_list or ())
        if not feeds:
            Fetches(self._graph, fetches)  # says at once what cannot be fetched

        def run(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) > len(feeds):
                raise ValueError(f"Expected {len(feeds)} feed values, got {len(values)}")
            feed_dict = dict(zip(feeds, values))
            return self.run(fetches, feed_dict, options, run_metadata)

        return run

    def close(self) -> None:
        """Ends the session; its variables are gone."""
        if not self._closed:
            self._closed = True
            self._entries.clear()
            self._backend.close()


class Session(BaseSession):
    """Runs operations, and holds the values of variables between runs.

    Args:
      target: the server to run on: "" for this process, or "grpc://host:port".
      graph: the graph to run; the default graph without one.
      config: a `ConfigProto`, its options.
    Example:
      >>> a = tf.constant(2.0)
      >>> with tf.Session() as sess:
      ...     print(sess.run(a * 3.0))
      6.0
    """

    def __enter__(self) -> Session:
        self._contexts = [self._graph.as_default(), self.as_default()]
        for context in self._contexts:
            context.__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        for context in reversed(self._contexts):
            context.__exit__(*exc_info)
        self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Clears the variables and queues of all tasks of the cluster of `target`, and ends the
        sessions of the master there.

        Args:
          target: the address of a task.
          containers: the names of the containers to clear; the default one when None.
          config: its `device_filters` choose the tasks.
        """
        backend = make_backend(target, Graph(), config or ConfigProto())
        try:
            backend.reset([""] if not containers else list(containers))
        finally:
            backend.close()


class InteractiveSession(BaseSession):
    """A session that is the default one from its making until `close()`, as a notebook wants it.

    Args:
      target: the server to run on: "" for this process.
      graph: the graph to run; the default graph without one.
      config: a `ConfigProto`, its options.
    Example:
      >>> session = tf.InteractiveSession()
      >>> tf.add(1, 2).eval()
      3
      >>> session.close()
    """

    def __init__(
        self, target: str = "", graph: Graph | None = None, config: ConfigProto | None = None
    ) -> None:
        super().__init__(target, graph, config)
        stacks.sessions.enforce_nesting = False
        self._context = self.as_default()
        self._context.__enter__()
        self._graph_context = None
        if graph is not None:
            stacks.graphs.enforce_nesting = False
            self._graph_context = graph.as_default()
            self._graph_context.__enter__()

    def close(self) -> None:
        """Ends the session; it is the default one no more."""
        if self._closed:
            return
        super().close()
        if self._graph_context is not None:
            self._graph_context.__exit__(None, None, None)
        self._context.__exit__(None, None, None)
