"""`tensorflow.python.summary.writer.fake_summary_writer`: a writer that remembers, for tests.

FakeSummaryWriter.install()         FileWriterCache.get(folder) gives one of these from now on
... train with a SummarySaverHook ...
FileWriterCache.get(folder).assert_summaries(test, expected_summaries={1: {"loss": 0.5}})
"""

from __future__ import annotations

import glob
import os
from typing import Any

from minitf.library.formats.event_file import summary_iterator
from minitf.library.sessions import file_writer as writer
from minitf.library.sessions.file_writer import protos


class FakeSummaryWriter:
    """Takes what a `FileWriter` takes and writes no file.

    Args:
      logdir: the folder.
      graph: the graph to add at once.
    """

    _replaced: Any = None

    def __init__(self, logdir: str, graph: Any = None) -> None:
        self._logdir, self._graph = logdir, graph
        self._summaries: dict[Any, list[Any]] = {}
        self._graphs: list[Any] = []
        self._meta_graphs: list[Any] = []
        self._session_logs: list[Any] = []
        self._run_metadata: dict[str, Any] = {}

    @classmethod
    def install(cls) -> None:
        """Puts this class in the place of `FileWriter`.

        Raises:
          ValueError: when it is there already.
        """
        if cls._replaced is not None:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced = writer.FileWriter
        writer.FileWriter = cls  # type: ignore[misc,assignment]

    @classmethod
    def uninstall(cls) -> None:
        """Puts `FileWriter` back.

        Raises:
          ValueError: when it is there already.
        """
        if cls._replaced is None:
            raise ValueError("FakeSummaryWriter not installed.")
        writer.FileWriter = cls._replaced  # type: ignore[misc]
        cls._replaced = None

    @property
    def summaries(self) -> dict[Any, list[Any]]:
        """The summaries of each step."""
        return self._summaries

    def add_summary(self, summ: Any, current_global_step: Any = None) -> None:
        """Keeps a summary, or the bytes of one."""
        if isinstance(summ, bytes):
            summ = protos().Summary.FromString(summ)
        self._summaries.setdefault(current_global_step, []).append(summ)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Keeps a graph."""
        self._graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Keeps a `MetaGraphDef`."""
        self._meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Keeps a `SessionLog`."""
        self._session_logs.append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Keeps what a run told about itself."""
        self._run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Nothing waits."""

    reopen = close = flush

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: str | None = None,
        expected_graph: Any = None,
        expected_summaries: dict[Any, dict[str, float]] | None = None,
        expected_added_graphs: list | None = None,
        expected_added_meta_graphs: list | None = None,
        expected_session_logs: list | None = None,
    ) -> None:
        """Compares what came in; what is None is left out.

        Args:
          test_case: whose assertions are used.
          expected_summaries: by step, the numbers by tag; how often steps were timed is no matter.
          expected_logdir, expected_graph, expected_added_graphs, expected_added_meta_graphs,
            expected_session_logs: as their names say.
        """
        pairs = (
            (expected_logdir, self._logdir),
            (expected_graph, self._graph),
            (expected_added_graphs, self._graphs),
            (expected_session_logs, self._session_logs),
            (_texts(expected_added_meta_graphs), _texts(self._meta_graphs)),
        )
        for expected, actual in pairs:
            if expected is not None:
                test_case.assertEqual(expected, actual)
        for step, expected in (expected_summaries or {}).items():
            test_case.assertIn(step, self._summaries)
            values = [value for summary in self._summaries[step] for value in summary.value]
            found = {v.tag: v.simple_value for v in values if v.tag != "global_step/sec"}
            test_case.assertEqual(expected, found)


def latest_summaries(base_dir: str) -> list[Any]:
    """The events with summaries in the newest file of events in a folder."""
    newest = sorted(glob.glob(os.path.join(base_dir, "*tfevents*")), key=os.path.getmtime)[-1:]
    return [e for path in newest for e in summary_iterator(path) if e.HasField("summary")]


def _texts(messages: list | None) -> list[str] | None:
    return None if messages is None else [str(message) for message in messages]
