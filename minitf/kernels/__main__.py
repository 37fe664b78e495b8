"""`python -m minitf.kernels [FILE ...]`: translates compiled kernels before their first use."""

import sys

from minitf.kernels.library import main

sys.exit(main(sys.argv[1:]))
