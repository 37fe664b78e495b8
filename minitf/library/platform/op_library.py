"""`tf.load_op_library`: operations in machine code, which minitf does not run.

Programs that carry such a file often go on without it: they catch the error that this raises.
"""

from __future__ import annotations

import os
from typing import NoReturn

from minitf.core.graph import errors


def load_library(library_location: str) -> NoReturn:
    """Would load operations from a shared library or a folder of them; see `load_op_library`."""
    load_op_library(library_location)


def load_file_system_library(library_filename: str) -> NoReturn:
    """Would load a file system from a shared library; see `load_op_library`."""
    load_op_library(library_filename)


def load_op_library(library_filename: str) -> NoReturn:
    """Would load operations from a shared library.

    Args:
      library_filename: the path of a file ".so".

    Raises:
      NotFoundError: always: the file is not there, or minitf has no use for it.
    """
    why = "cannot open shared object file: No such file or directory"
    if os.path.exists(library_filename):
        why = "minitf runs operations of its own, and no machine code of others"
    raise errors.NotFoundError(None, None, f"{os.fsdecode(library_filename)}: {why}")
