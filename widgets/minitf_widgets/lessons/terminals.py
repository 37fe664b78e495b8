"""Terminals that a lesson types into: one program, started once for each task of a cluster.

terminals = Terminals("trainer.py", home, ps=1, workers=2)      free addresses for all tasks
print(terminals)                                                what one would type by hand
terminals.start("ps", 0)           a process of its own, as in a terminal of its own
terminals.said("worker", 1)        what it has printed
terminals.stop()
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import minitf as tf

__all__ = ["Terminals", "free_address"]

free_address = tf.cluster.free_address


class Terminals:
    """The terminals of one cluster, in each of which a program may be started as one task.

    The program takes the flags of TensorFlow's documentation: `--ps_hosts`, `--worker_hosts`,
    `--job_name` and `--task_index`.

    Args:
      program: its file, in `folder`.
      folder: where it runs, and where what it prints is kept.
      *flags: further flags, the same for all tasks.
      ps, workers: how many there are.
    Attributes:
      hosts: the addresses by job, as `tf.train.ClusterSpec` takes them.
      running: the processes by job and index.
    """

    def __init__(
        self, program: str, folder: Path, *flags: str, ps: int = 2, workers: int = 2
    ) -> None:
        counts = {"ps": ps, "worker": workers}
        self.hosts = {job: [free_address() for _ in range(n)] for job, n in counts.items()}
        self.running: dict[tuple[str, int], subprocess.Popen[bytes]] = {}
        self._program, self._folder, self._flags = program, folder, flags

    def command(self, job: str, index: int) -> list[str]:
        """Returns what is typed after `python`."""
        hosts = [f"--{each}_hosts={','.join(self.hosts[each])}" for each in self.hosts]
        me = [f"--job_name={job}", f"--task_index={index}"]
        return ["-m", "minitf", self._program, *hosts, *me, *self._flags]

    def __str__(self) -> str:
        tasks = [(job, index) for job, hosts in self.hosts.items() for index in range(len(hosts))]
        typed = (["python", *self.command(*task)] for task in tasks)
        lines = (map(" ".join, (each[:4], each[4:6], each[6:])) for each in typed)
        return "\n\n".join(" \\\n    ".join(each) for each in lines)

    def start(self, job: str, index: int) -> None:
        """Starts the program as one task."""
        with self._log(job, index).open("wb") as log:
            command = [sys.executable, *self.command(job, index)]
            self.running[job, index] = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self._folder
            )

    def start_task(self, task: str) -> None:
        """The same, by the name of the task, "/job:worker/task:1"."""
        _, job, index = re.split("/job:|/task:", task)
        self.start(job, int(index))

    def said(self, job: str, index: int, timeout: float | None = None) -> str:
        """Returns what a task has printed; waits for its end when a `timeout` is given, in s."""
        if timeout is not None:
            self.running[job, index].wait(timeout)
        return self._log(job, index).read_text(encoding="utf-8").strip()

    def stop(self) -> None:
        """Ends what still runs."""
        for process in self.running.values():
            process.kill()
            process.wait()

    def _log(self, job: str, index: int) -> Path:
        return self._folder / f"{Path(self._program).stem}-{job}{index}.log"
