"""Runs the cells of notebooks without kernels: a process that has imported everything forks.

A kernel takes seconds to start and to import; a fork takes milliseconds, and leaves nothing behind
either. `Cells` starts the process; `run` gives it one notebook's cells and returns their outputs.
"""

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Cells:
    """A process that runs cells; `close` ends it."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'widgets'}"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cells"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, folder: Path, sources: list[str]) -> list[dict]:
        """Runs cells in turn, as far as they come, in a folder and a process of their own.

        Returns: by cell, the text that it `printed`, the data that it has `shown`, and its `error`,
          the lines that a notebook shows of it.
        """
        print(json.dumps([str(folder), sources]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def _serve() -> None:
    """Answers each line of stdin, from a process of its own, by a line on stdout."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what cells print past IPython must not mix with the answers

    from IPython.core.displayhook import DisplayHook
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    class Values(DisplayHook):
        """Keeps the values of a cell as data, and prints none."""

        shown: list[dict] = []

        def __call__(self, result: object = None) -> None:
            if result is not None:
                self.shown.append(self.compute_format_data(result)[0])

    class Shell(InteractiveShell):
        """A shell that keeps what it shows of an error."""

        displayhook_class = Values
        error: list[str] = []

        def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
            self.error = list(stb)

    shell = Shell.instance()
    shell.history_manager.enabled = False
    shell.display_formatter.active_types = shell.display_formatter.format_types

    import minitf_widgets.lessons.checks  # noqa: F401

    import minitf  # noqa: F401

    def run(source: str) -> dict:
        shell.error, shell.displayhook.shown = [], []
        with capture_output() as captured:
            shell.run_cell(source, store_history=True)
        shown = [output.data for output in captured.outputs] + shell.displayhook.shown
        printed = captured.stdout + captured.stderr
        return {"printed": printed, "shown": shown, "error": shell.error}

    for line in sys.stdin:
        folder, sources = json.loads(line)
        child = os.fork()
        if not child:
            try:
                os.chdir(folder)
                outcomes = [run(source) for source in sources]
                print(json.dumps(outcomes, default=str), file=answers, flush=True)
            except BaseException:
                traceback.print_exc()
                print(json.dumps([]), file=answers, flush=True)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    _serve()
