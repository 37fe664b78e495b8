"""`tf.sysconfig`: where minitf lies. There is no compiled library to link with."""

from __future__ import annotations

import os

#: how TensorFlow 1.15's packages are compiled
CXX11_ABI_FLAG = MONOLITHIC_BUILD = 0
_PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def get_lib() -> str:
    """The folder of the package."""
    return _PACKAGE


def get_include() -> str:
    """The folder where headers would be: the package's; it has none."""
    return _PACKAGE


def get_compile_flags() -> list[str]:
    """Flags for compiling an extension: none."""
    return []


def get_link_flags() -> list[str]:
    """Flags for linking an extension: none."""
    return []


def get_build_info() -> dict[str, bool]:
    """What the library was built for: kernels for cards come from CuPy, not from a build."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}
