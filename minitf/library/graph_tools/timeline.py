"""Chrome's trace format from the step stats of a run: open it in chrome://tracing or Perfetto."""

from __future__ import annotations

import json
from typing import Any

from minitf.core.runtime.run.step_stats import StepStats


class Timeline:
    """The timeline of one traced step.

    Args:
      step_stats: `run_metadata.step_stats` of a run with FULL_TRACE.
      graph: not needed; here since TensorFlow has it.

    Example:
      >>> metadata = tf.RunMetadata()
      >>> options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
      >>> sess.run(tf.random_normal([]) > 99.0, options=options, run_metadata=metadata)
      False
      >>> text = Timeline(metadata.step_stats).generate_chrome_trace_format()
    """

    def __init__(self, step_stats: StepStats, graph: Any = None) -> None:
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """Returns the trace as JSON text: a process for each device, an event for each operation.

        Args:
          show_dataflow: also draw arrows from each tensor's producer to its readers.
          show_memory: also count the bytes of the outputs made so far.
        """
        events: list[dict] = []
        produced: dict[str, tuple[int, int, int]] = {}
        for pid, device in enumerate(self._step_stats.dev_stats):
            name = f"{device.device} Compute"
            events.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}})
            total, threads = 0, dict[int, int]()
            for node in device.node_stats:
                _, _, arguments = node.timeline_label.partition("(")
                inputs = [i for i in arguments.rstrip(")").split(", ") if i]
                begin, length = node.all_start_micros, node.all_end_rel_micros
                args = {"name": node.node_name, "op": node.op}
                args.update({f"input{i}": name for i, name in enumerate(inputs)})
                tid = threads.setdefault(node.thread_id, len(threads))
                event = {"ph": "X", "cat": "Op", "name": node.op, "pid": pid, "tid": tid}
                events.append({**event, "ts": begin, "dur": length, "args": args})
                if show_dataflow:
                    events += _arrows(inputs, produced, pid, begin)
                produced[node.node_name] = (pid, begin + length, len(produced))
                total += node.output_bytes
                if show_memory:
                    event = {"ph": "C", "cat": "Memory", "name": "output bytes", "pid": pid}
                    events.append({**event, "ts": begin + length, "args": {"bytes": total}})
        return json.dumps({"traceEvents": events}, indent=2)


def _arrows(inputs: list[str], produced: dict, pid: int, time: int) -> list[dict]:
    events = []
    for name in inputs:
        if name in produced:
            source_pid, end, flow = produced[name]
            common = {"cat": "DataFlow", "name": name, "tid": 0, "id": flow}
            events.append({"ph": "s", "pid": source_pid, "ts": end, **common})
            events.append({"ph": "t", "pid": pid, "ts": time, **common})
    return events
