"""Runs the lessons from top to bottom, each in a fresh kernel of this Python, without a screen.

    python scripts/run_notebooks.py                   every lesson in notebooks/
    python scripts/run_notebooks.py PATH.ipynb ...    these
    python scripts/run_notebooks.py --keep FOLDER     also writes them there, with their outputs

The files themselves are left as they are. The user's own Jupyter settings are not looked at, so a
lesson runs the same on every machine. Exit status 1 if a cell of any lesson raises.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import jupyter_sooner  # noqa: F401  before nbformat
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

ROOT = Path(__file__).resolve().parent.parent
CELL_SECONDS = 180


def run(path: Path, last: str = "") -> nbformat.NotebookNode:
    """Runs one notebook in its own folder.

    Args:
      path: of the notebook.
      last: a program that its kernel runs after all cells; no part of the result.
    Returns: the notebook with its outputs.
    Raises:
      CellExecutionError: when a cell raises that is not tagged `raises-exception`.
      CellTimeoutError: when a cell takes more than three minutes.
    """
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(last))
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    # What a slider's function draws goes into its cell. nbclient would send it to the slider's
    # output widget, over the socket on which it waits for the cell's end, and may miss that end.
    client.widget_registry = {}
    client.execute()
    notebook.cells.pop()
    return notebook


def keep_to_ourselves(folder: str) -> None:
    """Points Jupyter and IPython at an empty folder, in place of the user's own."""
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        os.environ[name] = str(Path(folder, name.lower()))


def main() -> int:
    """Runs the notebooks named on the command line, or all."""
    parser = argparse.ArgumentParser(description="Runs lessons without a screen.")
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write what was run there")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        keep_to_ourselves(folder)
        for path in arguments.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb")):
            start = time.perf_counter()
            try:
                notebook = run(path.resolve())
            except (CellControlSignal, DeadKernelError) as error:
                failed += 1
                print(f"{path.name}: failed\n{error}", file=sys.stderr)
                continue
            print(f"{path.name}: {time.perf_counter() - start:.1f} s", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                nbformat.write(notebook, arguments.keep / path.name)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
