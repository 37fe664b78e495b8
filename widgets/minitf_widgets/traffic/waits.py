"""What a task waits for, in words: from the lines that tasks tell of their running steps.

    worker 1  _Recv sync_token_q_Dequeue:0 of ps 1 --.  the same step
    ps 1      sync_token_q_Dequeue (QueueDequeueV2) <-'
    => worker 1: "waits for sync_token_q_Dequeue on ps 1: the queue is empty"

A task that waits for another is asked again there, as far as the chain of one step goes, so that
what is told is the cause. Whoever only computes is told so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf_widgets.traffic.layout import task_label

_MOST = 3  # waits told of one task
_FOR_OTHERS = ("_Recv", "run_graph")
# Operations that wait, by a part of their type: why that may take long.
_REASONS = {
    "Dequeue": "the queue is empty",
    "Enqueue": "the queue is full",
    "TakeGradient": "fewer gradients have come than it averages",
    "BarrierTake": "the barrier has too few elements",
    "BarrierInsert": "the barrier is full",
    "Unstage": "nothing is staged",
    "Collective": "not all members of the group have come",
    "ReaderRead": "the reader's queue of files is empty",
    "IteratorGetNext": "the input pipeline has no element ready",
}


def explain_waits(tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Says of each task with running steps what they stand in, the longest first.

    Args:
      tasks: of a snapshot; "waits" of each as its task tells them.
    Returns: dicts with "task", "what" (an operation or a tensor), "text" (a sentence without its
      subject) and "seconds".
    Example:
      >>> take = {"step": "7", "node": "q/take", "type": "QueueDequeueV2", "of": "", "seconds": 3.0}
      >>> explain_waits([{"task": "/job:ps/task:0", "waits": [take]}])[0]["text"]
      'waits in q/take: the queue is empty'
    """
    lines = {task["task"]: task.get("waits") or [] for task in tasks}
    found = []
    for task, own in lines.items():
        steps: dict[str, list[Mapping[str, Any]]] = {}
        for line in own:
            steps.setdefault(line["step"], []).append(line)
        told: dict[str, dict[str, Any]] = {}
        for line in sorted(map(_chief, steps.values()), key=lambda line: -line["seconds"]):
            what, text = _explain(task, line, lines)
            wait = {"task": task, "what": what, "text": text, "seconds": line["seconds"]}
            told.setdefault(text, wait)
        found += list(told.values())[:_MOST]
    return found


def _chief(lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of one step in one task: what runs there, or else what is received, or else who is asked."""
    order = ("run_graph", "_Recv")
    return max(
        lines, key=lambda line: order.index(line["type"]) if line["type"] in order else len(order)
    )


def _explain(
    task: str, line: Mapping[str, Any], lines: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[str, str]:
    passed = {task}
    last = line
    while last["type"] in _FOR_OTHERS and last["of"] not in passed:
        passed.add(last["of"])
        there = [each for each in lines.get(last["of"], ()) if each["step"] == line["step"]]
        if not there:
            break
        task, last = last["of"], _chief(there)
    if last["type"] in _FOR_OTHERS:
        what = last["node"].partition(",")[0].removeprefix("^").partition(":")[0]
        end = task_label(last["of"])
        return what or end, f"waits for {what} of {end}" if what else f"waits for {end}"
    name = last["node"].partition(",")[0]
    reason = next((why for part, why in _REASONS.items() if part in last["type"]), None)
    end, computes = task_label(task), f"computes {name}".rstrip()
    if line["type"] in _FOR_OTHERS:
        if reason is None:
            return name or end, f"waits while {end} {computes}"
        return name, f"waits for {name} on {end}: {reason}"
    return name or end, computes if reason is None else f"waits in {name}: {reason}"
