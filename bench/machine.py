"""What the figures were measured on: processor, memory, load, versions; never a name of a host."""

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

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
        "python": platform.python_version(),
        "numpy": _numpy(),
        "commit": _commit(),
    }


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


def _numpy() -> dict[str, str]:
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {"version": np.__version__, "blas": f"{blas.get('name')} {blas.get('version')}"}


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip()
