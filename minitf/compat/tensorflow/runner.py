"""`python -m minitf program.py args`: runs a program of TensorFlow 1.x as Python itself would.

    python -m minitf program.py --steps=5
      -> `tensorflow` means minitf              minitf/compat/tensorflow/alias.py
      -> names of before TensorFlow 1.0         minitf/compat/tensorflow/old_tensorflow.py
      -> NumPy has the names of its day         minitf/compat/tensorflow/old_numpy.py
      -> and so has Python                      minitf/compat/tensorflow/old_python.py
      -> and other packages                     minitf/compat/tensorflow/old_packages.py
      -> sys.argv, sys.path[0], __main__, __file__ are the program's
      -> the program runs; a traceback begins with its own first line

Everything that the program can see is as Python itself would have left it, so that `tf.app.run`,
imports of files beside the program, `pickle` and `if __name__ == "__main__"` work.
"""

from __future__ import annotations

import builtins
import importlib
import io
import linecache
import os
import re
import runpy
import signal
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType

from minitf.compat.tensorflow import alias, children
from minitf.core.cluster.interrupts import heed_ctrl_c
from minitf.library.platform.notebook import program_of

HELP = """\
Runs a program that was written for TensorFlow 1.x; `import tensorflow` gives it minitf.

    python -m minitf program.py [arguments]  or program.ipynb, whose cells run in their order
    python -m minitf -m module [arguments]
    python -m minitf -c "code" [arguments]
    python -m minitf -                       the program comes from the standard input
    python -m minitf join ADDRESS            lends this machine to a class cluster
    python -m minitf look FILE               shows the graph in a model's file: .pb, .meta, .h5

In a notebook:        %load_ext minitf
In one's own program: import minitf as tf
"""

#: What Python 3 says of a line of Python 2, or such a line.
_OF_PYTHON_2 = (
    r"in call to '(print|exec)'|multiple exception types must be|leading zeros in decimal|"
    r"inconsistent use of tabs|\bprint\s+[\"'\w]|\bexcept \w+, \w+:|<>|\bur['\"]|\braise \w+, "
)


def main() -> None:
    """Runs what the command line names, with the options of Python itself."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return
    option, rest = arguments[0], arguments[1:]
    if option in ("-c", "-m") and not rest:
        sys.exit(f"Argument expected for the {option} option\n\n{HELP}")
    if option.startswith("-") and option not in ("-", "-c", "-m"):
        sys.exit(f"unknown option {option}\n\n{HELP}")
    heed_ctrl_c()
    if option == "join" and not os.path.exists(option):
        importlib.import_module("minitf.library.clusters.lending").main(rest)
        return
    if option == "look" and not os.path.exists(option):
        sys.argv = [option, *rest]
        try:
            runpy.run_module("minitf_widgets.look", run_name="__main__")
        except ModuleNotFoundError as error:
            sys.exit(f"minitf look needs the widgets ({error}): pip install 'minitf[widgets]'")
        return
    alias.install_with_old_names()
    if option == "-c":
        sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
        _as_main(lambda: _execute(rest[0], "<string>"))
    elif option == "-m":
        sys.argv = rest
        _as_main(lambda: runpy.run_module(rest[0], run_name="__main__", alter_sys=True))
    elif option == "-":
        sys.argv = arguments
        _as_main(lambda: _execute(sys.stdin.read(), "<stdin>"))
    else:
        sys.argv = arguments
        _as_main(lambda: run_file(option))


def run_file(path: str) -> None:
    """Runs a file, or a folder or archive that holds a `__main__.py`, as the program.

    Args:
      path: as it was typed; `sys.argv` is set already.
    """
    if os.path.isdir(path) or not path.endswith((".py", ".pyw")) and _is_archive(path):
        sys.path.pop(0)  # run_path puts the folder itself there
        runpy.run_path(path, run_name="__main__")
        return
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        sys.exit(
            f"{sys.executable} -m minitf: can't open file {os.path.abspath(path)!r}: "
            f"[Errno {error.errno}] {error.strerror}"
        )
    if path.endswith(".ipynb"):
        return _execute(*program_of(source, f"<{os.path.basename(path)}>"))
    _execute(source, os.path.abspath(path))


def _is_archive(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


def _execute(source: str | bytes, path: str) -> None:
    """Runs a program in a fresh `__main__`, which stays: threads and exit handlers look for it."""
    # Our own `from __future__` lines are not the program's.
    code = compile(source, path, "exec", dont_inherit=True)
    children.prepare(_runs_eagerly(source))
    module = ModuleType("__main__")
    vars(module).update(__builtins__=builtins, __annotations__={}, __cached__=None)
    if path == "<string>" and sys.version_info >= (3, 13):  # Python shows the lines since then
        linecache.cache[path] = len(source), None, str(source).splitlines(True), path
    if not path.startswith("<"):
        vars(module).update(__file__=path, __loader__=SourceFileLoader("__main__", path))
    sys.modules["__main__"] = module
    exec(code, vars(module))


def _runs_eagerly(source: str | bytes) -> bool:
    """Whether a program was written for TensorFlow 2, though it asks for `compat.v1`.

    There eager execution is on until a program turns it off. One that does not, and opens no
    session, wants it; who opens one makes a graph for it, as in TensorFlow 1.
    """
    text = source if isinstance(source, str) else source.decode(errors="replace")
    asks = re.search(r"tensorflow\.compat\.v1|tensorflow\.compat import v1", text)
    return bool(asks) and not re.search(
        r"Session|Supervisor|disable_(v2_behavior|eager_execution)|\bGraph\(|placeholder|"
        r"enable_eager_execution|[Ee]stimator",
        text,
    )


def _as_main(run: Callable[[], object]) -> None:
    """Runs the program; what it raises is printed as if nothing stood around it."""
    try:
        run()
    except KeyboardInterrupt as error:
        _print(error)
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # dies as an interrupted Python does
        os.kill(os.getpid(), signal.SIGINT)
    except Exception as error:
        _print(error)
        sys.exit(1)


def _print(error: BaseException) -> None:
    """Shows an exception from the program's first line on."""
    trace = error.__traceback__
    while trace is not None and _ours(trace):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    if isinstance(error, SyntaxError) and re.search(_OF_PYTHON_2, f"{error.msg} {error.text}"):
        print(
            f"{error.filename} is written in Python 2, and minitf runs with Python 3; "
            f"`2to3 -w {error.filename}`, of Python 3.12 and older, translates it.",
            file=sys.stderr,
        )


def _ours(trace: TracebackType) -> bool:
    """Whether a frame belongs to this file or to Python's runpy, below the program."""
    return trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>")
