"""`python -m minitf.fast [FILE ...]`: translates compiled kernels before their first use.

loader.py starts this file by its path and with -P, so that no module of the user's folder runs.
Then minitf is the package around this file, wherever Python would look for it.
"""

import sys
from pathlib import Path

root = str(Path(__file__).parents[2])
if not __package__ and root not in sys.path:
    sys.path.insert(0, root)
    import minitf.fast  # noqa: F401  (what is in it needs no path)

    sys.path.remove(root)

from minitf.fast.loader import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
