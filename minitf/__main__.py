"""`python -m minitf program.py`: see `minitf/compat/runner.py`."""

from minitf.compat.runner import main

main()
