"""A real Jupyter kernel for tests: cells are run, interrupted, and their outputs read."""

import os
import queue
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

manager = pytest.importorskip("jupyter_client.manager")

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Outcome:
    """What a cell left behind."""

    streams: str = ""  # stdout and stderr together
    result: str = ""  # the repr of its last expression
    error: str = ""  # the name of what it raised
    traceback: list[str] = field(default_factory=list)  # lines, with their ANSI colours


class Kernel:
    """One kernel with a folder of its own for settings; `with Kernel(tmp_path) as kernel:`."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'widgets'}"}
        environment |= {"IPYTHONDIR": str(folder), "PYTHONWARNINGS": "default"}
        self.manager, self.client = manager.start_new_kernel(
            kernel_name="python3", env=environment, extra_arguments=["--log-level=ERROR"]
        )

    def run(self, code: str, interrupt_at: str = "", seconds: float = 120) -> Outcome:
        """Runs a cell.

        Args:
          code: its text.
          interrupt_at: the stop button is pressed a moment after the cell has printed this.
          seconds: to wait for its end.
        """
        message = self.client.execute(code)
        outcome = Outcome()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                answer = self.client.get_iopub_msg(timeout=0.5)
            except queue.Empty:
                continue
            kind, content = answer["msg_type"], answer["content"]
            if kind == "stream":
                outcome.streams += content["text"]
                if interrupt_at and interrupt_at in outcome.streams:
                    interrupt_at = ""
                    time.sleep(0.5)
                    self.manager.interrupt_kernel()
            if answer["parent_header"].get("msg_id") != message:
                continue
            if kind == "execute_result":
                outcome.result = content["data"]["text/plain"]
            elif kind == "error":
                outcome.error = content["ename"]
                outcome.traceback = "\n".join(content["traceback"]).split("\n")
            elif kind == "status" and content["execution_state"] == "idle":
                return outcome
        raise TimeoutError(f"The cell runs on: {code}")

    @property
    def pid(self) -> int:
        """The process of the kernel."""
        return int(self.run("import os; os.getpid()").result)

    def kill(self) -> None:
        """Ends the kernel's process alone, as the system does when memory runs out."""
        os.kill(self.pid, signal.SIGKILL)

    def __enter__(self) -> "Kernel":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
