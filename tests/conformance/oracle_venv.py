"""Makes and finds the Python environment that holds TensorFlow 2.15.1.

TensorFlow lives in an environment of its own because it pins an old NumPy and an old Python. The
tests and the benchmarks talk to it over pipes, and only this file knows where it is.

    python tests/conformance/oracle_venv.py           make it if needed, print its interpreter
    python tests/conformance/oracle_venv.py --find    only print its interpreter

`MINITF_ORACLE_PYTHON` names another interpreter that has TensorFlow 2.15 and is used as it is.
Only the standard library is needed here, so any Python can run this file.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / ".venv-oracle"
REQUIREMENTS = ("tensorflow-cpu==2.15.1", "numpy<2")
PYTHONS = ((3, 11), (3, 10), (3, 9))  # what TensorFlow 2.15 has wheels for, newest first


class NoOracle(Exception):
    """TensorFlow cannot be had here; the text is one sentence that says why."""


def find() -> Path:
    """Finds the interpreter that has TensorFlow, without installing anything.

    Returns: the path of an interpreter.
    Raises:
      NoOracle: when there is none.
    """
    named = os.environ.get("MINITF_ORACLE_PYTHON")
    if named:
        if not Path(named).is_file():
            raise NoOracle(f"MINITF_ORACLE_PYTHON names {named}, which does not exist.")
        return Path(named)
    if _stamp(DIRECTORY) != _wanted():
        raise NoOracle(
            "TensorFlow 2.15.1 is not installed beside the project: "
            "python tests/conformance/oracle_venv.py installs it."
        )
    return _interpreter(DIRECTORY)


def make() -> Path:
    """Makes the environment unless it is there already; see `find`."""
    try:
        return find()
    except NoOracle:
        if os.environ.get("MINITF_ORACLE_PYTHON"):
            raise
    DIRECTORY.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    # A half-made environment carries no stamp, so the next call starts again from nothing.
    base = _base_python()
    print(f"Installing {REQUIREMENTS[0]} into {DIRECTORY.name} ...", file=sys.stderr, flush=True)
    try:
        if base is None:
            venv.create(DIRECTORY, with_pip=True)
        else:
            subprocess.run([base, "-m", "venv", str(DIRECTORY)], check=True)
        install = [str(_interpreter(DIRECTORY)), "-m", "pip", "install", "--quiet"]
        with tempfile.TemporaryFile("w+") as log:
            done = subprocess.run([*install, *REQUIREMENTS], stdout=log, stderr=log)
            if done.returncode:
                log.seek(0)
                lines = [line for line in log.read().splitlines() if line.strip()]
                raise NoOracle(f"pip could not install TensorFlow: {lines[-1] if lines else '?'}")
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoOracle(f"The environment for TensorFlow could not be made: {error}") from error
    (DIRECTORY / "stamp").write_text(_wanted())
    return _interpreter(DIRECTORY)


def _base_python() -> "str | None":
    """Returns an interpreter that TensorFlow 2.15 supports; None means the one running now."""
    if sys.version_info[:2] in PYTHONS:
        return None
    for major, minor in PYTHONS:
        path = shutil.which(f"python{major}.{minor}")
        if path:
            return path
    raise NoOracle("TensorFlow 2.15.1 needs Python 3.9, 3.10 or 3.11, and none is on the path.")


def _interpreter(directory: Path) -> Path:
    if os.name == "nt":
        return directory / "Scripts" / "python.exe"
    return directory / "bin" / "python"


def _wanted() -> str:
    return "\n".join(REQUIREMENTS)


def _stamp(directory: Path) -> "str | None":
    try:
        return (directory / "stamp").read_text()
    except OSError:
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--find", action="store_true", help="install nothing")
    arguments = parser.parse_args()
    try:
        print(find() if arguments.find else make())
    except NoOracle as reason:
        print(reason, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
