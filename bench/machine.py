"""What the figures were measured on: processor, memory, load, versions; never a name of a host."""

import importlib
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import Library, time_calls

ROOT = Path(__file__).resolve().parent.parent


def facts() -> dict[str, Any]:
    """Returns facts about this machine as plain values."""
    return {
        "processor": _from_file("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gb": _memory_gb(),
        "instructions": _instructions(),
        "system": f"{platform.system()} {platform.machine()}",
        "commit": _commit(),
    }


def process_facts(library: Library) -> dict[str, Any]:
    """Returns facts about a measuring process: versions, kernel tiers, and what its BLAS is."""
    versions = {"python": platform.python_version()}
    if library.tf is not None:
        versions[library.name] = library.tf.__version__
    for package in ("numpy", "scipy", "numba"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    tiers = os.environ.get("MINITF_TIERS", "").split(",")
    if library.name != "minitf" or (tiers != [""] and "numba" not in tiers):
        versions.pop("numba", None)  # installed, not used
    return {"versions": versions, "blas": _blas() if library.name == "minitf" else []}


def _blas() -> list[str]:
    """Names each BLAS in this process, with the processor that it has chosen its code for."""
    try:
        threadpoolctl = importlib.import_module("threadpoolctl")
    except ImportError:
        return []
    return [
        f"{one['internal_api']} {one['version']} for {one.get('architecture')}"
        f", {one['num_threads']} threads, of {Path(one['filepath']).parent.name}"
        for one in threadpoolctl.threadpool_info()
        if one["user_api"] == "blas"
    ]


def limits(seconds: float) -> dict[str, float]:
    """Measures what this processor can do at most, with NumPy and its default threads.

    Returns: floating-point operations a second, of a product of two matrices of 2,048 x 2,048
      floats, and bytes a second, of the sum of two arrays of ten million floats.
    """
    one = np.ones((2048, 2048), np.float32)
    first, second, third = (np.ones(10_000_000, np.float32) for _ in range(3))
    product = time_calls(lambda: np.matmul(one, one), seconds).value
    added = time_calls(lambda: np.add(first, second, out=third), seconds).value
    return {"operations": 2.0 * 2048**3 / product, "bytes": 3.0 * first.nbytes / added}


def load() -> float:
    """Returns how many processes wanted to run during the last minute, on average."""
    return round(os.getloadavg()[0], 2)


def _from_file(path: str, key: str) -> str:
    try:
        for line in Path(path).read_text().splitlines():
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def _memory_gb() -> float | None:
    kilobytes = _from_file("/proc/meminfo", "MemTotal").split()
    return round(int(kilobytes[0]) / 1e6, 1) if kilobytes else None


def _instructions() -> list[str]:
    flags = _from_file("/proc/cpuinfo", "flags").split()
    return [flag for flag in ("avx2", "fma", "avx512f", "avx512_bf16", "amx_tile") if flag in flags]


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip()
