"""Keeps one TensorFlow process and asks it to run programs."""

import json
import os
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .oracle_venv import NoOracle, find

RUNNER = Path(__file__).with_name("runner.py")
START_SECONDS = 120.0
CASE_SECONDS = 120.0
#: Who computes, uses the processor: one that uses less in so long a time waits for ever.
IDLE_SECONDS, IDLE_SHARE = 10.0, 0.01


#: what TensorFlow says of dilated convolutions on a processor for which it leaves oneDNN out
LACKING = "do not yet support dilation rates larger than 1"


def skip_what_it_lacks(told: Any) -> None:
    """Skips a test to which TensorFlow has answered that it cannot do this on this processor."""
    if LACKING in str(told):
        pytest.skip("TensorFlow lacks gradients of dilated convolutions on this processor")


class Oracle:
    """A long-lived subprocess that runs case programs in TensorFlow 2.15.

    It starts at the first question, since importing TensorFlow takes seconds. A question that takes
    longer than two minutes, or over which the process has gone to sleep, ends it with a
    `TimeoutError`; the next one starts a new process.

    Example:
      >>> with Oracle() as oracle:
      ...     oracle.ask("show(tf.constant(1.))")["shown"]["0"]["name"]
      'Const:0'
    """

    def __init__(self) -> None:
        self.python = find()
        self.version = ""
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._asked = 0

    def __enter__(self) -> "Oracle":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def ask(self, source: str, folder: str | None = None) -> Mapping[str, Any]:
        """Runs `source` in TensorFlow; takes and returns what `runner.run_case` does there.

        On a crowded machine TensorFlow itself ends or waits for ever now and then, over threads of
        its own: a program without an answer is asked once more, of a new process.
        """
        try:
            return self._ask_once(source, folder)
        except (RuntimeError, TimeoutError):
            shutil.rmtree(folder or "", ignore_errors=True)  # as far as the first had filled it
            return self._ask_once(source, folder)

    def _ask_once(self, source: str, folder: str | None) -> Mapping[str, Any]:
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        self._asked += 1
        request = {"id": self._asked, "source": source, "folder": folder}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._read(CASE_SECONDS)
        if answer["id"] != self._asked:
            raise RuntimeError("the oracle answered another question")
        return answer

    def close(self) -> None:
        """Ends the process; a later question starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _start(self) -> None:
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TF_CONFIG")}
        environment.pop("PYTHONWARNINGS", None)
        # With a thread a core, pipelines and strategies sometimes wait for each other for ever.
        environment["TF_NUM_INTEROP_THREADS"] = "16"
        self._process = subprocess.Popen(
            [str(self.python), str(RUNNER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self._lines = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(self._process, self._lines), daemon=True).start()
        try:
            self.version = self._read(START_SECONDS)["ready"]
        except (RuntimeError, TimeoutError) as error:
            raise NoOracle(f"{self.python} could not import TensorFlow.") from error

    def _read(self, seconds: float) -> Mapping[str, Any]:
        try:
            line = self._next_line(seconds)
        except queue.Empty:
            assert self._process is not None
            self._process.kill()
            self.close()
            text = f"TensorFlow sleeps, or needs more than {seconds:.0f} seconds"
            raise TimeoutError(text) from None
        if line is None:
            self.close()
            raise RuntimeError("TensorFlow's process ended before it answered")
        answer: Mapping[str, Any] = json.loads(line)
        return answer

    def _next_line(self, seconds: float) -> str | None:
        """What the process writes next; `queue.Empty` when that is not to be expected any more."""
        assert self._process is not None
        limit, spent = time.monotonic() + seconds, _processor_seconds(self._process.pid)
        while True:
            try:
                return self._lines.get(timeout=min(seconds, IDLE_SECONDS))
            except queue.Empty:
                before, spent = spent, _processor_seconds(self._process.pid)
                if time.monotonic() >= limit or 0 <= spent - before < IDLE_SHARE * IDLE_SECONDS:
                    raise


def _processor_seconds(pid: int) -> float:
    """How long a process has used the processor; always longer where nobody tells (not Linux)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def _pump(process: "subprocess.Popen[str]", lines: "queue.SimpleQueue[str | None]") -> None:
    """Moves answers into `lines`, so that reading them can have a limit; None marks the end."""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.put(line)
    except ValueError:  # closed while reading
        pass
    lines.put(None)
