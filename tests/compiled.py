"""The compiled kernels, for tests that hold with them and without them.

No test outside `tests/fast` imports `minitf.fast`: with that folder gone, all the others pass.
Those that hold the tiers of a kernel equal call `load_compiled` first; where the folder is missing,
fewer tiers are there to compare.
"""

import functools
import importlib
import importlib.util


@functools.cache
def load_compiled() -> bool:
    """Loads the compiled tier of every kernel at once; returns whether there is one."""
    if importlib.util.find_spec("minitf.fast") is None:
        return False
    loader = importlib.import_module("minitf.fast.loader")
    loader.load_all()
    return bool(loader.available())
