"""The surroundings of a test program: `tf.test.main`, its folder, and what devices there are."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import unittest
from typing import Any

from minitf.compat.testing.benchmark import run_benchmarks
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.runtime.run.devices import make_devices
from minitf.library.platform import flags

_folder = ""


def main(argv: list[str] | None = None) -> None:
    """Parses the flags, runs every test of the program, and exits with the result.

    With `--benchmarks=pattern` it measures instead.

    Args:
      argv: the command line; `sys.argv` by default.
    """
    if "benchmarks" not in flags.FLAGS:
        flags.DEFINE_string("benchmarks", None, "Run the benchmarks whose names match this.")
    rest = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    if flags.FLAGS.benchmarks:
        run_benchmarks(flags.FLAGS.benchmarks)
        return
    unittest.main(module="__main__", argv=rest)


def get_temp_dir() -> str:
    """A folder for this program, which is removed at its end."""
    global _folder
    if not _folder:
        _folder = tempfile.mkdtemp(prefix="minitf_test_", dir=os.environ.get("TEST_TMPDIR"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


def _gpus() -> list[Any]:
    return [d for d in make_devices() if DeviceSpec.from_string(d.name).device_type == "GPU"]


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether a session would find a GPU; a simulated one counts unless `cuda_only`.

    Args:
      cuda_only: count CUDA devices only.
      min_cuda_compute_capability: of a card; every card that CuPy can use is new enough.
    """
    return any(not cuda_only or "simulated" not in gpu.description.lower() for gpu in _gpus())


def gpu_device_name() -> str:
    """The name of the first GPU, "/device:GPU:0", or "" when there is none."""
    return "/device:GPU:0" if _gpus() else ""


def is_built_with_cuda() -> bool:
    """Whether CUDA devices can be used: CuPy finds one."""
    return is_gpu_available(cuda_only=True)
