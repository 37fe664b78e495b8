"""`python -m minitf.fast [FILE ...]`: translates compiled kernels before their first use."""

import sys

from minitf.fast.translator import main

sys.exit(main(sys.argv[1:]))
